"""A round's rows in plain Python, from Django's rows: what the one select must give, said another way."""

import uuid
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from audit.exports.filters import ANY_ALERT, RoundFilter
from audit.models import Finding
from tables.figures import shift_of
from tables.models import Round

IN_THE_CARD_ROOM = ("ante", "forfeit", "mispaid", "share", "fee")
OF_A_SEAT = (
    *("seat", "player", "bet", "raise", "toke", "promo", "money", "tipped", "paid", "net"),
    *("corrected_paid", "corrected_net", "corrected_tipped"),
    *("hand", "turn", "shown", *IN_THE_CARD_ROOM),
)
SAME = ("pit", "table", "shift", "dealer", "seat", "outcome")
Row = dict[str, Any]


def all_rows(casino: uuid.UUID) -> Iterator[tuple[Round, Row]]:
    """Every row of a casino with its round, in the order of the play."""
    found = Round.objects.filter(table__casino_id=casino)
    related = found.select_related("table__casino", "table__pit", "session", "shoe", "rules", "dealer")
    ordered = sorted(
        related,
        key=lambda one: (one.session.gaming_day, one.table.code.encode(), one.session.number, one.number),
    )
    for played in ordered:
        for row in _rows(played):
            yield played, row


def is_wanted(wanted: RoundFilter, played: Round, row: Row) -> bool:
    """Whether a filter chooses the row."""
    day, findings = played.session.gaming_day, Finding.objects.filter(round_id=played.id)
    stake = None if row["bet"] is None else row["bet"] + (row["raise"] or 0)
    asked: dict[str, Callable[[Any], bool]] = {
        "gaming_day_from": lambda first: day >= first,
        "gaming_day_to": lambda last: day <= last,
        "session": lambda session: played.session_id == session,
        "player": lambda player: row["player"] == str(player),
        "stake_min": lambda least: stake is not None and stake >= least,
        "stake_max": lambda most: stake is not None and stake <= most,
        "alert": lambda code: (findings if code == ANY_ALERT else findings.filter(code=code)).exists(),
    }
    values = {name: getattr(wanted, name) for name in (*asked, *SAME) if getattr(wanted, name) is not None}
    return all(asked[name](value) if name in asked else row[name] == value for name, value in values.items())


def _rows(played: Round) -> Iterator[Row]:
    common = _common(played)
    seats = list(_seats(played) if "bets" in played.state else _card_room_seats(played))
    for row in seats or [{}]:
        yield common | dict.fromkeys(OF_A_SEAT) | row


def _seats(played: Round) -> Iterator[Row]:
    state = played.state
    corrected = (played.corrected_state or {}).get("results", {})
    for seat, bet in _by_number(state["bets"]):
        result = state["results"].get(seat, {})
        yield {
            "seat": int(seat),
            "player": played.players.get(seat),
            "bet": bet,
            "raise": state["raises"].get(seat, 0),
            "toke": state.get("tokes", {}).get(seat, 0),
            "promo": state.get("promos", {}).get(seat, 0),
            "money": state.get("money", {}).get(seat, 0) + state.get("money_raises", {}).get(seat, 0),
            "tipped": _of_the_dealers(state.get("tokes", {}), state["results"], seat),
            "paid": result.get("paid"),
            "net": result.get("net"),
            "corrected_paid": corrected.get(seat, {}).get("paid"),
            "corrected_net": corrected.get(seat, {}).get("net"),
            "corrected_tipped": _of_the_dealers(state.get("tokes", {}), corrected, seat),
        }


def _of_the_dealers(tokes: Mapping[str, int], results: Mapping[str, Any], seat: str) -> int | None:
    """What all of the round's toke bets won, where the first of them lay."""
    first = [number for number, _ in _by_number(tokes)][:1]
    if seat not in results:
        return None
    won: int = results["0"]["paid"] if [seat] == first else 0
    return won


def _card_room_seats(played: Round) -> Iterator[Row]:
    state = played.state
    for seat, result in _by_number(state["results"]):
        yield {
            "seat": int(seat),
            "player": played.players.get(seat),
            "bet": result["bet"],
            "paid": result["won"],
            "net": None if state["outcome"] is None else result["net"],
            "hand": state["hands"].get(seat),
            "turn": result["end"],
            "shown": " ".join(state["shown"].get(seat, ())),
            **{name: result[name] for name in IN_THE_CARD_ROOM},
        }


def _by_number(by_seat: Mapping[str, Any]) -> list[tuple[str, Any]]:
    return sorted(by_seat.items(), key=lambda item: int(item[0]))


def _common(played: Round) -> Row:
    state, casino, corrected = played.state, played.table.casino, played.corrected_state
    return {
        "gaming_day": played.session.gaming_day.isoformat(),
        "casino": casino.code,
        "pit": played.table.pit.code,
        "table": played.table.code,
        "session": played.session.number,
        "shift": shift_of(played.started_at, casino.time_zone, casino.rollover_hour),
        "round": played.number,
        "round_id": str(played.id),
        "started_at": _moment(played.started_at),
        "ended_at": _moment(played.ended_at),
        "status": "interrupted" if played.table.frozen and not played.ended_at else str(played.status),
        "game": played.game,
        "engine_version": played.engine_version,
        "rule_set": played.rules.name,
        "rule_set_version": played.rules.version,
        "rule_set_id": str(played.rules_id),
        "shoe": played.shoe.number,
        "packs": played.shoe.packs,
        "card_source": str(played.shoe.source),
        "dealer": played.dealer.badge,
        "dealing_seat": state.get("dealer"),
        "carried": state.get("carried") if "pool" in state else None,
        "left": state.get("pool", state.get("bank")),
        "cards": " ".join(state["cards"]),
        "burnt": " ".join(state["burnt"]),
        "spread": state.get("spread"),
        "announced": state.get("announced"),
        "misannounced": state.get("misannounced"),
        "raises_returned": state.get("raise_test_excluded"),
        "outcome": state["outcome"],
        "void_reason": state["void_reason"],
        "corrected_seq": played.corrected_seq,
        "cancelled_seq": played.cancelled_seq,
        "corrected_cards": " ".join(corrected["cards"]) if corrected else None,
        "corrected_outcome": corrected["outcome"] if corrected else None,
        "currency": casino.currency,
        "first_seq": played.first_seq,
        "last_seq": played.last_seq,
    }


def _moment(moment: datetime | None) -> str | None:
    if moment is None:
        return None
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
