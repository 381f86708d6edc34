"""Second signatures given beforehand, at a device of the signer's own.

An approval is for one act on one subject as it stands at that moment (the row the act will lock has an
action counter; whatever happens there ends the approval), good once and for five minutes.
"""

import uuid
from datetime import timedelta

from django.db.models import Q
from django.utils import timezone

from config.errors import DomainError
from ledger.models import Entry
from ledger.services import Posted
from tables.jurisdiction.catalogue import APPROVED, AT_CAGE
from tables.models import (
    Approval,
    Cage,
    Casino,
    DropBox,
    Player,
    Round,
    Slip,
    Staff,
    Table,
    TableSession,
)
from tables.services.command import Answer, Command, Effect, execute
from tables.services.locks import lock_office, not_found
from tables.services.signatures import Badge, identify, second_of

OPERATION = "approval.give"
LIFETIME = timedelta(minutes=5)
OF_TABLE = "table:"
# By the row the act locks; all others lock a table's.
OF_OFFICE = frozenset({"day.close", "office.profile", "person.erase"})
OF_CAGE = frozenset(
    {
        *("cage.commission", "cage.credit_limit", "promo.stock", "fill.issue", "slip.enter"),
        *AT_CAGE.values(),
    }
)
NAMED = {at_cage: act for act, at_cage in AT_CAGE.items()}  # as the profiles name it


def approval_give(
    *, casino_id: uuid.UUID, act: str, subject: uuid.UUID, badge: Badge, command: Command
) -> Answer:
    """Sign an act beforehand, as its second person, at the device one is signed in at.

    Args:
        act: the operation that is signed, as the profiles name it; of a slip's at the cage, as it is there.
        subject: what it is on: a round, a session, an entry, a table, a slip, a box, a player; the casino
            itself for other acts of the cage and the office.
        badge: the giver's, with their PIN, typed now.

    Raises:
        DomainError: `unknown_act` (422); `subject_not_found` (404); `approval_not_yours` (403) when
            somebody else is signed in here; `may_not_countersign` (403); and those of `identify`.
    """

    def work(casino: Casino) -> Effect:
        if act not in APPROVED:
            raise DomainError("unknown_act", f"No profile knows a second under {act}.", status=422)
        version = _version(casino, act, subject)
        person = identify(badge, casino_id=casino_id)
        if person.id != command.actor.staff_id:
            raise DomainError("approval_not_yours", "Only who is signed in here can approve.", status=403)
        second_of(person, NAMED.get(act, act))
        now = timezone.now()
        approval = Approval(
            casino=casino,
            act=act,
            subject=subject,
            version=version,
            given_by=person,
            terminal_id=command.actor.terminal_id,
            address=command.actor.address,
            given_at=now,
            expires_at=now + LIFETIME,
        )
        said = {
            "approval": str(approval.id),
            "act": act,
            "subject": str(subject),
            "subject_version": version,
            "expires_at": approval.expires_at.isoformat(),
        }

        def write(posted: Posted) -> None:
            approval.save(force_insert=True)

        return Effect(kind=OPERATION, payload=said, write=write, body=lambda: said, status=201)

    request = {"act": act, "subject": str(subject), "badge": badge.number}
    return execute(OPERATION, command, request, lock_office, casino_id, work)


def _version(casino: Casino, act: str, subject: uuid.UUID) -> int:
    """The action counter of the row an act on this subject locks, the office's once the approval is given."""
    if act in OF_OFFICE and _is_known(casino, subject):
        return casino.version + 1
    if act in OF_CAGE and _is_known(casino, subject):
        return Cage.objects.get(pk=casino.id).version
    at_table = Q(id=subject)
    for kind in (Round, TableSession, Slip, DropBox):
        at_table |= Q(id__in=kind.objects.filter(id=subject).values("table"))
    entry = Entry.objects.select_related("stream").filter(id=subject).first()
    if entry is not None and entry.stream.name.startswith(OF_TABLE):
        at_table = Q(id=entry.stream.name.removeprefix(OF_TABLE))
    version = Table.objects.filter(at_table, casino=casino).values_list("version", flat=True).first()
    if version is None:
        raise not_found("subject")
    return version


def _is_known(casino: Casino, subject: uuid.UUID) -> bool:
    """Whether an act of the cage or the office can be on this: the house, or somebody or a slip of it."""
    of_house = {"id": subject, "casino": casino}
    kinds = (Player, Staff, Slip, Table)
    return subject == casino.id or any(kind.objects.filter(**of_house).exists() for kind in kinds)
