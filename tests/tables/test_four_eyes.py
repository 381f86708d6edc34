"""Four eyes by profile: who may be the second, apart from what, at which device, by which approval."""

import json
import uuid
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone

from audit.models import Finding
from audit.services.resettlement import gaming_day_resettle
from ledger.models import Entry
from tables.models import (
    Approval,
    CardSource,
    Countersignature,
    Role,
    Round,
    Table,
    TableSession,
    Terminal,
)
from tables.services import rounds
from tables.services.approvals import approval_give
from tables.services.command import Actor, Answer, Command
from tables.services.corrections import correction_post
from tables.services.fills import fill_receive
from tables.services.markers import credit_limit_set
from tables.services.promos import promo_stock
from tables.services.rejects import box_reject, tray_reject
from tables.services.signatures import Approved, Second
from tables.services.voids import cage_take_back, cage_void_slip
from tests import floor
from tests.audit import support
from tests.floor import House
from tests.tables.test_cash_reporting import known

pytestmark = pytest.mark.django_db


def open_house(profile: str) -> tuple[House, Table]:
    """A house of that profile with an open table whose cards are scanned."""
    house = floor.make_house(profile=profile)
    floor.stock_cage(house)
    table, _ = floor.ready_table(house, card_source=CardSource.SCANNED)
    table.refresh_from_db()
    return house, table


def begin(house: House, table: Table, cards: Sequence[str] = (), dealer: Role = Role.DEALER) -> uuid.UUID:
    """A round with one bet and these cards; answers its id."""
    begun = rounds.round_start(table_id=table.id, bets={1: 1000}, command=house.command(dealer))
    round_id = uuid.UUID(begun.body["round"]["id"])
    for card in cards:
        rounds.round_deal(round_id=round_id, cards=[card], number=1, command=house.command(dealer))
    return round_id


def void(
    house: House,
    round_id: uuid.UUID,
    second: Second,
    *,
    actor: Role = Role.DEALER,
    terminal: Terminal | None = None,
    command: Command | None = None,
) -> Answer:
    return rounds.round_void(
        round_id=round_id,
        reason="misdeal",
        second=second,
        command=command or house.command(actor, terminal),
    )


def test_who_has_dealt_the_session_does_not_sign_its_voids() -> None:
    """Independent of the dealing: a supervisor who dealt a round of the session is not, the others are."""
    house, table = open_house("generic")
    first = begin(house, table, dealer=Role.SUPERVISOR)
    with floor.refused(house, "not_independent"):
        void(house, first, house.badge(Role.SUPERVISOR))
    void(house, first, house.badge(Role.SURVEILLANCE))
    second = begin(house, table)
    with floor.refused(house, "not_independent"):
        void(house, second, house.badge(Role.SUPERVISOR), actor=Role.PIT_BOSS)
    void(house, second, house.badge(Role.PIT_BOSS))
    assert Round.objects.filter(table=table, status="cancelled").count() == 2


@pytest.mark.parametrize("profile", ["generic", "new_jersey_like"])
def test_the_roles_are_the_profiles(profile: str) -> None:
    """New Jersey-like: the second under a correction is of the pit's management or of surveillance."""
    house = floor.make_house(profile=profile)
    floor.stock_cage(house, second=Role.PIT_BOSS if profile == "generic" else Role.AUDITOR)
    table, _ = floor.ready_table(house)
    mispaid: dict[str, Any] = {"table_id": table.id, "seat": 1, "amount": 500, "direction": "to_seat"}
    mispaid |= {"reason": "mispaid", "command": house.command(Role.PIT_BOSS)}
    supervisor = house.badge(Role.SUPERVISOR)
    if profile == "generic":
        correction_post(**mispaid, second=supervisor)
    else:
        with floor.refused(house, "may_not_countersign"):
            correction_post(**mispaid, second=supervisor)
        correction_post(**mispaid, second=house.badge(Role.SURVEILLANCE))
    assert Countersignature.objects.filter(stream=table.stream, act="correction.post").count() == 1


