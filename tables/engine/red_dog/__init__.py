"""Casino Red Dog, banked by the house: every seat plays the same three cards.

``rulebook`` names the rules, ``actions`` what can happen, ``board`` what the cards decide and pay,
``state`` what a round remembers, ``legal`` which action is when, ``game`` which chips it moves. ``sides`` and
``game2`` add what lies beside the seats' own bets in version 2.
"""

from tables.engine.red_dog.game import RedDog, tray_need
from tables.engine.red_dog.game2 import RedDogSides
from tables.engine.red_dog.state import State

RED_DOG = RedDog()
RED_DOG_2 = RedDogSides()

__all__ = ["RED_DOG", "RED_DOG_2", "RedDog", "State", "tray_need"]
