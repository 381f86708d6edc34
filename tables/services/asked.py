"""What a command must say before anything else is looked at: an amount above zero, and why."""

from config.errors import DomainError


def some(total: int) -> int:
    """The amount, which must be above zero.

    Raises:
        DomainError: `nothing_to_move` (422).
    """
    if total < 1:
        raise DomainError("nothing_to_move", "An amount above zero is needed.", status=422)
    return total


def why(reason: str, ask: str = "Say why, in a sentence.") -> str:
    """The reason, which must be something.

    Args:
        ask: what to tell whoever gave none.

    Raises:
        DomainError: `reason_missing` (422).
    """
    if not reason.strip():
        raise DomainError("reason_missing", ask, status=422)
    return reason.strip()
