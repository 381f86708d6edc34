"""Entries as a bundle holds them: the bytes their hash covers (``ledger/FORMAT.md``, 1), and their payload.

A record is the length of the hashed bytes (4 bytes, big-endian), these bytes, the length of the payload, and
the payload. Every field has one place and one spelling, so there is one record for an entry.
"""

import hashlib
import json
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, repeat
from typing import Any, NamedTuple

TAG = b"pitledger:entry\x00"
VERSION = 1
NO_HASH = bytes(32)
MAX_INTEGER = 2**53 - 1
PAYLOAD_LIMIT = 2**20  # bytes; the journal takes a quarter of it

WINDOW = 2**17  # bytes that are read at once; below PAYLOAD_LIMIT, which no longer record then passes unseen

_LENGTH = struct.Struct(">i")
_UNSIGNED = struct.Struct(">I")
_AMOUNT = struct.Struct(">q")
_ABSENT = bytes(17)  # where an id could be
_KIND_AT = struct.calcsize(">q16s16s")
_ZEROES, _LONG = bytes.maketrans(b"123456789", b"0" * 9), b"0" * 16
_IN_TEXT = b'"abcdef'  # before a digit that is part of a text; before a number's first stands none of them


class Transfer(NamedTuple):
    """A movement: ``amount`` minor units of ``asset`` from one account of the stream to another."""

    source: str
    target: str
    asset: str
    amount: int


class Record(NamedTuple):
    """An entry; ids are 16 bytes, times microseconds since 1970, ``hash`` is what its bytes give."""

    seq: int
    id: bytes
    command: bytes
    kind: str
    actor: bytes
    terminal: bytes | None
    recorded: int
    occurred: int
    digest: bytes
    reverses: bytes | None
    previous: bytes
    moves: tuple[Transfer, ...]
    payload: bytes
    hash: bytes


class RecordBad(ValueError):
    """These bytes are no entry of the stream; the message says why."""


class Cut(ValueError):
    """The records end in the middle of one."""


def split(data: memoryview) -> Iterator[tuple[bytes, bytes]]:
    """The hashed bytes and the payload of each record in order; raises Cut."""
    return chain.from_iterable(blocks(data))


def blocks(data: memoryview) -> Iterator[list[tuple[bytes, bytes]]]:
    """The same, some hundred records at once."""
    at, end, unpack = 0, len(data), _LENGTH.unpack_from
    while at < end:
        # Slices of bytes take a third of what slices of a view do.
        window, inside = bytes(data[at : at + WINDOW]), 0
        last, block = len(window) - 4, list[tuple[bytes, bytes]]()
        while inside <= last:
            middle = inside + 4 + unpack(window, inside)[0]
            if not inside + 4 <= middle <= last:
                break
            stop = middle + 4 + unpack(window, middle)[0]
            if not middle + 4 <= stop <= len(window):
                break
            block.append((window[inside + 4 : middle], window[middle + 4 : stop]))
            inside = stop
        at += inside
        if not block:  # a record larger than the window, or none
            hashed, payload, at = record_at(data, at)
            block.append((hashed, payload))
        yield block


def record_at(data: memoryview, at: int) -> tuple[bytes, bytes, int]:
    """The hashed bytes and the payload of the record that begins at ``at``, and where it ends; raises Cut."""
    begin, middle = _piece(data, at, len(data))
    second, end = _piece(data, middle, len(data))
    return bytes(data[begin:middle]), bytes(data[second:end]), end


def end_of(data: memoryview, at: int, number: int) -> int:
    """Where so many records end, the first of which begins at ``at``; raises Cut."""
    unpack = _UNSIGNED.unpack_from  # so that it always goes on
    try:
        for _ in range(number):
            at += 4 + unpack(data, at)[0]
            at += 4 + unpack(data, at)[0]
    except struct.error as exc:
        raise Cut(f"at byte {at}: a length is due") from exc
    return at


def _piece(data: memoryview, at: int, end: int) -> tuple[int, int]:
    """Where the piece whose length stands at ``at`` begins and ends."""
    begin = at + 4
    if begin > end:
        raise Cut(f"at byte {at}: a length is due")
    length: int = _LENGTH.unpack_from(data, at)[0]
    if not 0 <= length <= PAYLOAD_LIMIT or begin + length > end:
        raise Cut(f"at byte {at}: a length of {length}, and {end - begin} bytes are left")
    return begin, begin + length


