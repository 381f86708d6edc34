"""Rounds judged as a whole come to what their entries come to one by one, whatever is wrong with them."""

import random
import uuid
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import fields
from typing import Any

from audit.facts import Fact, Moved
from audit.play import Play
from audit.replayed import Replayed
from audit.resettle import TableCheck
from audit.selectors.days import rule_sets
from audit.selectors.journal import facts
from audit.together import Together
from tables.models import Role
from tables.services import rounds
from tests import floor
from tests.audit import support
from tests.floor import House

RuleSets = Callable[..., Any]
ODD: tuple[Any, ...] = (None, True, 0, 1, -1, 1.0, 2**60, 500, "", "XX", "5S", "1", [], {})
BESIDES: tuple[dict[str, Any], ...] = (
    {"cash_in": {"1": {"player": None, "amount": 500}}},
    {"openings": [{"position": 0, "card": "5S", "salt": "00"}]},
    {"stint": "1", "dealer": None},
    {"second": "1", "note": ""},
)
FIELDS = ("round", "state", "session", "shoe", "number", "players", "rules", "engine", "dealer", "actions")


def drawn(house: House) -> list[Fact]:
    """The entries of a session whose cards are drawn and opened."""
    table, session = floor.ready_table(house, "rd-2")
    for _ in range(4):
        floor.play_round(house, table, {1: 1000, 2: 2500})
    support.new_shoe(house, table)
    floor.play_round(house, table, {2: 2500})
    support.close(house, table, session)
    return list(facts(table.stream, 1))


def scanned(house: House) -> list[Fact]:
    """The entries of a session with rounds of every outcome, one of them with a bet for the dealers."""
    table, session = support.open_scanned(house)
    support.play_with_raise(house, table, support.WIN, {1: 1000})
    support.play_with_raise(house, table, support.LOSE, {2: 500})
    floor.play_round(house, table, {1: 1000}, support.PUSH)
    begun = rounds.round_start(
        table_id=table.id, bets={1: 1000}, tokes={1: 500}, command=house.command(Role.DEALER)
    )
    round_id = uuid.UUID(begun.body["round"]["id"])
    rounds.round_deal(round_id=round_id, cards=support.PUSH, number=2, command=house.command(Role.DEALER))
    floor.play_round(house, table, {1: 1000, 2: 2500}, support.TRIPS)
    support.play_with_raise(house, table, support.WIN, {})
    support.new_shoe(house, table)
    floor.play_round(house, table, {1: 1000, 2: 2500}, support.LOSE)
    floor.play_round(house, table, {2: 2500}, support.PUSH)
    support.close(house, table, session)
    return list(facts(table.stream, 1))


def judged(entries: Sequence[Fact], rule_set: RuleSets, *, whole: bool) -> tuple[list[Any], int]:
    """All that is found, every round and every piece; and how many rounds were judged as a whole."""
    said: list[Any] = []
    wholes: list[Replayed] = []
    play = Play(said.append)

    def played(replayed: Replayed) -> None:
        said.append(came_to(replayed))
        if replayed.won is not None:
            wholes.append(replayed)
        play.played(replayed)

    check = TableCheck(stream="table:1", rule_set=rule_set, report=said.append, played=played)
    together = Together(check, played, play.see)
    for fact in entries:
        if whole:
            together.see(fact)
        else:
            check.see(fact)
            play.see(fact)
    together.flush()
    check.finish()
    return [*said, play.through], len(wholes)


def came_to(replayed: Replayed) -> list[Any]:
    """All of a round but how it was judged."""
    how = ("lay", "before", "won")
    said = [getattr(replayed, each.name) for each in fields(replayed) if each.name not in how]
    return [*said, replayed.given_cards, replayed.theory, replayed.handle, replayed.status]


Forge = Callable[[list[Fact], int, random.Random], None]
"""Changes the entries at a number, which is one of a round's."""


def said_otherwise(entries: list[Fact], at: int, chance: random.Random) -> None:
    entries[at].payload[chance.choice(FIELDS)] = chance.choice(ODD)


def said_besides(entries: list[Fact], at: int, chance: random.Random) -> None:
    entries[at].payload.update(chance.choice(BESIDES))


