"""The system's settings, with the cheapest password hash: for the processes that tests start."""

from config.settings import *  # noqa: F403 (the same in everything else)

PASSWORD_HASHERS = ["tests.hashers.CheapArgon2"]
