"""Office work: casinos, pits, players, rule sets and tables, each act an entry in the office's stream.

Opening a casino or a table also opens journal streams. Each stream is its own transaction (an entry
never shares one with another stream's), made before the row that needs it, with ids derived from the
command's, so that a process killed half-way is simply run again.
"""

import re
import uuid
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.db import transaction
from django.utils import timezone

from config.errors import DomainError
from ledger import SYSTEM_ACTOR
from ledger.errors import AccountExists, DuplicateCommand, StreamExists
from ledger.services import AccountSpec, open_accounts, open_stream, post
from tables.engine.contract import IllegalAction
from tables.engine.registry import digest, game
from tables.figures import gaming_day, rollover_is_safe
from tables.jurisdiction.catalogue import DEFAULT, term
from tables.models import Cage, CardSource, Casino, Pit, Player, Role, RuleSet, Seat, Table
from tables.selectors.views import is_card_room
from tables.services.command import Actor, Answer, Command, Effect, execute
from tables.services.counts import MAX_VALUE
from tables.services.jurisdiction import newest_profile
from tables.services.locks import lock_office, not_found
from tables.services.people import keyed
from tables.services.permissions import require

YEARS_CHECKED = 30
CASINO_CODE, CURRENCY = re.compile(r"[-a-zA-Z0-9_]{1,20}"), re.compile(r"[A-Z]{3}")  # a code is part of paths
LONGEST_NAME = 100


def casino_create(
    *,
    code: str,
    name: str,
    currency: str,
    time_zone: str,
    rollover_hour: int,
    denominations: Sequence[int],
    profile: str = DEFAULT,
    command: Command,
) -> Casino:
    """Open a casino with its office and its cage. The first act of all: a repetition finds it done.

    Args:
        rollover_hour: local hour at which a gaming day begins; it must exist once on every day.
        denominations: values of the house's chips in minor units.
        profile: name of the jurisdiction profile it plays by, in the newest version.

    Raises:
        DomainError: what `_check_words` and `_check_house` refuse, `unknown_profile` (422).
    """
    require("office.casino", command.actor.role, command.actor.terminal_kind)
    _check_words(code, name, currency)
    _check_house(time_zone, rollover_hour, denominations)
    chosen = newest_profile(profile)
    casino = Casino(
        id=uuid.uuid5(command.id, "casino"),
        code=code,
        name=name,
        currency=currency,
        time_zone=time_zone,
        rollover_hour=rollover_hour,
        denominations=sorted(set(denominations)),
        profiles=[term(chosen, gaming_day(timezone.now(), time_zone, rollover_hour))],
        version=1,
    )
    existing = Casino.objects.filter(id=casino.id).first()
    if existing is not None:
        return existing
    _open_stream_once(casino.stream, [], command)
    _open_stream_once(casino.cage_stream, _cage_accounts(casino), command)
    with transaction.atomic():
        post(
            stream=casino.stream,
            kind="casino.open",
            payload={
                "casino": str(casino.id),
                "currency": currency,
                "time_zone": time_zone,
                "rollover_hour": rollover_hour,
                "denominations": casino.denominations,
                "profile": {"digest": chosen.digest, **casino.profiles[0]},
            },
            actor=command.actor.staff_id,
            command_id=uuid.uuid5(command.id, "casino.open"),
        )
        casino.save(force_insert=True)
        Cage.objects.create(casino=casino)
    return casino


def _check_words(code: str, name: str, currency: str) -> None:
    """Before any stream is opened, for those stay when the row cannot be made."""
    if not CASINO_CODE.fullmatch(code) or not 1 <= len(name) <= LONGEST_NAME:
        detail = "A casino's code is up to 20 letters, digits, - and _; its name up to 100 characters."
        raise DomainError("bad_casino_name", detail, status=422)
    if not CURRENCY.fullmatch(currency):
        raise DomainError("bad_currency", "A currency is three capital letters, like USD.", status=422)


def _check_house(time_zone: str, rollover_hour: int, denominations: Sequence[int]) -> None:
    try:
        ZoneInfo(time_zone)
    except (ZoneInfoNotFoundError, ValueError):
        raise DomainError("bad_time_zone", f"No time zone {time_zone}.", status=422) from None
    today = date.today()
    if not 0 <= rollover_hour <= 23 or not rollover_is_safe(
        time_zone, rollover_hour, range(today.year, today.year + YEARS_CHECKED)
    ):
        raise DomainError(
            "bad_rollover_hour", "The roll-over hour must exist exactly once on every day.", status=422
        )
    if not denominations or any(not 1 <= value <= MAX_VALUE for value in denominations):
        raise DomainError("bad_denominations", "Chips have values above zero.", status=422)


