"""Any byte of a bundle changed, by whoever has no key and by whoever has it: found, and named."""

import random
import re
from collections.abc import Iterator

from audit.codes import CODES
from audit.verify.manifest import MEMBERS
from audit.verify.page import page
from audit.verify.report import TYPES
from tests.audit.verify.made import Made, members_of, records_of, resigned

CHANGES = 2000


def changed(data: bytes, at: int, choice: random.Random) -> bytes:
    """The data with one byte made another."""
    return data[:at] + bytes([data[at] ^ choice.randrange(1, 256)]) + data[at + 1 :]


def test_what_was_written_verifies(made: Made) -> None:
    for name, bundle in made.bundles.items():
        judged = made.judged(bundle)
        assert judged.holds, (name, judged.findings.listed)
        remarks = [one.type for one in judged.findings.remarks]
        assert remarks == (["promo_before"] if name == "beside" else []), name
        assert not re.search(r"\b1 (?!cited)[a-z ]*s\b", page(judged, [])), "one of a thing is one thing"


def test_every_change_of_a_byte_is_found(made: Made) -> None:
    """Thousands of them, all over a bundle; those that got through are listed, and there are none."""
    bundle, choice = made.bundles["round"], random.Random(1)
    places = choice.sample(range(len(bundle)), CHANGES)
    through = []
    for at in places:
        judged = made.judged(changed(bundle, at, choice))
        named = set(judged.findings.counts)
        if judged.holds or not named <= TYPES.keys() | CODES.keys():
            through.append(at)
    print(f"{len(places)} bytes of {len(bundle)} changed; got through: {through}")
    assert through == []


def test_a_changed_byte_of_an_entry_names_the_entry(made: Made) -> None:
    """Not only that something is wrong: which entry it is."""
    bundle, choice = made.bundles["round"], random.Random(2)
    entries = members_of(bundle)["entries"]
    begin, at = bundle.index(entries), 0
    span = made.judged(bundle).manifest.spans[0]  # type: ignore[union-attr]
    for seq, record in enumerate(records_of(entries), start=span.first):
        length = int.from_bytes(record[:4], "big")
        for place in choice.sample(range(4 + 120, 4 + length), 6):
            judged = made.judged(changed(bundle, begin + at + place, choice))
            named = {(finding.stream, finding.seq) for finding in judged.findings.listed}
            assert (span.stream, seq) in named or ("record_unreadable" in judged.findings.counts), seq
        at += len(record)


def _resigned_changes(made: Made, choice: random.Random) -> Iterator[tuple[str, int, bytes]]:
    members = members_of(made.bundles["round"])
    for name in MEMBERS[2:]:
        content = members[name]
        for at in choice.sample(range(len(content)), min(len(content), 25)):
            yield name, at, resigned({**members, name: changed(content, at, choice)}, made.signer)


def test_whoever_has_the_key_cannot_change_a_byte_either(made: Made) -> None:
    """The manifest signed again over the changed member: the tree was signed before, and gives it away."""
    through = [
        (name, at)
        for name, at, bundle in _resigned_changes(made, random.Random(3))
        if made.judged(bundle).holds
    ]
    assert through == []


def test_nor_say_anything_else_in_the_manifest(made: Made) -> None:
    """Everything a manifest says is read or follows from the entries."""
    members = members_of(made.bundles["session"])
    body = made.judged(made.bundles["session"]).manifest
    assert body is not None
    stated = {
        "casino": {**body.derived["casino"], "currency": "EUR"},
        "tables": {},
        "gaming_days": ["2026-01-01"],
        "rule_sets": [],
        "engines": [{"game": "red_dog", "version": True}],
        "counts": {**body.derived["counts"], "rounds": 0},
        "sums": {},
        "schema": "another",
        "version": 1,
        "scope": {"kind": "session", "session": "another", "whole": False},
        "checkpoint": {"origin": made.signer.name, "size": 3, "root": "00" * 32},
        "streams": [{**body.spans[0].as_dict(), "balances": {}}],
    }
    assert stated.keys() | {"members"} == {
        *body.derived,
        "schema",
        "version",
        "scope",
        "checkpoint",
        "streams",
        "members",
    }
    for name, value in stated.items():
        assert made.types(resigned(members, made.signer, **{name: value})), name
    assert made.types(resigned(members, made.signer, remark="more")) == {"manifest_invalid"}