def test_a_void_after_a_deciding_card_is_always_found() -> None:
    """A void takes a result away once the third card lies: shown each time, however well it was signed."""
    house, table = open_house("generic")
    early = begin(house, table, ("8S", "8H"))
    void(house, early, house.badge(Role.SURVEILLANCE))
    # Trips at 11 to 1 beyond the tray: the third card lies, and the round waits for a fill.
    rounds.round_start(table_id=table.id, bets={1: 100_000, 2: 100_000}, command=house.command(Role.DEALER))
    late = Round.objects.get(table=table, status="in_progress").id
    for card in ("8S", "8H", "8D"):
        rounds.round_deal(round_id=late, cards=[card], number=1, command=house.command(Role.DEALER))
    assert Round.objects.get(id=late).status == "in_progress"
    void(house, late, house.badge(Role.SURVEILLANCE))
    gaming_day_resettle(
        casino_id=house.casino.id, gaming_day=TableSession.objects.get(table=table).gaming_day
    )
    found = Finding.objects.get(casino=house.casino)
    assert (found.code, found.round_id) == ("void_after_decision", late)
    body = found.evidence.get().body
    assert (body["cards"], body["reason"]) == (["8S", "8H", "8D"], ["misdeal"])
    assert body["second"] == str(house.staff[Role.SURVEILLANCE].id)


class Devices:
    """A house of the Ohio-like profile: a table's terminal, and another table's where a second signs."""

    def __init__(self) -> None:
        self.house, self.table = open_house("ohio_like")
        self.desk, _ = floor.enrol(self.house, self.table)
        self.elsewhere, _ = floor.enrol(self.house, floor.make_table(self.house, "rd-2"))

    def approve(self, subject: uuid.UUID, act: str = "round.void", **options: Any) -> Answer:
        """An approval by the pit boss at another table."""
        role = options.pop("role", Role.PIT_BOSS)
        wanted: dict[str, Any] = {
            "badge": self.house.badge(role),
            "command": self.house.command(role, options.pop("terminal", self.elsewhere)),
        }
        return approval_give(casino_id=self.house.casino.id, act=act, subject=subject, **wanted | options)

    def approved(self, subject: uuid.UUID, act: str = "round.void", **options: Any) -> Approved:
        return Approved(uuid.UUID(self.approve(subject, act, **options).body["approval"]))


def test_where_two_devices_are_asked_for_an_approval_from_another_signs() -> None:
    """Ohio-like: badge and PIN at the dealer's own terminal will not do; both devices are kept."""
    at = Devices()
    house, round_id = at.house, begin(at.house, at.table)
    with floor.refused(house, "other_device_needed"):
        void(house, round_id, house.badge(Role.PIT_BOSS), terminal=at.desk)
    here = at.approved(round_id, terminal=at.desk)
    with floor.refused(house, "other_device_needed"):
        void(house, round_id, here, terminal=at.desk)
    approval = at.approved(round_id)
    command = house.command(Role.DEALER, at.desk)
    answer = void(house, round_id, approval, command=command)
    assert answer.body["round"]["status"] == "cancelled"
    signed = Countersignature.objects.get(stream=at.table.stream, act="round.void")
    assert (signed.first_terminal, signed.second_terminal) == (at.desk, at.elsewhere)
    given = Approval.objects.get(id=approval.id)
    assert (signed.approval, signed.second, signed.second_signed_at) == (
        given,
        house.staff[Role.PIT_BOSS],
        given.given_at,
    )
    assert given.used_at == signed.signed_at
    assert void(house, round_id, approval, command=command).replayed, "the retry finds it done"
    said = json.loads(Entry.objects.get(stream__name=house.casino.stream, kind="approval.give",
                                        terminal=at.elsewhere.id).payload)  # fmt: skip
    assert (said["act"], said["subject"]) == ("round.void", str(round_id))


