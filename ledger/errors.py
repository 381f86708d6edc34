"""The journal's refusals: one class per SQLSTATE of its functions, all of them ``DomainError``.

PostgreSQL's own class of an error says nothing about ours; the five characters do. So services dispatch
on ``exc.__cause__.sqlstate`` and take the particulars from the JSON the function put into the detail.
"""

import json
from typing import Any, ClassVar

from django.db import DatabaseError

from config.errors import DomainError


class LedgerError(DomainError):
    """The journal refused; nothing was changed. ``extra`` holds the particulars."""

    ledger_code: ClassVar[str] = "ledger_refused"
    ledger_status: ClassVar[int] = 409

    def __init__(self, detail: str = "", **extra: Any) -> None:
        super().__init__(self.ledger_code, detail, status=self.ledger_status, **extra)


class WrongIsolation(LedgerError):
    """A caller's transaction is not READ COMMITTED; its snapshot would be older than the head's lock."""

    ledger_code = "wrong_isolation"
    ledger_status = 500


class StreamUnknown(LedgerError):
    """No stream of this name. extra: stream."""

    ledger_code = "stream_unknown"
    ledger_status = 404


class StreamExists(LedgerError):
    """A stream of this name is open. extra: stream."""

    ledger_code = "stream_exists"


class UnknownAccount(LedgerError):
    """No account of this name in the stream. extra: stream, account."""

    ledger_code = "account_unknown"
    ledger_status = 422


class AccountExists(LedgerError):
    """An account of this name is open in the stream, or named twice. extra: stream, accounts."""

    ledger_code = "account_exists"


class AssetMismatch(LedgerError):
    """Chips would become cash, or one currency another. extra: source, target and their assets."""

    ledger_code = "asset_mismatch"
    ledger_status = 422


class BadAmount(LedgerError):
    """An amount is not within 1 .. 2**53 - 1 minor units, or would carry a balance past that."""

    ledger_code = "bad_amount"
    ledger_status = 422


class FloorBroken(LedgerError):
    """An account would fall below its floor. extra: stream, account, floor, would_be (minor units)."""

    ledger_code = "floor_broken"

    @property
    def account(self) -> str:
        """Name of the account that cannot give what was asked."""
        return str(self.extra.get("account", ""))


class DuplicateCommand(LedgerError):
    """This command was posted before. extra: command_id, stream, seq and entry_id of what it became."""

    ledger_code = "duplicate_command"


class ReversalUnknown(LedgerError):
    """The entry to reverse is not in this stream. extra: reverses."""

    ledger_code = "reversal_unknown"
    ledger_status = 422


class AlreadyReversed(LedgerError):
    """The entry was reversed before; it happens at most once. extra: reverses."""

    ledger_code = "already_reversed"


class BadEntry(LedgerError):
    """Kind, names or shapes of the arguments do not make an entry."""

    ledger_code = "bad_entry"
    ledger_status = 422


class BadPayload(BadEntry):
    """The payload has no canonical JSON. extra: pointer (RFC 6901) to what is wrong."""

    ledger_code = "bad_payload"


class StreamNotSound(LedgerError):
    """The stream's entries do not verify, so nothing is derived from them. extra: stream, findings."""

    ledger_code = "stream_not_sound"


class Guarded(LedgerError):
    """Somebody tried to write to the journal's tables by hand. extra: table, operation."""

    ledger_code = "journal_guarded"
    ledger_status = 500


class SameAccount(LedgerError):
    """A movement's source is its target. extra: account."""

    ledger_code = "same_account"
    ledger_status = 422


class DuplicateEntry(LedgerError):
    """An entry with this id exists."""

    ledger_code = "duplicate_entry"


class CheckpointConflict(LedgerError):
    """Another sealer was faster; nothing was sealed by this one. extra: size of the last checkpoint."""

    ledger_code = "checkpoint_conflict"


class BadCheckpoint(LedgerError):
    """Sizes, ranges, nodes, leaves or note do not make the next checkpoint. extra: size."""

    ledger_code = "bad_checkpoint"
    ledger_status = 500


class SealerBusy(LedgerError):
    """Another sealer is at work and did not finish in time."""

    ledger_code = "sealer_busy"


class SealerKeyMissing(LedgerError):
    """The sealer has no key, and none is invented here."""

    ledger_code = "sealer_key_missing"
    ledger_status = 500


class SealerKeyBad(LedgerError):
    """A key file is unreadable, open to others, or holds no key."""

    ledger_code = "sealer_key_bad"
    ledger_status = 500


class SealInconsistent(LedgerError):
    """What is in the database does not continue what was signed before; nothing more is signed.

    extra: size of the checkpoint that is not continued.
    """

    ledger_code = "seal_inconsistent"
    ledger_status = 500


class NotSealed(LedgerError):
    """The entry is not sealed yet, or not under the checkpoint asked for. extra: size of the last one."""

    ledger_code = "not_sealed"
    ledger_status = 404


class CheckpointUnknown(LedgerError):
    """There is no checkpoint of this size. extra: size."""

    ledger_code = "checkpoint_unknown"
    ledger_status = 404


BY_SQLSTATE: dict[str, type[LedgerError]] = {
    "PL001": WrongIsolation,
    "PL002": StreamUnknown,
    "PL003": StreamExists,
    "PL004": UnknownAccount,
    "PL005": AccountExists,
    "PL006": AssetMismatch,
    "PL007": BadAmount,
    "PL008": FloorBroken,
    "PL009": DuplicateCommand,
    "PL010": ReversalUnknown,
    "PL011": AlreadyReversed,
    "PL012": BadEntry,
    "PL013": Guarded,
    "PL014": SameAccount,
    "PL015": CheckpointConflict,
    "PL016": BadCheckpoint,
}


def translated(exc: DatabaseError) -> LedgerError | None:
    """The refusal that ``exc`` stands for, or None when it is not one of the journal's."""
    cause = exc.__cause__
    sqlstate = getattr(cause, "sqlstate", None)
    diagnostics = getattr(cause, "diag", None)
    if sqlstate in BY_SQLSTATE:
        detail = getattr(diagnostics, "message_detail", None)
        extra = json.loads(detail) if detail else {}
        return BY_SQLSTATE[sqlstate](getattr(diagnostics, "message_primary", None) or "", **extra)
    if sqlstate == "23505" and getattr(diagnostics, "constraint_name", None) == "ledger_entry_id_key":
        return DuplicateEntry("an entry with this id exists")
    return None
