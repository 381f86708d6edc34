"""Public keys, signed notes and the checkpoints in them, read strictly (``ledger/FORMAT.md``, 3 and 4)."""

import base64
import binascii
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from audit.verify.ed25519 import is_usable, verify

HASH_BYTES = 32
KEY_ID_BYTES = 4
MAX_SIZE = 2**63 - 1
NOTE_LIMIT = 64 * 1024  # bytes; one of ours has below 300
_ED25519 = b"\x01"
_DASH = "\u2014 "


class NoteBad(ValueError):
    """This is no key, note or checkpoint, or its signature is wrong; the message says which."""


class SignerUnknown(NoteBad):
    """None of the keys we were told of has signed it."""


@dataclass(frozen=True, slots=True)
class Key:
    """A public key and the name it signs under."""

    name: str
    public: bytes

    @property
    def id(self) -> bytes:
        """The four bytes that name it in a signature."""
        return hashlib.sha256(self.name.encode() + b"\n" + _ED25519 + self.public).digest()[:KEY_ID_BYTES]

    @property
    def text(self) -> str:
        """As people pass it on: ``name+id+base64``."""
        return f"{self.name}+{self.id.hex()}+{base64.b64encode(_ED25519 + self.public).decode()}"


class Checkpoint(NamedTuple):
    """What a log signed: its tree of ``size`` leaves has this root."""

    origin: str
    size: int
    root: bytes


def parse_key(text: str) -> Key:
    """Read a verifier key; raises NoteBad, also for a key that verifies anything or nothing."""
    name, _, rest = text.partition("+")
    key_id, _, encoded = rest.partition("+")
    body = _from_base64(encoded)
    if not is_name(name) or len(body) != 1 + HASH_BYTES or body[:1] != _ED25519:
        raise NoteBad("a key reads name+id+base64 and is an Ed25519 key")
    key = Key(name, body[1:])
    if key.id.hex() != key_id:
        raise NoteBad("the key's id is not that of its name and bytes")
    if not is_usable(key.public):
        raise NoteBad("the key is no point that can verify anything")
    return key


def open_note(note: bytes, keys: Iterable[Key]) -> str:
    """The text of a note that at least one of ``keys`` has signed, and none of them wrongly.

    Raises:
        SignerUnknown: none of them has.
        NoteBad: it is no note, or a signature is wrong.
    """
    text, signatures = _parts(note)
    known = {(key.name, key.id): key for key in keys}
    signed = False
    for name, body in signatures:
        key = known.get((name, body[:KEY_ID_BYTES]))
        if key is None:
            continue
        if not verify(key.public, text.encode(), body[KEY_ID_BYTES:]):
            raise NoteBad(f"the signature of {name} is wrong")
        signed = True
    if not signed:
        raise SignerUnknown("no key that was pinned has signed it")
    return text


def open_checkpoint(note: bytes, keys: Iterable[Key]) -> Checkpoint:
    """The checkpoint that a log has signed with a key of its own name; raises as ``open_note`` does."""
    known = list(keys)
    checkpoint = parse_checkpoint(open_note(note, known))
    open_note(note, [key for key in known if key.name == checkpoint.origin])
    return checkpoint


def parse_checkpoint(text: str) -> Checkpoint:
    """Read a checkpoint's text; raises NoteBad. Extension lines are refused: ours have none."""
    lines = text.split("\n")
    if len(lines) != 4 or lines[3] or not is_name(lines[0]):
        raise NoteBad("a checkpoint has three lines: origin, size, root")
    root = _from_base64(lines[2])
    if not _is_number(lines[1]) or int(lines[1]) > MAX_SIZE or len(root) != HASH_BYTES:
        raise NoteBad("a checkpoint has a decimal size below 2^63 and a root of 32 bytes")
    return Checkpoint(lines[0], int(lines[1]), root)


def _parts(note: bytes) -> tuple[str, list[tuple[str, bytes]]]:
    if len(note) > NOTE_LIMIT:
        raise NoteBad("the note is too long")
    try:
        said = note.decode("utf-8")
    except UnicodeDecodeError as exc:
        raise NoteBad("the note is not UTF-8") from exc
    text, empty, rest = said.rpartition("\n\n")
    if not empty or not rest.endswith("\n") or any(c < " " and c != "\n" for c in said):
        raise NoteBad("a note is a text, an empty line and signatures")
    return f"{text}\n", [_signature(line) for line in rest[:-1].split("\n")]


def _signature(line: str) -> tuple[str, bytes]:
    name, space, encoded = line.removeprefix(_DASH).partition(" ")
    body = _from_base64(encoded)
    if not line.startswith(_DASH) or not space or not is_name(name) or len(body) <= KEY_ID_BYTES:
        raise NoteBad("a signature reads: dash, name, base64")
    return name, body


def is_name(name: str) -> bool:
    """Whether a signer may be called so."""
    return bool(name) and "+" not in name and name.isprintable() and not any(c.isspace() for c in name)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 19 and text == str(int(text))


def _from_base64(text: str) -> bytes:
    """Decode base64 that is spelled the one right way."""
    try:
        value = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as exc:
        raise NoteBad("this is not base64") from exc
    if base64.b64encode(value).decode() != text:
        raise NoteBad("this base64 is not spelled as it must be")
    return value