def test_an_approval_is_for_one_act_on_one_subject_once() -> None:
    at = Devices()
    house, first = at.house, begin(at.house, at.table)
    used = at.approved(first)
    void(house, first, used, terminal=at.desk)
    second = begin(house, at.table)

    def refuse(approval: Approved, **options: Any) -> None:
        with floor.refused(house, "approval_refused"):
            void(house, second, approval, terminal=at.desk, **options)

    refuse(used)
    refuse(Approved(uuid.uuid4()))
    refuse(at.approved(at.table.id, "correction.post"))
    refuse(at.approved(first))
    stale = at.approved(second)
    rounds.round_deal(round_id=second, cards=["8S"], number=1, command=house.command(Role.DEALER))
    refuse(stale)
    late = at.approved(second)
    Approval.objects.filter(id=late.id).update(
        given_at=Approval.objects.get(id=late.id).given_at - timedelta(minutes=6),
        expires_at=Approval.objects.get(id=late.id).expires_at - timedelta(minutes=6),
    )
    refuse(late)
    left = at.approved(second)
    house.staff[Role.PIT_BOSS].is_active = False
    house.staff[Role.PIT_BOSS].save(update_fields=["is_active"])
    refuse(left)
    assert Round.objects.get(id=second).status == "in_progress"


def test_an_approval_does_not_make_one_person_two() -> None:
    """The same person is refused, and the database would refuse them too; so is who had a hand in it."""
    at = Devices()
    house, round_id = at.house, begin(at.house, at.table)
    own = at.approved(round_id)
    with floor.refused(house, "same_person_signed"):
        void(house, round_id, own, actor=Role.PIT_BOSS, terminal=at.desk)
    with transaction.atomic(), pytest.raises(IntegrityError):
        Countersignature.objects.create(
            stream=at.table.stream,
            seq=10_000,
            act="round.void",
            first=house.staff[Role.PIT_BOSS],
            second=house.staff[Role.PIT_BOSS],
            signed_at=timezone.now(),
        )
    opener = at.approved(round_id, role=Role.SUPERVISOR)  # who signed the table's opening
    with floor.refused(house, "not_independent"):
        void(house, round_id, opener, terminal=at.desk)


def test_who_may_approve_what() -> None:
    at = Devices()
    house, round_id = at.house, begin(at.house, at.table)
    other_house, at_cage = floor.make_house(), house.casino.id
    cases: list[tuple[str, dict[str, Any]]] = [
        ("unknown_act", {"act": "seat.take"}),
        ("unknown_act", {"act": "staff.create", "subject": at_cage}),  # whom, an approval could not say
        ("subject_not_found", {"subject": uuid.uuid4()}),
        ("approval_not_yours", {"badge": house.badge(Role.SUPERVISOR)}),
        ("badge_or_pin_wrong", {"badge": replace(house.badge(Role.PIT_BOSS), pin="000000")}),
        ("badge_or_pin_wrong", {"badge": other_house.badge(Role.PIT_BOSS)}),
        ("operation_not_allowed", {"role": Role.DEALER}),
        ("may_not_countersign", {"act": "cage.commission", "subject": at_cage, "role": Role.SUPERVISOR}),
    ]
    for code, options in cases:
        subject = options.pop("subject", round_id)
        with floor.refused(house, code):
            at.approve(subject, **options)
    assert not Approval.objects.filter(casino=house.casino).exists()


def test_surveillance_approves_in_the_admin_site() -> None:
    """The page asks for the act, what it is on, and the PIN; the approval it shows is good at the table."""
    at = Devices()
    house, round_id = at.house, begin(at.house, at.table)
    browser = Client()
    browser.force_login(house.staff[Role.SURVEILLANCE], backend="django.contrib.auth.backends.ModelBackend")
    address = "/admin/tables/approval/give/"
    assert 'value="round.void"' in browser.get(address).text
    sent = {"command_id": str(uuid.uuid4()), "act": "round.void", "subject": str(round_id)}
    assert "do not belong together" in browser.post(address, sent | {"pin": "000000"}).text
    assert not Approval.objects.filter(casino=house.casino).exists()
    page = browser.post(address, sent | {"command_id": str(uuid.uuid4()), "pin": floor.PIN}).text
    approval = Approval.objects.get(casino=house.casino)
    assert (approval.given_by, approval.terminal) == (house.staff[Role.SURVEILLANCE], None)
    assert str(approval.id) in page
    void(house, round_id, Approved(approval.id), terminal=at.desk)
    browser.force_login(house.staff[Role.ADMINISTRATOR], backend="django.contrib.auth.backends.ModelBackend")
    assert browser.get(address).status_code == 403


