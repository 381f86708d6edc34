"""Terminals: enrolled once with a code, then carrying a credential; people sign in on top.

A credential is `<terminal id>.<secret>`; the database keeps a keyed hash (HMAC-SHA-256) of the secret,
the key (pepper) stands outside it, so a copy of the database opens nothing.
"""

import hashlib
import hmac
import ipaddress
import secrets
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from config import env
from config.errors import DomainError
from tables.models import Casino, Refusal, SignIn, Staff, Table, Terminal, TerminalKind
from tables.selectors.jurisdiction import profile_now
from tables.selectors.written import Written
from tables.services.command import Actor, Answer, Command, Effect, execute
from tables.services.locks import lock_office, not_found
from tables.services.permissions import CASHIER, DEALING
from tables.services.signatures import Badge, identify

CODE_LIFETIME = timedelta(hours=1)
CREDENTIAL_LIFETIME = timedelta(days=90)
# A credential's last input is written at most this often; a session may lock this much too early.
INPUT_GRAIN = timedelta(seconds=15)
MAY_SIGN_IN = {TerminalKind.TABLE: DEALING, TerminalKind.CAGE: CASHIER}
_TERMINAL = uuid.UUID(int=1)
_SIGNED_IN = Written(
    lambda: SignIn.objects.select_related("staff", "terminal__casino").filter(
        terminal_id=_TERMINAL, ended_at=None
    ),
    _TERMINAL,
)


def keyed_hash(secret: str) -> bytes:
    """HMAC-SHA-256 of a terminal's secret or enrolment code under the pepper (32 bytes)."""
    return hmac.new(env.secret("terminal_pepper").encode(), secret.encode(), hashlib.sha256).digest()


def terminal_register(
    *,
    casino_id: uuid.UUID,
    table_id: uuid.UUID | None,
    name: str,
    networks: Sequence[str] = (),
    command: Command,
) -> tuple[Answer, str]:
    """Prepare a terminal (a table's, or the cage's when `table_id` is None) and its one-time code.

    The code is in no answer that is stored, so a retry of the command cannot learn it: it is returned
    beside the answer, once, and empty on a replay.

    Raises:
        DomainError: `table_not_found`, `bad_network` (422).
    """
    code = secrets.token_hex(8)

    def work(casino: Casino) -> Effect:
        if table_id and not Table.objects.filter(id=table_id, casino_id=casino_id).exists():
            raise not_found("table")
        terminal = Terminal(
            casino_id=casino_id,
            table_id=table_id,
            kind=TerminalKind.TABLE if table_id else TerminalKind.CAGE,
            name=name,
            networks=[_network(network) for network in networks],
            code_hash=keyed_hash(code),
            code_expires_at=timezone.now() + CODE_LIFETIME,
            expires_at=timezone.now() + CREDENTIAL_LIFETIME,
        )
        summary = {"terminal": str(terminal.id), "kind": str(terminal.kind), "name": name}
        return Effect(
            kind="terminal.register",
            payload=summary | {"table": str(table_id) if table_id else None, "networks": list(networks)},
            write=lambda posted: terminal.save(force_insert=True),
            body=lambda: summary,
            status=201,
        )

    request = {"table": str(table_id), "name": name, "networks": list(networks)}
    answer = execute("office.terminal", command, request, lock_office, casino_id, work)
    return answer, "" if answer.replayed else code


def terminal_revoke(*, casino_id: uuid.UUID, terminal_id: uuid.UUID, reason: str, command: Command) -> Answer:
    """End a terminal's credential now; its history stays."""

    def work(casino: Casino) -> Effect:
        terminal = Terminal.objects.filter(id=terminal_id, casino_id=casino_id).first()
        if terminal is None:
            raise not_found("terminal")
        if terminal.revoked_at:
            raise DomainError("terminal_revoked", "This terminal was revoked before.")

        def write(posted: Any) -> None:
            terminal.revoked_at = posted.recorded_at
            terminal.save(update_fields=["revoked_at"])

        return Effect(
            kind="terminal.revoke",
            payload={"terminal": str(terminal_id), "reason": reason},
            write=write,
            body=lambda: {"terminal": str(terminal_id), "revoked": True},
        )

    request = {"terminal": str(terminal_id), "reason": reason}
    return execute("office.terminal", command, request, lock_office, casino_id, work)


def _network(text: str) -> str:
    try:
        return str(ipaddress.ip_network(text))
    except ValueError:
        raise DomainError("bad_network", f"Not a network: {text}", status=422) from None


@dataclass(frozen=True, slots=True)
class Enrolment:
    """What a terminal gets for its code, once: its identity and the credential it carries from then on."""

    terminal: Terminal
    credential: str


