"""What a round's entries may be called covers everything any game can do."""

from audit.called import CALLED
from tables.engine.card_room import actions as card_room
from tables.engine.red_dog import actions as red_dog

FOLLOW = {"open", "hand", "ante"}
"""What is never done first: it follows from a deal, or from a turn that emptied the pool."""


def test_whatever_can_be_done_first_has_an_entry_of_its_name() -> None:
    """A discarded hand, too: what is left out here would be a false finding, on the day somebody does it."""
    every = {
        name
        for module in (red_dog, card_room)
        for made in vars(module).values()
        if isinstance(made, type) and isinstance(name := vars(made).get("type"), str)
    }
    assert {"discard", "bet_money", "void"} <= every
    assert set().union(*CALLED.values()) == every - FOLLOW
