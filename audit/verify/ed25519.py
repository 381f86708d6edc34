"""Verifying Ed25519 signatures (RFC 8032, 5.1.7) with integers alone.

An auditor's machine has Python and nothing else, and a check that may be left out where a library is missing
is none; so this is not optional and uses no library. Only public data is touched, so nothing here need run in
constant time. One signature takes some four milliseconds.

Stricter than the RFC demands, so that a signature has one form and no key signs everything:

- S must be below the group's order (RFC 8032, 5.1.7), so nobody makes a second signature of a first;
- the key and R must be canonical encodings of points: y below p, and no sign on x = 0;
- the key and R must not be of small order: such a key's signatures fit any message, and no honest signer
  makes such an R. Libsodium refuses both, too;
- the equation is checked without the cofactor, as OpenSSL and Go do: S*B - k*A must be R itself.
"""

import hashlib
from functools import lru_cache

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
KEY_BYTES, SIGNATURE_BYTES = 32, 64

_D = -121665 * pow(121666, P - 2, P) % P
_ROOT_OF_MINUS_ONE = pow(2, (P - 1) // 4, P)
_SIGN = 1 << 255

Point = tuple[int, int, int, int]
"""Extended coordinates (X, Y, Z, T): x = X/Z, y = Y/Z, x*y = T/Z."""

_NEUTRAL: Point = (0, 1, 1, 0)


@lru_cache(maxsize=256)  # a note may stand in a bundle more than once
def verify(public: bytes, message: bytes, signature: bytes) -> bool:
    """Whether ``signature`` is that of the key ``public`` over ``message``; it never raises."""
    if len(public) != KEY_BYTES or len(signature) != SIGNATURE_BYTES:
        return False
    key, commitment = _decoded(public), _decoded(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if key is None or commitment is None or s >= ORDER:
        return False
    if _is_small(key) or _is_small(commitment):
        return False
    challenge = int.from_bytes(hashlib.sha512(signature[:32] + public + message).digest(), "little") % ORDER
    x, y, z, t = key
    return _encoded(_twofold(s, challenge, (P - x, y, z, P - t))) == signature[:32]


@lru_cache(maxsize=256)
def is_usable(public: bytes) -> bool:
    """Whether these bytes are a key that can verify anything: a canonical point, not of small order."""
    key = _decoded(public) if len(public) == KEY_BYTES else None
    return key is not None and not _is_small(key)


def _decoded(data: bytes) -> Point | None:
    """The point these 32 bytes are the one right encoding of (RFC 8032, 5.1.3)."""
    value = int.from_bytes(data, "little")
    y, odd = value & ~_SIGN, value >> 255
    if y >= P:
        return None
    square = (y * y - 1) * pow(_D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * _ROOT_OF_MINUS_ONE % P
    if (x * x - square) % P or (x == 0 and odd):
        return None
    if x & 1 != odd:
        x = P - x
    return x, y, 1, x * y % P


def _encoded(point: Point) -> bytes:
    x, y, z, _ = point
    inverse = pow(z, P - 2, P)
    return (y * inverse % P | (x * inverse % P & 1) << 255).to_bytes(32, "little")


def _add(left: Point, right: Point) -> Point:
    x1, y1, z1, t1 = left
    x2, y2, z2, t2 = right
    a, b = (y1 - x1) * (y2 - x2) % P, (y1 + x1) * (y2 + x2) % P
    c, d = 2 * t1 * t2 * _D % P, 2 * z1 * z2 % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def _doubled(point: Point) -> Point:
    x, y, z, _ = point
    a, b, c = x * x % P, y * y % P, 2 * z * z % P
    h = a + b
    e, g = h - (x + y) * (x + y) % P, a - b
    f = c + g
    return e * f % P, g * h % P, f * g % P, e * h % P


def _twofold(s: int, k: int, point: Point) -> Point:
    """``s`` times the base point and ``k`` times ``point``, bit by bit of both at once."""
    addends = (None, _BASE, point, _add(_BASE, point))
    result = _NEUTRAL
    for bit in range(max(s.bit_length(), k.bit_length()) - 1, -1, -1):
        result = _doubled(result)
        addend = addends[(s >> bit & 1) | (k >> bit & 1) << 1]
        if addend is not None:
            result = _add(result, addend)
    return result


def _is_small(point: Point) -> bool:
    """Whether eight times the point is the neutral element."""
    x, y, z, _ = _doubled(_doubled(_doubled(point)))
    return x == 0 and (y - z) % P == 0


def _base() -> Point:
    found = _decoded((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))
    assert found is not None, "the base point of RFC 8032"
    return found


_BASE = _base()
