"""What keeps a first count from the second: nowhere in the database, in clear or to be guessed.

The count itself is needed when the second is posted, so it is kept, encrypted with a key that is in no
database and all of one length. The journal gets a salted commitment. What identifies the command for its
retry is a keyed digest, since a plain one of so few possible counts could be tried out.
"""

import base64
import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cryptography.fernet import Fernet, MultiFernet

from config import env
from tables.engine.blind_count import SALT_BYTES, count_commitment

PURPOSE = b"pitledger:drop-count:"
BLOCK = 8192  # every count fits in one or two, so that its length tells next to nothing of it

Counted = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class Sealed:
    """A count that nobody can read, and the commitment (hex) that holds whoever made it to it."""

    content: bytes
    commitment: str


def seal_count(*, box: str, counted: Counted) -> Sealed:
    """Seal the count of a box (its id)."""
    salt = secrets.token_bytes(SALT_BYTES)
    plain = json.dumps({"box": box, "salt": salt.hex(), "counted": counted}).encode()
    padded = plain.ljust(-(-len(plain) // BLOCK) * BLOCK)
    commitment = count_commitment(box=box, counted=counted, salt=salt)
    return Sealed(_cipher().encrypt(padded), commitment)


def open_count(content: bytes, *, box: str) -> tuple[dict[str, dict[str, int]], str]:
    """The sealed count of a box, and the salt (hex) that opens its commitment."""
    secret: dict[str, Any] = json.loads(_cipher().decrypt(content))
    assert secret["box"] == box, "a sealed count stays with its box"
    return secret["counted"], secret["salt"]


def digest_of(counted: Counted) -> str:
    """What stands for a count in a command's fingerprint: keyed, so that no guess can be tried on it."""
    content = json.dumps(counted, sort_keys=True, separators=(",", ":")).encode()
    return hmac.new(_keys()[0], content, hashlib.sha256).hexdigest()


def _keys() -> list[bytes]:
    """Keys of this purpose alone, from the shoe key: newest first, the older ones still open."""
    return [hashlib.sha256(PURPOSE + text.encode()).digest() for text in env.secret("shoe_key").split(",")]


def _cipher() -> MultiFernet:
    return MultiFernet([Fernet(base64.urlsafe_b64encode(key)) for key in _keys()])