def named_otherwise(entries: list[Fact], at: int, chance: random.Random) -> None:
    name = chance.choice(("round", "session", "shoe"))
    entries[at].payload[name] = str(entries[at].payload.get(name)).upper()


def action_otherwise(entries: list[Fact], at: int, chance: random.Random) -> None:
    action = chance.choice(entries[at].payload["actions"])
    action[chance.choice(sorted(action))] = chance.choice(ODD)


def action_more(entries: list[Fact], at: int, chance: random.Random) -> None:
    actions = entries[at].payload["actions"]
    more = {"type": "void", "reason": "other"}, {"type": "settle"}, {"type": "deal", "card": "8S"}, actions[0]
    actions.insert(chance.randrange(len(actions) + 1), chance.choice(more))


def action_fewer(entries: list[Fact], at: int, chance: random.Random) -> None:
    actions = entries[at].payload["actions"]
    actions.remove(chance.choice(actions))


def moved_otherwise(entries: list[Fact], at: int, chance: random.Random) -> None:
    more = Moved(*chance.choice([("tray", "seat:1", 100), ("seat:1", "wager:1", 1000)]))
    moves = entries[at].moves
    entries[at] = entries[at]._replace(moves=moves[1:] if moves and chance.random() < 0.5 else (more, *moves))


def misplaced(entries: list[Fact], at: int, chance: random.Random) -> None:
    entries[at - 1 : at + 1] = [entries[at], entries[at - 1]]


def missing(entries: list[Fact], at: int, chance: random.Random) -> None:
    del entries[at]


def repeated(entries: list[Fact], at: int, chance: random.Random) -> None:
    entries.insert(at, entries[at])


def at_once(entries: list[Fact], at: int, chance: random.Random) -> None:
    """Two entries as one, which says the bets and the cards."""
    first, then = entries[at - 1], entries[at]
    actions = [*first.payload.get("actions", ()), *then.payload["actions"]]
    said = first.payload | {"actions": actions, "state": then.payload["state"]}
    entries[at - 1 : at + 1] = [first._replace(payload=said, moves=(*first.moves, *then.moves))]


def frozen(entries: list[Fact], at: int, chance: random.Random) -> None:
    entries.insert(at, entries[at]._replace(kind="table.freeze", payload={}, moves=()))


def no_shoe(entries: list[Fact], at: int, chance: random.Random) -> None:
    entries[:] = [fact for fact in entries if not fact.kind.startswith("shoe.")]


FORGED: tuple[Forge, ...] = (
    *(said_otherwise, said_besides, named_otherwise, action_otherwise, action_more, action_fewer),
    *(moved_otherwise, misplaced, missing, repeated, at_once, frozen, no_shoe),
)


def test_whole_rounds_come_to_what_their_entries_do(house: House) -> None:
    # All but the first, by which the rule set becomes known, and the one with a bet for the dealers.
    for entries, plain in ((scanned(house), 6), (drawn(house), 4)):
        one_by_one, none = judged(entries, rule_sets(), whole=False)
        together, wholes = judged(entries, rule_sets(), whole=True)
        assert together == one_by_one
        assert (none, wholes) == (0, plain)


def test_whatever_is_wrong_with_a_round_is_found_in_either_way(house: House) -> None:
    """Whatever a check says of a round's entry, it says where whole rounds are judged."""
    evenings, rule_set = (scanned(house), drawn(house)), rule_sets()
    honest = [judged(entries, rule_set, whole=False)[0] for entries in evenings]
    found = 0
    for number in range(10 * len(FORGED)):
        entries = evenings[number % 2]
        chance, forged = random.Random(number), list(entries)
        at = chance.choice([at for at, fact in enumerate(entries) if fact.kind.startswith("round.")])
        forged[at] = entries[at]._replace(payload=deepcopy(entries[at].payload))
        FORGED[number // 2 % len(FORGED)](forged, at, chance)
        one_by_one, _ = judged(forged, rule_set, whole=False)
        assert judged(forged, rule_set, whole=True)[0] == one_by_one, number
        found += one_by_one not in honest
    assert found > 6 * len(FORGED)
