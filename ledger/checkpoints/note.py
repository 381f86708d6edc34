"""Signed notes and the checkpoints in them, as c2sp.org/signed-note and c2sp.org/tlog-checkpoint have it.

A note is a text, an empty line and signature lines. A checkpoint is a note whose text says: which log, how
many leaves, which root. Signatures by keys nobody told us about are ignored; a signature that claims a known
key and does not verify spoils the note.
"""

import base64
import binascii
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from ledger.checkpoints.tree import HASH_BYTES

ED25519 = b"\x01"
KEY_ID_BYTES = 4
NOTE_LIMIT = 64 * 1024  # bytes; a note of ours has below 300
SIGNATURE_LIMIT = 100
MAX_SIZE = 2**63 - 1
_DASH = "\u2014 "
_PRIVATE = "PRIVATE+KEY+"


class NoteError(ValueError):
    """This is no note, checkpoint or key, or nobody we know has signed it; the message says which."""


class UnknownSigner(NoteError):
    """The note may be in order; nobody we know has signed it."""


@dataclass(frozen=True, slots=True)
class VerifierKey:
    """A public key with the name it signs under.

    Attributes:
        name: of the signer; for a log, its origin.
        public: 32 bytes, Ed25519.
    """

    name: str
    public: bytes

    @property
    def id(self) -> bytes:
        """The four bytes that name the key in a signature."""
        return hashlib.sha256(self.name.encode() + b"\n" + ED25519 + self.public).digest()[:KEY_ID_BYTES]

    @property
    def text(self) -> str:
        """The key as people pass it on: ``name+id+base64``."""
        return f"{self.name}+{self.id.hex()}+{_base64(ED25519 + self.public)}"

    def verifies(self, message: bytes, signature: bytes) -> bool:
        """Whether ``signature`` is this key's over ``message``."""
        try:
            Ed25519PublicKey.from_public_bytes(self.public).verify(signature, message)
        except InvalidSignature:
            return False
        return True


@dataclass(frozen=True, slots=True)
class SignerKey:
    """A private key with the name it signs under; ``seed`` is the 32 bytes of Ed25519's private key."""

    name: str
    seed: bytes

    def __repr__(self) -> str:
        return f"SignerKey({self.name})"

    @property
    def verifier(self) -> VerifierKey:
        """Its public half."""
        return VerifierKey(self.name, self._private.public_key().public_bytes_raw())

    @property
    def text(self) -> str:
        """The key as it is kept: ``PRIVATE+KEY+name+id+base64``."""
        return f"{_PRIVATE}{self.name}+{self.verifier.id.hex()}+{_base64(ED25519 + self.seed)}"

    @property
    def _private(self) -> Ed25519PrivateKey:
        return Ed25519PrivateKey.from_private_bytes(self.seed)

    def sign(self, text: str) -> str:
        """The note of ``text``, which must end with a newline.

        Raises:
            NoteError: the text cannot stand in a note.
        """
        _check_text(text)
        signature = self._private.sign(text.encode())
        return f"{text}\n{_DASH}{self.name} {_base64(self.verifier.id + signature)}\n"


class Checkpoint(NamedTuple):
    """What a log says of itself: its tree of ``size`` leaves has this root."""

    origin: str
    size: int
    root: bytes

    @property
    def text(self) -> str:
        """The text that is signed."""
        return f"{self.origin}\n{self.size}\n{_base64(self.root)}\n"


def parse_verifier(text: str) -> VerifierKey:
    """Read a verifier key; raises NoteError."""
    name, public = _parse_key(text.strip())
    return VerifierKey(name, public)


def parse_signer(text: str) -> SignerKey:
    """Read a signer key; raises NoteError."""
    text = text.strip()
    if not text.startswith(_PRIVATE):
        raise NoteError("this is no private key")
    name, seed = _parse_key(text.removeprefix(_PRIVATE), is_private=True)
    return SignerKey(name, seed)