def _cage_accounts(casino: Casino) -> list[AccountSpec]:
    chips, cash = casino.chips_asset, casino.cash_asset
    return [
        AccountSpec("vault", chips, 0),
        AccountSpec("commissioned", chips, None),
        AccountSpec("floor", chips, None),
        AccountSpec("over_short", chips, None),
        AccountSpec("promo:made", casino.promo_asset, None),
        AccountSpec("promo:stock", casino.promo_asset, 0),
        AccountSpec("promo:out", casino.promo_asset, None),
        AccountSpec("cash:drawer", cash, 0),
        AccountSpec("cash:bankroll", cash, None),
        AccountSpec("cash:patrons", cash, None),
    ]


def pit_create(*, casino_id: uuid.UUID, code: str, command: Command) -> Answer:
    """Add a pit.

    Raises:
        DomainError: `pit_code_taken`.
    """

    def work(casino: Casino) -> Effect:
        if Pit.objects.filter(casino=casino, code=code).exists():
            raise DomainError("pit_code_taken", f"There is a pit {code} already.")
        pit = Pit(casino=casino, code=code)
        return _office_effect("pit.create", {"pit": str(pit.id), "code": code}, pit)

    return execute("office.table", command, {"pit": code}, lock_office, casino_id, work)


def player_create(*, casino_id: uuid.UUID, reference: str, description: str, command: Command) -> Answer:
    """Add a known or described player; the journal keeps the id alone.

    Raises:
        DomainError: `player_reference_taken`.
    """

    def work(casino: Casino) -> Effect:
        if reference and Player.objects.filter(casino=casino, reference=reference).exists():
            raise DomainError("player_reference_taken", "There is a player of this reference already.")
        player = Player(casino=casino, reference=reference, description=description)
        return _office_effect("player.create", {"player": str(player.id)}, player)

    request = {"player": keyed(reference), "description": keyed(description)}
    return execute("office.player", command, request, lock_office, casino_id, work)


def rule_set_create(*, casino_id: uuid.UUID, name: str, body: Mapping[str, Any], command: Command) -> Answer:
    """Release the next version of a rule set; once released it never changes.

    Raises:
        DomainError: `unknown_game`, `bad_rules` with the engine's reason, `chip_not_of_house` (422) where the
            least unit of a card-room game cannot be paid in the house's chips.
    """

    def work(casino: Casino) -> Effect:
        if not isinstance(body.get("game"), str):
            raise IllegalAction("bad_rules", "RULES-1", "a rule set names its game")
        rules_of_game = game(body["game"])
        checked = rules_of_game.encode_rules(rules_of_game.decode_rules(dict(body)))
        _check_chip(casino, checked)
        last = RuleSet.objects.filter(casino=casino, name=name).order_by("-version").first()
        rules = RuleSet(
            casino=casino,
            name=name,
            version=last.version + 1 if last else 1,
            game=rules_of_game.name,
            body=checked,
            digest=digest(checked),
        )
        said = {"rules": str(rules.id), "name": name, "version": rules.version, "body": checked}

        def write(posted: Any) -> None:
            rules.created_at = posted.recorded_at
            rules.save(force_insert=True)

        return Effect(kind="rule_set.create", payload=said, write=write, body=lambda: said, status=201)

    request = {"name": name, "body": dict(body)}
    return execute("office.rule_set", command, request, lock_office, casino_id, work)


def _check_chip(casino: Casino, rules: Mapping[str, Any]) -> None:
    """Refuse a card-room game in chips the house has not: no pool could be divided in them."""
    least = min(casino.denominations)
    if "chip" in rules and rules["chip"] % least:
        raise DomainError("chip_not_of_house", f"The house's least chip is worth {least}.", status=422)


