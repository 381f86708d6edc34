"""RFC 3161 timestamps beside a bundle's checkpoints: of what they are, and which time they say.

What a timestamp is of is read here, with no more ASN.1 than that takes: strict DER, down to the digest and
the time. That an authority has signed it is NOT checked here, for that takes certificates; whoever wants to
lean on the time checks it with ``verify_timestamp`` or ``openssl ts -verify`` against a certificate of the
authority that they have from elsewhere, and the report says so.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from audit.verify.manifest import stamp_names, stamp_size
from audit.verify.notes import Checkpoint, Key, NoteBad, open_checkpoint
from audit.verify.report import Findings

SEQUENCE, SET, INTEGER, OCTETS, OBJECT, TIME, CONTENT = 0x30, 0x31, 0x02, 0x04, 0x06, 0x18, 0xA0
SIGNED_DATA = bytes.fromhex("2a864886f70d010702")
TST_INFO = bytes.fromhex("2a864886f70d0109100104")
SHA256 = bytes.fromhex("608648016503040201")
GRANTED = (b"\x00", b"\x01")  # the second: with modifications
LONGEST = 4  # bytes of a length
HOW = "check it with verify_timestamp or openssl ts -verify"
_MOMENT = re.compile(r"(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d(?:\.\d*[1-9])?)Z")


class StampBad(ValueError):
    """This is no timestamp, or none over SHA-256; the message says why."""


class Stamp(NamedTuple):
    """What a timestamp says: of which digest (SHA-256), and when it was made (UTC, ISO 8601)."""

    imprint: bytes
    at: str


class Stamped(NamedTuple):
    """A checkpoint of so many entries with the time that a timestamp of it says."""

    size: int
    at: str


class _Der:
    """Values one after another, as DER has them."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def take(self, tag: int) -> bytes:
        """The content of the next value, which must have this tag."""
        head = self._data[self._at : self._at + 2]
        if len(head) < 2 or head[0] != tag:
            raise StampBad("it is not of the form a timestamp has")
        begin, length = self._at + 2, head[1]
        if length >= 0x80:
            more = length - 0x80
            spelled = self._data[begin : begin + more]
            begin, length = begin + more, int.from_bytes(spelled, "big")
            if not 1 <= more <= LONGEST or len(spelled) < more or spelled[0] == 0 or length < 0x80:
                raise StampBad("a length in it is not spelled as it must be")
        self._at = begin + length
        if self._at > len(self._data):
            raise StampBad("it is cut off")
        return self._data[begin : self._at]

    def inside(self, tag: int) -> "_Der":
        """The values in the next value."""
        return _Der(self.take(tag))

    def expect(self, tag: int, content: bytes) -> None:
        """Pass over a value that must be this."""
        if self.take(tag) != content:
            raise StampBad("it is not of the form a timestamp has")

    @property
    def is_over(self) -> bool:
        """Whether there is nothing more."""
        return self._at == len(self._data)


def read_stamp(der: bytes) -> Stamp:
    """Read an authority's answer (TimeStampResp, RFC 3161, 2.4.2).

    Raises:
        StampBad: it is none, it is a refusal, or it is not over SHA-256.
    """
    answer = _Der(der)
    whole = answer.inside(SEQUENCE)
    if not answer.is_over:
        raise StampBad("something stands behind it")
    if whole.inside(SEQUENCE).take(INTEGER) not in GRANTED:
        raise StampBad("the authority refused it")
    token = whole.inside(SEQUENCE)
    token.expect(OBJECT, SIGNED_DATA)
    signed = token.inside(CONTENT).inside(SEQUENCE)
    signed.take(INTEGER)
    signed.take(SET)
    content = signed.inside(SEQUENCE)
    content.expect(OBJECT, TST_INFO)
    said = content.inside(CONTENT).inside(OCTETS).inside(SEQUENCE)
    said.take(INTEGER)
    said.take(OBJECT)
    imprint = said.inside(SEQUENCE)
    imprint.inside(SEQUENCE).expect(OBJECT, SHA256)
    digest = imprint.take(OCTETS)
    said.take(INTEGER)
    return Stamp(digest, _moment(said.take(TIME)))


def _moment(content: bytes) -> str:
    found = _MOMENT.fullmatch(content.decode("latin-1"))
    if found is None or not content.isascii():
        raise StampBad("its time is none")
    year, month, day, hour, minute, second = found.groups()
    return f"{year}-{month}-{day}T{hour}:{minute}:{second}Z"


def check_stamps(
    members: Mapping[str, memoryview],
    origin: str,
    roots: Mapping[int, bytes],
    *,
    keys: Sequence[Key],
    findings: Findings,
) -> list[Stamped]:
    """Check that each timestamp is of the checkpoint beside it, and that this bundle continues that one.

    Args:
        origin: the log's name.
        roots: of each checkpoint that is proved, the bundle's own among them, its root.
    """
    stamped = []
    for size in sorted({size for name in members if (size := stamp_size(name)) is not None}):
        note_name, stamp_name = stamp_names(size)
        note, der = (bytes(members.get(name, b"")) for name in (note_name, stamp_name))
        try:
            if open_checkpoint(note, keys) != Checkpoint(origin, size, roots.get(size, b"")):
                raise StampBad("it is beside a checkpoint that the bundle does not continue")
            stamp = read_stamp(der)
            if stamp.imprint != hashlib.sha256(note).digest():
                raise StampBad("it is of something else than the checkpoint beside it")
        except (NoteBad, StampBad) as exc:
            findings.add("timestamp_invalid", f"{stamp_name}: {exc}")
            continue
        stamped.append(Stamped(size, stamp.at))
        detail = f"the checkpoint of {size} entries existed at {stamp.at}, it says; {HOW}"
        findings.remark("timestamp_unchecked", detail, "")
    return stamped
