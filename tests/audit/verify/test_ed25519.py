"""Ed25519 by integers alone: the RFC's vectors, agreement with OpenSSL, and what the RFC leaves open."""

import json
import random

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from audit.verify.ed25519 import ORDER, P, is_usable, verify
from config.env import BASE_DIR

VECTORS = json.loads((BASE_DIR / "tests" / "data" / "ed25519_rfc8032.json").read_text())["vectors"]
NEUTRAL = (1).to_bytes(32, "little")
SMALL = [  # the eight points of small order, as canonical encodings
    NEUTRAL,
    (P - 1).to_bytes(32, "little"),
    bytes(32),
    bytes(31) + b"\x80",
    *(
        bytes.fromhex(text)
        for text in (
            "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
            "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
            "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
            "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
        )
    ),
]


def fields(vector: dict[str, str]) -> tuple[bytes, bytes, bytes]:
    """Key, message and signature of a vector."""
    public, message, signature = (bytes.fromhex(vector[name]) for name in ("public", "message", "signature"))
    return public, message, signature


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_the_vectors_of_the_rfc(vector: dict[str, str]) -> None:
    """RFC 8032, 7.1: all five of them."""
    public, message, signature = fields(vector)
    assert verify(public, message, signature)
    assert not verify(public, message + b"\x00", signature)
    for at in (0, 31, 32, 63):
        changed = signature[:at] + bytes([signature[at] ^ 1]) + signature[at + 1 :]
        assert not verify(public, message, changed)


def test_it_agrees_with_openssl() -> None:
    choice = random.Random(5)
    for size in range(12):
        private = Ed25519PrivateKey.from_private_bytes(choice.randbytes(32))
        message = choice.randbytes(size * 17)
        public, signature = private.public_key().public_bytes_raw(), private.sign(message)
        assert verify(public, message, signature)
        at = choice.randrange(64)
        assert not verify(public, message, signature[:at] + bytes([signature[at] ^ 4]) + signature[at + 1 :])


def test_s_is_below_the_order() -> None:
    """RFC 8032, 5.1.7: otherwise anybody makes a second signature of a first."""
    public, message, signature = fields(VECTORS[2])
    s = int.from_bytes(signature[32:], "little") + ORDER
    assert not verify(public, message, signature[:32] + s.to_bytes(32, "little"))


def test_points_have_one_encoding() -> None:
    """RFC 8032, 5.1.3: y below p; x = 0 has no sign; and not every y is one of a point."""
    _, message, signature = fields(VECTORS[2])
    for encoded in (
        (P + 1).to_bytes(32, "little"),  # the neutral element, a second time
        (P + 3).to_bytes(32, "little"),
        bytes([1, *bytes(30), 0x80]),  # x = 0 with a sign
        (2).to_bytes(32, "little"),  # no point has this y
        b"\xff" * 32,
    ):
        assert not is_usable(encoded)
        assert not verify(encoded, message, signature)
        assert not verify(fields(VECTORS[2])[0], message, encoded + signature[32:])


@pytest.mark.parametrize("point", SMALL, ids=lambda point: point.hex()[-8:])
def test_points_of_small_order_verify_nothing(point: bytes) -> None:
    """With such a key S = 0 and a fitting R would sign any message, and one in eight by chance."""
    assert not is_usable(point)
    for commitment in SMALL:
        for number in range(4):
            assert not verify(point, bytes([number]), commitment + bytes(32))
    public, message, signature = fields(VECTORS[2])
    assert not verify(public, message, point + signature[32:])


def test_other_lengths_are_no_signatures() -> None:
    public, message, signature = fields(VECTORS[1])
    assert not verify(public[:-1], message, signature)
    assert not verify(public, message, signature[:-1])
    assert not verify(public, message, signature + b"\x00")
    assert not is_usable(public + b"\x00")
    assert is_usable(public)