def _parse_key(text: str, *, is_private: bool = False) -> tuple[str, bytes]:
    parts = text.split("+", 2)
    if len(parts) != 3 or not is_name(parts[0]):
        raise NoteError("a key reads name+id+base64")
    name, key_id, encoded = parts
    body = _bytes(encoded)
    if body[:1] != ED25519 or len(body) != 1 + HASH_BYTES:
        raise NoteError("the key is not an Ed25519 key")
    key = SignerKey(name, body[1:]).verifier if is_private else VerifierKey(name, body[1:])
    if key.id.hex() != key_id:
        raise NoteError("the key's id is not that of its name and bytes")
    return name, body[1:]


def is_name(name: str) -> bool:
    """Whether a signer may be called so: something, without spaces, plus signs and control characters."""
    return bool(name) and "+" not in name and name.isprintable() and not any(c.isspace() for c in name)


def open_note(note: str, keys: Iterable[VerifierKey]) -> tuple[str, list[VerifierKey]]:
    """The text of a note, and who of ``keys`` has signed it.

    Raises:
        NoteError: it is no note, a signature of a known key is wrong, or none of them has signed it.
    """
    text, lines = _parts(note)
    known = {(key.name, key.id): key for key in keys}
    signers = []
    for name, body in lines:
        key = known.get((name, body[:KEY_ID_BYTES]))
        if key is None or key in signers:
            continue
        if not key.verifies(text.encode(), body[KEY_ID_BYTES:]):
            raise NoteError(f"the signature of {name} is wrong")
        signers.append(key)
    if not signers:
        raise UnknownSigner("no known key has signed this")
    return text, signers


def open_checkpoint(note: str, keys: Iterable[VerifierKey]) -> Checkpoint:
    """The checkpoint in a note that its own log has signed: a key of the origin's name.

    Raises:
        NoteError: as ``open_note``; or it is no checkpoint, or others than its log have signed it.
    """
    text, signers = open_note(note, keys)
    checkpoint = parse_checkpoint(text)
    if checkpoint.origin not in {key.name for key in signers}:
        raise NoteError("it is not signed by a key of the log it speaks of")
    return checkpoint


def parse_checkpoint(text: str) -> Checkpoint:
    """Read the text of a checkpoint, which says nothing until its signature is verified.

    Raises:
        NoteError: it is none. Extension lines are refused: ours have none.
    """
    lines = text.split("\n")
    if len(lines) != 4 or lines[3] or not is_name(lines[0]):
        raise NoteError("a checkpoint has three lines: origin, size, root")
    size = lines[1]
    if not (size.isascii() and size.isdigit()) or len(size) > 19 or size != str(int(size)):
        raise NoteError("the size of a checkpoint is a decimal number")
    root = _bytes(lines[2])
    if len(root) != HASH_BYTES or int(size) > MAX_SIZE:
        raise NoteError("the root of a checkpoint is 32 bytes, its size below 2^63")
    return Checkpoint(lines[0], int(size), root)


def _parts(note: str) -> tuple[str, list[tuple[str, bytes]]]:
    """The text and the signature lines of a note: (name, key id and signature)."""
    if len(note.encode()) > NOTE_LIMIT:
        raise NoteError("the note is too long")
    text, empty, rest = note.rpartition("\n\n")
    text += "\n"
    if not empty or not rest.endswith("\n"):
        raise NoteError("a note is a text, an empty line and signatures")
    _check_text(text)
    lines = [_signature(line) for line in rest[:-1].split("\n")]
    if len(lines) > SIGNATURE_LIMIT:
        raise NoteError("the note has too many signatures")
    return text, lines


def _signature(line: str) -> tuple[str, bytes]:
    name, space, encoded = line.removeprefix(_DASH).partition(" ")
    body = _bytes(encoded)
    if not line.startswith(_DASH) or not space or not is_name(name) or len(body) <= KEY_ID_BYTES:
        raise NoteError("a signature reads: dash, name, base64")
    return name, body


def _check_text(text: str) -> None:
    if text in ("", "\n") or not text.endswith("\n") or any(c < " " and c != "\n" for c in text):
        raise NoteError("a note's text ends with a newline and has no other control characters")


def _base64(value: bytes) -> str:
    return base64.b64encode(value).decode()


def _bytes(text: str) -> bytes:
    """Decode base64 that is spelled the one right way."""
    try:
        value = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as exc:
        raise NoteError("this is not base64") from exc
    if _base64(value) != text:
        raise NoteError("this base64 is not spelled as it must be")
    return value