def terminal_enrol(*, code: str) -> Enrolment:
    """Trade a one-time code for a credential.

    Raises:
        DomainError: `enrolment_code_refused` (403): unknown, used or too old, without saying which.
    """
    now = timezone.now()
    secret = secrets.token_urlsafe(32)
    with transaction.atomic():
        terminal = (
            Terminal.objects.select_for_update()
            .filter(code_hash=keyed_hash(code), code_expires_at__gt=now, revoked_at=None, expires_at__gt=now)
            .first()
        )
        if terminal is None:
            raise DomainError("enrolment_code_refused", "This code is not good (any more).", status=403)
        terminal.code_hash, terminal.code_expires_at = None, None
        terminal.secret_hash, terminal.enrolled_at = keyed_hash(secret), now
        terminal.save(update_fields=["code_hash", "code_expires_at", "secret_hash", "enrolled_at"])
    return Enrolment(terminal, f"{terminal.id}.{secret}")


def sign_in(*, terminal: Terminal, badge: Badge) -> SignIn:
    """Sign a person in at a terminal; whoever was signed in there before is signed out.

    Raises:
        DomainError: those of `identify`; `may_not_sign_in` (403) for a role with no business there. Each
            is recorded: five wrong PINs lock a badge.
    """
    with transaction.atomic():
        staff = _judged(terminal, badge)
    if isinstance(staff, DomainError):
        raise staff
    now = timezone.now()
    try:
        with transaction.atomic():
            SignIn.objects.filter(terminal=terminal, ended_at=None).update(ended_at=now)
            return SignIn.objects.create(terminal=terminal, staff=staff, started_at=now, last_input_at=now)
    except IntegrityError:
        raise DomainError("sign_in_raced", "Somebody else is signing in here right now.") from None


def _judged(terminal: Terminal, badge: Badge) -> Staff | DomainError:
    """Who may sign in, or the refusal, recorded before the next guess at the same badge is judged."""
    try:
        return _entitled(terminal, badge)
    except DomainError as refusal:
        Refusal.objects.create(
            operation="terminal.sign_in",
            code=refusal.code,
            detail=refusal.detail,
            badge=badge.number,
            terminal_id=terminal.id,
        )
        return refusal


def _entitled(terminal: Terminal, badge: Badge) -> Staff:
    staff = identify(badge, casino_id=terminal.casino_id)
    if staff.role not in MAY_SIGN_IN[TerminalKind(terminal.kind)]:
        raise DomainError("may_not_sign_in", f"The role {staff.role} has no business here.", status=403)
    return staff


def sign_out(*, terminal: Terminal) -> SignIn | None:
    """End whatever sign-in the terminal has; answers it, None where there was none."""
    current = SignIn.objects.select_related("staff", "terminal").filter(terminal=terminal, ended_at=None)
    ended = current.first()
    current.update(ended_at=timezone.now())
    return ended


def authenticate(*, credential: str, address: str) -> Terminal:
    """The terminal a credential belongs to.

    Args:
        credential: `<terminal id>.<secret>`.
        address: the client's IP address.

    Raises:
        DomainError: `credential_refused` (401), whatever is wrong with it.
    """
    identity, _, secret = credential.partition(".")
    refused = DomainError("credential_refused", "The terminal's credential is not good.", status=401)
    try:
        terminal_id = uuid.UUID(identity)
    except ValueError:
        raise refused from None
    terminal = Terminal.objects.filter(id=terminal_id).first()
    if terminal is None or terminal.secret_hash is None:
        raise refused
    if not hmac.compare_digest(bytes(terminal.secret_hash), keyed_hash(secret)):
        raise refused
    if terminal.revoked_at or terminal.expires_at <= timezone.now() or not _reachable(terminal, address):
        raise refused
    return terminal


def _reachable(terminal: Terminal, address: str) -> bool:
    if not terminal.networks:
        return True
    try:
        client = ipaddress.ip_address(address)
    except ValueError:
        return False
    return any(client in ipaddress.ip_network(network) for network in terminal.networks)


def current_actor(*, terminal: Terminal, is_input: bool) -> Actor:
    """Who is signed in at a terminal.

    Args:
        is_input: whether a person did something just now; a screen that refreshes itself is none, and
            must not keep the terminal from locking.

    Raises:
        DomainError: `not_signed_in` (403); `session_locked` (403) after as long without input as the
            profile in force allows.
    """
    now = timezone.now()
    current = _SIGNED_IN.get(terminal.id)
    if current is None or not current.staff.is_active:
        raise DomainError("not_signed_in", "Nobody is signed in at this terminal.", status=403)
    if now > idle_since(current):
        raise DomainError("session_locked", "Locked without input for too long; sign in again.", status=403)
    if is_input and now - current.last_input_at > INPUT_GRAIN:
        SignIn.objects.filter(id=current.id).update(last_input_at=now)
    return actor_at(terminal, current.staff)


def actor_at(terminal: Terminal, staff: Staff) -> Actor:
    """The actor of a person at a terminal."""
    return Actor(staff.id, staff.role, terminal.id, terminal.kind, terminal.casino_id, terminal.table_id)


def idle_since(sign_in: SignIn) -> datetime:
    """When a sign-in locks by itself unless there is input before."""
    limit = profile_now(sign_in.terminal.casino).session_lock_seconds
    return sign_in.last_input_at + timedelta(seconds=limit)
