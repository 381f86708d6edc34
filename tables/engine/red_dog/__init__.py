"""Casino Red Dog, banked by the house: every seat plays the same three cards.

``rulebook`` names the rules, ``actions`` what can happen, ``board`` what the cards decide and pay,
``state`` what a round remembers, ``game`` which action is legal when and which chips it moves.
"""

from tables.engine.red_dog.game import RedDog, tray_need
from tables.engine.red_dog.state import State

RED_DOG = RedDog()

__all__ = ["RED_DOG", "RedDog", "State", "tray_need"]
