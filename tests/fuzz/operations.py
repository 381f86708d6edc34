"""What can be asked of the journal, as values that can be judged, performed and printed."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from ledger import services
from ledger.services import AccountSpec, Movement, Posted


@dataclass(frozen=True)
class OpenStream:
    """Open a stream with these accounts."""

    stream: str
    accounts: tuple[AccountSpec, ...]
    actor: UUID
    command_id: UUID

    def perform(self) -> Posted:
        """Ask the journal."""
        return services.open_stream(
            name=self.stream, accounts=self.accounts, actor=self.actor, command_id=self.command_id
        )


@dataclass(frozen=True)
class OpenAccounts:
    """Open these accounts in a stream."""

    stream: str
    accounts: tuple[AccountSpec, ...]
    actor: UUID
    command_id: UUID

    def perform(self) -> Posted:
        """Ask the journal."""
        return services.open_accounts(
            stream=self.stream, accounts=self.accounts, actor=self.actor, command_id=self.command_id
        )


@dataclass(frozen=True)
class Post:
    """Post an entry; every argument may be one that must be refused."""

    stream: str
    kind: str
    payload: Mapping[str, Any]
    moves: tuple[tuple[str, str, Any], ...]
    actor: UUID
    command_id: UUID
    terminal: UUID | None = None
    occurred_at: datetime | None = None
    entry_id: UUID | None = None
    reverses: UUID | None = None

    def perform(self) -> Posted:
        """Ask the journal."""
        return services.post(
            stream=self.stream,
            kind=self.kind,
            payload=self.payload,
            movements=[Movement(*move) for move in self.moves],
            actor=self.actor,
            terminal=self.terminal,
            command_id=self.command_id,
            occurred_at=self.occurred_at,
            entry_id=self.entry_id,
            reverses=self.reverses,
        )


Operation = OpenStream | OpenAccounts | Post
