"""The one zip a list of members has: stored, in order, without times, comments or extra fields.

Written and read here, so that a bundle is either exactly these bytes or not canonical. Any unzip reads it.
Nothing is compressed: the bytes of deflate are those of one library in one version.
"""

import hashlib
import re
import struct
import zlib
from collections.abc import Sequence
from typing import NamedTuple

LIMIT = 2**32 - 1
"""Bytes of a container at most: beyond, zip has another form."""

_LOCAL = struct.Struct("<4s5H3I2H")
_CENTRAL = struct.Struct("<4s6H3I5H2I")
_END = struct.Struct("<4s4H2IH")
_VERSION, _UNIX = 20, 3 << 8
_DATE = 0x21  # 1980-01-01, the least a zip can say
_MODE = 0o100644 << 16


class Member(NamedTuple):
    """A member of a container: size in bytes, and the CRC-32 of its bytes."""

    name: str
    size: int
    crc: int


class NotCanonical(ValueError):
    """The container is not the one its members have; the message says where it differs."""


def member(name: str, content: bytes | memoryview) -> Member:
    """A member as its content makes it."""
    return Member(name, len(content), zlib.crc32(content))


def described(content: bytes | memoryview) -> tuple[int, str]:
    """Size and SHA-256, in hex, of a content."""
    return len(content), hashlib.sha256(content).hexdigest()


def local_header(one: Member) -> bytes:
    """What stands before a member's bytes."""
    name = one.name.encode("ascii")
    fields = (_VERSION, 0, 0, 0, _DATE, one.crc, one.size, one.size, len(name), 0)
    return _LOCAL.pack(b"PK\x03\x04", *fields) + name


def directory(members: Sequence[Member]) -> bytes:
    """What stands behind the last member's bytes.

    Raises:
        ValueError: the container would be too large for a zip of this form.
    """
    listed, offset = b"", 0
    for one in members:
        name = one.name.encode("ascii")
        fields = (_UNIX | _VERSION, _VERSION, 0, 0, 0, _DATE, one.crc, one.size, one.size, len(name))
        listed += _CENTRAL.pack(b"PK\x01\x02", *fields, 0, 0, 0, 0, _MODE, offset) + name
        offset += len(local_header(one)) + one.size
        if offset > LIMIT:
            raise ValueError("more than 4 GiB do not fit into one bundle")
    return listed + _END.pack(b"PK\x05\x06", 0, 0, len(members), len(members), len(listed), offset, 0)


def encode(contents: Sequence[tuple[str, bytes]]) -> bytes:
    """The container of these members."""
    members = [member(*one) for one in contents]
    parts = [
        part
        for one, (_, content) in zip(members, contents, strict=True)
        for part in (local_header(one), content)
    ]
    return b"".join(parts) + directory(members)


def decode(
    data: bytes | memoryview, names: Sequence[str], *, more: re.Pattern[str] | None = None
) -> tuple[dict[str, memoryview], list[str]]:
    """The members of a container that must have just these, in this order; and what is not canonical.

    Args:
        more: what further members behind them may be called.

    A content that was changed is still answered, so that what follows can say which record it was; a header
    that was is not read around.

    Raises:
        NotCanonical: the members cannot be told apart.
    """
    view, at = memoryview(data), 0
    found: dict[str, memoryview] = {}
    wrong: list[str] = []
    due: str | None
    for due in names:
        at = _take(view, at, due, found, wrong)
    while more is not None and (due := _further(view, at, more)) is not None and due not in found:
        at = _take(view, at, due, found, wrong)
    if bytes(view[at:]) != directory([member(*one) for one in found.items()]):
        stranger = _name_at(view, at)
        added = "" if stranger is None else f": {stranger!r} is there, and no member of a bundle"
        wrong.append(f"at byte {at}: what stands behind the last member is not as it must be{added}")
    return found, wrong


def _take(view: memoryview, at: int, name: str, found: dict[str, memoryview], wrong: list[str]) -> int:
    """Take the member ``name``, which must begin at ``at``; where it ends."""
    size = _size_at(view, at, name)
    begin = at + _LOCAL.size + len(name)
    content = view[begin : begin + size]
    header = local_header(member(name, content))
    if len(content) < size or not _differs_in_crc_only(bytes(view[at:begin]), header):
        raise NotCanonical(f"at byte {at}: the header of {name} is not as it must be")
    if bytes(view[at:begin]) != header:
        wrong.append(f"the bytes of {name} do not have the CRC-32 before them")
    found[name] = content
    return begin + size


def _further(view: memoryview, at: int, more: re.Pattern[str]) -> str | None:
    """The name of the member at ``at``, if it is one of those there may be."""
    here = _name_at(view, at)
    name = "" if here is None else here.decode("latin-1")
    return name if more.fullmatch(name) else None


def _size_at(view: memoryview, at: int, name: str) -> int:
    """The size that the header at ``at`` gives, if it is the header of ``name``."""
    if len(view) < at + _LOCAL.size:
        raise NotCanonical(f"at byte {at}: the container ends where {name} is due")
    here = _name_at(view, at)
    if here != name.encode("ascii"):
        raise NotCanonical(f"at byte {at}: {name} is due, and {here or 'no member'!r} is there")
    size: int = _LOCAL.unpack_from(view, at)[8]
    return size


def _name_at(view: memoryview, at: int) -> bytes | None:
    """The first bytes of the name of the member that begins at ``at``, None where none does."""
    if len(view) < at + _LOCAL.size or bytes(view[at : at + 4]) != b"PK\x03\x04":
        return None
    begin, length = at + _LOCAL.size, _LOCAL.unpack_from(view, at)[9]
    return bytes(view[begin : begin + min(length, 64)])


def _differs_in_crc_only(header: bytes, due: bytes) -> bool:
    return header[:14] == due[:14] and header[18:] == due[18:]