def joined(hashed: bytes, payload: bytes) -> bytes:
    """The record of an entry."""
    return b"".join((_LENGTH.pack(len(hashed)), hashed, _LENGTH.pack(len(payload)), payload))


@lru_cache(maxsize=256)
def head_of(stream: str) -> bytes:
    """What the hashed bytes of every entry of a stream begin with."""
    name = stream.encode()
    return TAG + VERSION.to_bytes(2, "big") + _LENGTH.pack(len(name)) + name


def stream_in(hashed: bytes) -> str:
    """The stream that hashed bytes name; raises RecordBad."""
    at = len(TAG) + 2
    if hashed[:at] != TAG + VERSION.to_bytes(2, "big") or len(hashed) < at + 4:
        raise RecordBad("it does not begin as an entry of hash version 1 does")
    (length,) = _LENGTH.unpack_from(hashed, at)
    if not 0 < length <= len(hashed) - at - 4:
        raise RecordBad("the length of the stream's name is wrong")
    return _decoded(hashed[at + 4 : at + 4 + length])


def read(stream: str, hashed: bytes, payload: bytes) -> Record:
    """The entry of ``stream`` that these bytes are; raises RecordBad."""
    return read_all(stream, [(hashed, payload)])[0]


def read_all(stream: str, records: Iterable[tuple[bytes, bytes]]) -> list[Record]:
    """The same of each of many; raises RecordBad where one of them is none."""
    head, sha256, found = head_of(stream), hashlib.sha256, list[Record]()
    at = len(head)
    kind_at, kind_end = at + _KIND_AT, at + _KIND_AT + 4
    written, layout, end = b"", _layout(1), 0
    try:
        for hashed, payload in records:
            if not hashed.startswith(head):
                raise RecordBad(f"it does not begin as an entry of {stream} does")
            if hashed[kind_at:kind_end] != written:
                layout = _layout(_kind_length(hashed, kind_at))
                written, end = hashed[kind_at:kind_end], at + layout.size
            (
                seq,
                entry_id,
                command,
                _,
                kind,
                actor,
                terminal,
                recorded,
                occurred,
                digest,
                reverses,
                previous,
                count,
            ) = layout.unpack_from(hashed, at)
            fields = (
                seq,
                entry_id,
                command,
                _decoded(kind),
                actor,
                None if terminal == _ABSENT else _id(terminal),
                recorded,
                occurred,
                digest,
                None if reverses == _ABSENT else _id(reverses),
                previous,
                _moves(count, hashed[end:]),
                payload,
                sha256(hashed).digest(),
            )
            found.append(Record._make(fields))  # which is faster than naming them
    except struct.error as exc:
        raise RecordBad("it is too short") from exc
    return found


def _kind_length(hashed: bytes, at: int) -> int:
    (length,) = _LENGTH.unpack_from(hashed, at)
    if not 0 < length <= 255:
        raise RecordBad("the length of its kind is wrong")
    return int(length)


@lru_cache(maxsize=255)
def _layout(kind_length: int) -> struct.Struct:
    """The fields between the stream's name and the movements, where the kind has so many bytes."""
    return struct.Struct(f">q16s16si{kind_length}s16s17sqq32s17s32si")


# Wagers and payments repeat all day, and so do their bytes.
@lru_cache(maxsize=16384)
def _moves(count: int, data: bytes) -> tuple[Transfer, ...]:
    """The movements an entry ends with."""
    if not 0 <= count <= len(data):
        raise RecordBad("the number of its movements is wrong")
    moves, at = [], 0
    for _ in range(count):
        texts = []
        for _ in range(3):
            (length,) = _LENGTH.unpack_from(data, at)
            if not 0 < length <= 255:
                raise RecordBad("the length of a name in a movement is wrong")
            texts.append(_decoded(data[at + 4 : at + 4 + length]))
            at += 4 + length
        moves.append(Transfer(texts[0], texts[1], texts[2], _AMOUNT.unpack_from(data, at)[0]))
        at += 8
    if at != len(data):
        raise RecordBad("something follows its last field")
    return tuple(moves)


@lru_cache(maxsize=4096)
def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as exc:
        raise RecordBad("a text is not UTF-8") from exc