def table_create(
    *,
    casino_id: uuid.UUID,
    pit_id: uuid.UUID,
    code: str,
    rules_id: uuid.UUID,
    card_source: CardSource,
    command: Command,
) -> Answer:
    """Put a table on the floor: its journal stream, its boundary account in the cage, its seats.

    Raises:
        DomainError: `pit_not_found`, `rules_not_found`, `table_code_taken`.
    """
    require("office.table", command.actor.role, command.actor.terminal_kind)
    casino = Casino.objects.filter(id=casino_id).first()
    if casino is None:
        raise not_found("casino")
    pit = Pit.objects.filter(id=pit_id, casino=casino).first()
    rules = RuleSet.objects.filter(id=rules_id, casino=casino).first()
    if pit is None or rules is None:
        raise not_found("pit" if pit is None else "rules")
    table = Table(
        id=uuid.uuid5(command.id, "table"),
        casino=casino,
        pit=pit,
        code=code,
        rules=rules,
        card_source=card_source,
    )
    seats = range(1, rules.body["seats"] + 1)
    if not Table.objects.filter(casino=casino, code=code).exclude(id=table.id).exists():
        _open_stream_once(table.stream, _table_accounts(casino, rules, seats), command)
        _open_boundary_once(casino, f"table:{table.id}", command)

    def work(office: Casino) -> Effect:
        if Table.objects.filter(casino=casino, code=code).exists():
            raise DomainError("table_code_taken", f"There is a table {code} already.")

        def write(posted: Any) -> None:
            table.save(force_insert=True)
            Seat.objects.bulk_create(Seat(table=table, number=number) for number in seats)

        said = {
            "table": str(table.id),
            "code": code,
            "pit": str(pit.id),
            "rules": str(rules.id),
            "card_source": str(card_source),
        }
        return Effect(kind="table.create", payload=said, write=write, body=lambda: said, status=201)

    request = {"pit": str(pit_id), "code": code, "rules": str(rules_id), "card_source": str(card_source)}
    return execute("office.table", command, request, lock_office, casino_id, work)


def _table_accounts(casino: Casino, rules: RuleSet, seats: range) -> list[AccountSpec]:
    """The accounts of a table's stream; where players play each other, also their pool and bank."""
    chips, cash = casino.chips_asset, casino.cash_asset
    between_players = ["pool", "bank"] if is_card_room(rules) else []
    of_seats = ("seat", "wager") if between_players else ("seat", "wager", "toke")
    places = ["tray", "toke_box", *between_players]
    places += [f"{place}:{seat}" for seat in seats for place in of_seats]
    return [
        *(AccountSpec(place, chips, 0) for place in places),
        AccountSpec("cage", chips, None),
        AccountSpec("floor", chips, None),
        AccountSpec("over_short", chips, None),
        AccountSpec("disputed", chips, None),
        AccountSpec("count_room", chips, 0),
        *(_promo_accounts(casino, seats) if "toke" in of_seats else []),
        AccountSpec("cash:patrons", cash, None),
        AccountSpec("cash:drop_box", cash, 0),
        AccountSpec("cash:boxes", cash, 0),
        AccountSpec("cash:count_room", cash, None),
        AccountSpec("cash:over_short", cash, None),
    ]


def _promo_accounts(casino: Casino, seats: range) -> list[AccountSpec]:
    """Where promotional pieces lie at a table: with players, at stake, taken in, cancelled."""
    asset = casino.promo_asset
    return [
        AccountSpec("promo", asset, None),
        *(AccountSpec(f"promo_wager:{seat}", asset, 0) for seat in seats),
        AccountSpec("promo_box", asset, 0),
        AccountSpec("promo_cancelled", asset, None),
    ]


def _open_stream_once(name: str, accounts: Sequence[AccountSpec], command: Command) -> None:
    """Open a stream unless this command has done so before."""
    try:
        with transaction.atomic():
            open_stream(
                name=name,
                accounts=accounts,
                actor=command.actor.staff_id,
                command_id=uuid.uuid5(command.id, name),
            )
    except StreamExists:
        return


def _open_boundary_once(casino: Casino, account: str, command: Command) -> None:
    """Open the cage's account facing a table unless this command has done so before."""
    try:
        with transaction.atomic():
            open_accounts(
                stream=casino.cage_stream,
                accounts=[AccountSpec(account, casino.chips_asset, None)],
                actor=command.actor.staff_id,
                command_id=uuid.uuid5(command.id, account),
            )
    except (AccountExists, DuplicateCommand):
        return


def _office_effect(kind: str, said: dict[str, Any], row: Any) -> Effect:
    """The effect of adding one row: the entry says what was added, the answer too."""
    return Effect(
        kind=kind,
        payload=said,
        write=lambda posted: row.save(force_insert=True),
        body=lambda: said,
        status=201,
    )


def system_actor() -> Actor:
    """The system itself, for setting up a casino from the command line, before anybody is employed."""
    return Actor(SYSTEM_ACTOR, Role.ADMINISTRATOR)