def test_a_signature_at_one_terminal_says_so() -> None:
    """Generic: two may sign at one terminal, and it is on record, for whoever looks for patterns."""
    house, table = open_house("generic")
    terminal, _ = floor.enrol(house, table)
    void(house, begin(house, table), house.badge(Role.SURVEILLANCE), terminal=terminal)
    signed = Countersignature.objects.get(stream=table.stream, act="round.void")
    assert (signed.first_terminal, signed.second_terminal) == (terminal, terminal)
    assert signed.second_signed_at == signed.signed_at
    desk = Countersignature.objects.get(stream=table.stream, act="session.open")
    assert (desk.first_terminal, desk.second_terminal) == (None, None)


def test_an_approval_is_for_slips_boxes_players_and_stocks_too() -> None:
    """Whatever two sign may be approved: on what it is on, by the row it locks; and is used up by it."""
    house = floor.make_house(profile="generic_markers")
    floor.stock_cage(house)
    table, session = floor.ready_table(house)

    def approved(act: str, subject: uuid.UUID) -> Approved:
        actor = Actor(house.staff[Role.PIT_BOSS].id, Role.PIT_BOSS)
        given = approval_give(
            casino_id=house.casino.id,
            act=act,
            subject=subject,
            badge=house.badge(Role.PIT_BOSS),
            command=Command(uuid.uuid4(), actor),
        )
        return Approved(uuid.UUID(given.body["approval"]))

    dealer, cashier, casino = house.command, house.command, house.casino.id
    chips, slip = {"100": 5}, floor.send_fill(house, table, {"100": 5})
    fill_receive(
        table_id=table.id,
        slip_id=slip,
        chips=chips,
        second=approved("fill.receive", slip),
        command=dealer(Role.DEALER),
    )
    slip = floor.send_fill(house, table, chips)
    void_there: dict[str, Any] = {"casino_id": casino, "slip_id": slip, "reason": "not wanted"}
    at_the_table = approved("slip.void", slip)
    with floor.refused(house, "approval_refused"):
        cage_void_slip(**void_there, second=at_the_table, command=cashier(Role.CAGE))
    cage_void_slip(**void_there, second=approved("cage.void_slip", slip), command=cashier(Role.CAGE))
    back: dict[str, Any] = {"casino_id": casino, "slip_id": slip, "chips": chips}
    cage_take_back(**back, second=approved("cage.take_back", slip), command=cashier(Role.CAGE))
    signed = Countersignature.objects.filter(stream=house.casino.cage_stream).order_by("-seq")[:2]
    assert [each.act for each in signed] == ["slip.take_back", "slip.void"], "as the profile names it"
    found: dict[str, Any] = {"kind": "foreign", "pieces": {"100": 1}, "note": "red"}
    tray_reject(
        table_id=table.id,
        second=approved("chips.reject", table.id),
        command=dealer(Role.DEALER),
        **found,
    )
    support.close(house, table, session)
    box = floor.remove_box(house, session)
    box_reject(box_id=box, second=approved("chips.reject", box), command=cashier(Role.CAGE), **found)
    stocked = approved("promo.stock", casino)
    promo_stock(casino_id=casino, pieces={"500": 2}, second=stocked, command=cashier(Role.CAGE))
    player = known(house)
    limit: dict[str, Any] = {"casino_id": casino, "player_id": player, "limit": 500, "reason": "application"}
    credit_limit_set(**limit, second=approved("cage.credit_limit", player), command=cashier(Role.CAGE))
    assert Approval.objects.get(casino=casino, used_at=None).id == at_the_table.id
    with floor.refused(house, "approval_refused"):
        credit_limit_set(**limit | {"limit": 600}, second=stocked, command=cashier(Role.CAGE))
    with floor.refused(house, "subject_not_found"):
        approved("cage.credit_limit", uuid.uuid4())
