"""Records left out, added, swapped and doubled by whoever can sign the manifest again: found, and named."""

import random
from collections.abc import Callable, Iterator, Sequence

import pytest

from audit.verify.manifest import MEMBERS
from tests.audit.verify.made import Made, members_of, packed, records_of, resigned

Pieces = list[bytes]


def of_records(member: bytes) -> Pieces:
    """Records as pieces."""
    return records_of(member)


def of_size(size: int) -> Callable[[bytes], Pieces]:
    """Pieces of one size."""
    return lambda member: [member[at : at + size] for at in range(0, len(member), size)]


def of_lines(member: bytes) -> Pieces:
    """Lines as pieces."""
    return member.splitlines(keepends=True)


SPLIT = {
    "entries": of_records,
    "cited": of_records,
    "leaves": of_size(40),
    "nodes": of_size(32),
    "consistency.jsonl": of_lines,
    "keys": of_lines,
}


def rearranged(pieces: Pieces, choice: random.Random) -> Iterator[tuple[str, Pieces]]:
    """Each piece left out, some doubled, some swapped with another, one of its own kind added."""
    for at in range(len(pieces)):
        yield f"without {at}", pieces[:at] + pieces[at + 1 :]
    for at in choice.sample(range(len(pieces)), min(6, len(pieces))):
        yield f"{at} twice", [*pieces[: at + 1], *pieces[at:]]
        yield f"{at} again at the end", [*pieces, pieces[at]]
        other = choice.randrange(len(pieces))
        if pieces[other] != pieces[at]:
            swapped = list(pieces)
            swapped[at], swapped[other] = pieces[other], pieces[at]
            yield f"{at} and {other} swapped", swapped


@pytest.mark.parametrize("name", SPLIT)
def test_no_record_is_missed(made: Made, name: str) -> None:
    members, choice = members_of(made.bundles["session"]), random.Random(4)
    through = []
    for what, pieces in rearranged(SPLIT[name](members[name]), choice):
        if name == "consistency.jsonl" and not pieces:
            continue  # fewer proofs prove less and contradict nothing: --since says whether it is enough
        if made.judged(resigned({**members, name: b"".join(pieces)}, made.signer)).holds:
            through.append(what)
    print(f"{name}: got through: {through}")
    assert through == []


def test_a_record_that_is_not_there_is_named(made: Made) -> None:
    members = members_of(made.bundles["session"])
    records = records_of(members["entries"])
    without = resigned({**members, "entries": b"".join(records[:3] + records[4:])}, made.signer)
    judged = made.judged(without)
    first = judged.manifest.spans[0].first  # type: ignore[union-attr]
    assert {"sequence_gap", "link_broken", "leaf_differs", "leaves_differ"} <= set(judged.findings.counts)
    assert ("sequence_gap", first + 4) in {(one.type, one.seq) for one in judged.findings.listed}


def test_an_entry_of_another_bundle_is_out_of_place(made: Made) -> None:
    ours, theirs = members_of(made.bundles["session"]), members_of(made.bundles["day"])
    foreign = records_of(theirs["entries"])[0]
    added = resigned({**ours, "entries": ours["entries"] + foreign}, made.signer)
    assert {"record_out_of_place", "leaves_differ"} <= made.types(added)


def swapped_members(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """All pairs."""
    return ((one, other) for at, one in enumerate(names) for other in names[at + 1 :])


def test_members_cannot_change_places(made: Made) -> None:
    members = members_of(made.bundles["round"])
    for one, other in swapped_members(MEMBERS):
        swapped = {**members, one: members[other], other: members[one]}
        assert made.types(packed(swapped)), (one, other)
        if "manifest.json" != one != "manifest.note" and other != "manifest.note":
            assert made.types(resigned(swapped, made.signer)), (one, other)


def test_members_of_one_bundle_are_not_those_of_another(made: Made) -> None:
    ours, theirs = members_of(made.bundles["session"]), members_of(made.bundles["round"])
    for name in MEMBERS:
        if ours[name] != theirs[name]:
            assert made.types(packed({**ours, name: theirs[name]})), name
