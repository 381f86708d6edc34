"""Timestamps in bundles: of which checkpoint they are is proved; who signed them is said to be unchecked."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from django.utils import timezone

from audit.bundle.scope import Scope
from audit.bundle.write import bundle_write
from audit.services import closing
from audit.services.checkpoints import journal_seal
from audit.verify import container
from audit.verify.bundle import Judged, verify_bundle
from audit.verify.manifest import MEMBERS, note_text, stamp_names
from audit.verify.notes import parse_key
from audit.verify.page import page, report
from audit.verify.records import canonical
from audit.verify.stamps import StampBad, read_stamp
from config import env
from ledger.checkpoints.keys import KeyStore
from ledger.models import Checkpoint
from tables.figures import gaming_day
from tables.models import ClosedDay, Role
from tables.services.days import gaming_day_close
from tests import floor
from tests.audit import support
from tests.audit.verify.made import members_of
from tests.ledger.checkpoints.authority import Authority
from tests.ledger.support import post

Members = dict[str, bytes]


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    """A time-stamping authority."""
    made = Authority(tmp_path / "tsa")
    made.folder.mkdir()
    made.make()
    return made


def closed(house: floor.House) -> ClosedDay:
    """A day of one session, closed and sealed."""
    table, session_id = support.open_scanned(house)
    support.play_with_raise(house, table, support.WIN, {})
    support.close(house, table, session_id)
    support.count_drop(house, session_id)
    gaming_day_close(
        casino_id=house.casino.id,
        gaming_day=gaming_day(timezone.now(), house.casino.time_zone, house.casino.rollover_hour),
        second=house.badge(Role.PIT_BOSS),
        command=house.command(Role.CAGE),
    )
    day = ClosedDay.objects.get(casino=house.casino)
    closing.day_seal(day_id=day.id)
    closing.day_sealed(day_id=day.id)
    day.refresh_from_db()
    return day


def judged(members: Members, *, order: list[str] | None = None) -> Judged:
    """The verifier's judgement of these members, under a manifest that names and signs them."""
    names = order or [*MEMBERS, *sorted(members.keys() - set(MEMBERS))]
    body = json.loads(members["manifest.json"])
    described = {name: container.described(members[name]) for name in names[2:]}
    body["members"] = [{"name": name, "size": size, "sha256": sha} for name, (size, sha) in described.items()]
    signer, manifest = KeyStore(env.home()).signer(), canonical(body)
    signed = {"manifest.json": manifest, "manifest.note": signer.sign(note_text(manifest)).encode()}
    data = container.encode([(name, (members | signed)[name]) for name in names])
    return verify_bundle(data, keys=[parse_key(signer.verifier.text)])


@pytest.mark.django_db
def test_the_stamp_of_a_closed_day_goes_along_and_is_of_the_note_beside_it(
    house: floor.House, authority: Authority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """FORMAT 5: what was changed, swapped, left out or is of something else is found, whoever signed."""
    monkeypatch.setenv("PITLEDGER_CHECKPOINTS", str(tmp_path / "published"))
    day, path, keys = closed(house), tmp_path / "day.zip", KeyStore(env.home())
    checkpoint = Checkpoint.objects.get(size=day.checkpoint or 0)
    der = authority.answer(authority.query(checkpoint.note.encode()))
    ClosedDay.objects.filter(id=day.id).update(timestamp=der, timestamped_at=timezone.now())
    post(house.casino.stream)
    journal_seal()
    note_name, stamp_name = stamp_names(checkpoint.size)
    table = house.casino.tables.get()
    for about in (day.gaming_day, table, table.sessions.get()):
        scope = Scope(house.casino, about)
        for cut in Checkpoint.objects.filter(size__gte=checkpoint.size).order_by("size"):
            bundle_write(scope, checkpoint=cut, keys=keys, path=path)
            members = members_of(path.read_bytes())
            assert list(members) == [*MEMBERS, note_name, stamp_name]
            assert judged(members).holds, judged(members).findings.listed
    assert (members[note_name], members[stamp_name]) == (checkpoint.note.encode(), der)
    said = judged(members)
    assert report(said, [])["timestamps"] == [
        {"size": checkpoint.size, "at": said.stamped[0].at, "signature": "not checked"}
    ]
    assert said.stamped[0].at[:10] == timezone.now().date().isoformat()
    (remark,) = [one for one in said.findings.remarks if one.type == "timestamp_unchecked"]
    assert "openssl ts -verify" in remark.detail
    assert "signature is not checked here" in page(said, [])
    for name in (note_name, stamp_name):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(members[name])
    openssl = [
        "openssl",
        "ts",
        "-verify",
        "-data",
        note_name,
        "-in",
        stamp_name,
        "-CAfile",
        str(authority.root),
    ]
    assert b"OK" in subprocess.run(openssl, cwd=tmp_path, check=True, capture_output=True).stdout

    other = authority.answer(authority.query(b"something else"))
    late = members["checkpoint"]
    unproved = KeyStore(env.home()).signer().sign("another/log\n7\n" + "A" * 43 + "=\n").encode()
    for change in (
        {stamp_name: other},
        {stamp_name: authority.answer(b"0\x00")},
        {stamp_name: der + b"\x00"},
        {stamp_name: b""},
        {stamp_name: der.replace(checkpoint_digest(der), bytes(32), 1)},
        {note_name: late},
        {note_name: unproved},
        {note_name: b""},
        {"consistency.jsonl": b""},
    ):
        assert set(judged(members | change).findings.counts) == {"timestamp_invalid"}, change
    renamed = dict(zip(stamp_names(1), (members[note_name], der), strict=True))
    assert "timestamp_invalid" in judged({name: members[name] for name in MEMBERS} | renamed).findings.counts
    for names in (
        [*MEMBERS, stamp_name],
        [*MEMBERS, note_name],
        [*MEMBERS, stamp_name, note_name],
        [note_name, *MEMBERS, stamp_name],
    ):
        assert not judged(members, order=names).holds, names
    plain = {name: members[name] for name in MEMBERS}
    whole = path.read_bytes()
    signed = verify_bundle(
        container.encode(list(plain.items())), keys=[parse_key(keys.signer().verifier.text)]
    )
    assert set(signed.findings.counts) == {"member_differs"}, "what the manifest names was left out"
    assert container.encode(list(members.items())) == whole


def checkpoint_digest(der: bytes) -> bytes:
    """The digest a stamp is of."""
    return read_stamp(der).imprint


@pytest.mark.parametrize(
    "change",
    [
        lambda der: der[:-1],
        lambda der: der[:4],
        lambda der: b"",
        lambda der: bytes(2) + der[2:],
        lambda der: der.replace(bytes.fromhex("2a864886f70d010702"), bytes.fromhex("2a864886f70d010701"), 1),
        lambda der: der.replace(bytes.fromhex("608648016503040201"), bytes.fromhex("608648016503040202"), 2),
        lambda der: der[:1] + b"\x84\x00" + der[2:],
        lambda der: der[:1] + b"\x80" + der[2:],
        lambda der: der[:1] + b"\x85\x01\x01\x01\x01\x01" + der[2:],
        lambda der: der.replace(b"Z", b"z"),
    ],
)
def test_what_is_no_timestamp_is_refused(authority: Authority, change: Callable[[bytes], bytes]) -> None:
    der = authority.answer(authority.query(b"note"))
    assert len(read_stamp(der).imprint) == 32
    with pytest.raises(StampBad):
        read_stamp(change(der))