def _id(data: bytes) -> bytes:
    """An id that may be there, behind the byte that says so; raises RecordBad."""
    if data[0] != 1:
        raise RecordBad("an id that is not there is seventeen zero bytes")
    return data[1:]


class NotCanonical(ValueError):
    """A text is not the canonical JSON of any object."""


def _refuse(text: str) -> Any:
    raise NotCanonical(f"{text} is not an integer")


def _integer(text: str) -> int:
    value = int(text)
    if abs(value) > MAX_INTEGER:
        raise NotCanonical(f"{text} passes 2^53 - 1")
    return value


def _scanner(parse_int: Callable[[str], int]) -> Callable[[str, int], tuple[Any, int]]:
    """Reads one JSON value at a place; the decoder's own, which `decode` calls between two other searches."""
    decoder: Any = json.JSONDecoder(parse_float=_refuse, parse_constant=_refuse, parse_int=parse_int)
    scan: Callable[[str, int], tuple[Any, int]] = decoder.scan_once
    return scan


def _encoder() -> Callable[[Any, int], Sequence[str]]:
    """Writes canonical JSON in pieces; CPython's own encoder, made once, takes a third of the time."""
    plain = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    make = getattr(json.encoder, "c_make_encoder", None)
    if make is None:
        return lambda value, level: plain.encode(value)
    made: Callable[[Any, int], Sequence[str]] = make(
        None, plain.default, json.encoder.encode_basestring, None, ":", ",", True, False, False
    )
    return made


# It stops behind the value: what follows there is seen when the text is compared.
_SCAN = _scanner(int)
_SCAN_LONG = _scanner(_integer)
_ENCODE = _encoder()


def canonical(value: dict[str, Any]) -> bytes:
    """The canonical JSON (RFC 8785) of an object of ASCII keys, texts, lists and integers below 2^53."""
    return "".join(_ENCODE(value, 0)).encode()


def parse(data: bytes) -> dict[str, Any]:
    """The object whose canonical JSON ``data`` is; raises NotCanonical.

    Written again it must be the same text: that refuses spaces, other orders, other spellings, doubled keys.
    """
    try:
        text = data.decode("utf-8")
        value, _ = (_SCAN_LONG if _may_be_large(data) else _SCAN)(text, 0)
        written = "".join(_ENCODE(value, 0))
    except (ValueError, StopIteration, RecursionError) as exc:
        raise exc if isinstance(exc, NotCanonical) else NotCanonical("not JSON") from exc
    if not isinstance(value, dict) or written != text:
        raise NotCanonical("not an object in its canonical spelling")
    if not text.isascii() and not _keys_are_ascii(value):
        raise NotCanonical("a key is not ASCII")
    return value


def parse_all(data: Sequence[bytes]) -> list[dict[str, Any]] | None:
    """What `parse` gives for each of many; None where one of them is not as it must be, or not plain.

    They are read as one list, which takes two thirds of the time. What that makes of texts that only together
    are a list does not matter, since each object is written again by itself.
    """
    together = b"[" + b",".join(data) + b"]"
    if not together.isascii() or _may_be_large(together):
        return None
    text = together.decode("ascii")
    try:
        values, _ = _SCAN(text, 0)
        written = ["".join(pieces) for pieces in map(_ENCODE, values, repeat(0))]
    except (ValueError, StopIteration, RecursionError):
        return None
    are_all = len(values) == len(data) and set(map(type, values)) <= {dict}
    return values if are_all and "\n".join(written).encode() == b"\n".join(data) else None


def _may_be_large(data: bytes) -> bool:
    """Whether a number may pass 2^53: only one of sixteen digits can, and such zeroes are soon found.

    Of many digests in hex one has as many digits, too; those do not begin as a number does.
    """
    zeroes = data.translate(_ZEROES)
    at = zeroes.find(_LONG)
    while at >= 0:
        if at == 0 or data[at - 1] not in _IN_TEXT:
            return True
        while zeroes[at : at + 1] == b"0":
            at += 1
        at = zeroes.find(_LONG, at)
    return False


def _keys_are_ascii(value: Any) -> bool:
    if isinstance(value, dict):
        return all(key.isascii() and _keys_are_ascii(item) for key, item in value.items())
    return not isinstance(value, list) or all(map(_keys_are_ascii, value))
