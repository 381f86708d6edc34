"""A count that was made before another, and is committed to while that one must not know it.

``SHA-256(tag || salt || box || canonical JSON of the count)`` with a fresh 256-bit salt: whoever sees it
cannot try out counts, and whoever made it cannot change it afterwards.
"""

import hashlib
import json
from collections.abc import Mapping

TAG = b"pitledger:count:v1"
SALT_BYTES = 32
PARTS = ("notes", "chips", "instruments")
"""What is counted apart from one another in a drop box, each by value."""


def count_commitment(*, box: str, counted: Mapping[str, Mapping[str, int]], salt: bytes) -> str:
    """The commitment (hex) to the count of a box.

    Args:
        box: the box's id.
        counted: by part, value in minor units to how many there were.
        salt: fresh random bytes, `SALT_BYTES` of them.

    Raises:
        ValueError: a salt of another length.
    """
    if len(salt) != SALT_BYTES:
        raise ValueError(f"a salt has {SALT_BYTES} bytes")
    content = json.dumps(counted, sort_keys=True, separators=(",", ":")).encode()
    return hashlib.sha256(TAG + salt + box.encode() + b"\x00" + content).hexdigest()


def same_count(one: Mapping[str, Mapping[str, int]], other: Mapping[str, Mapping[str, int]]) -> bool:
    """Whether two counts found the same, by value; what there is none of may be left out."""
    return all(_found(one.get(part, {})) == _found(other.get(part, {})) for part in PARTS)


def _found(count: Mapping[str, int]) -> dict[str, int]:
    return {value: number for value, number in count.items() if number}
