"""The system's own password hash at its cheapest, so that employing people does not dominate tests."""

from django.contrib.auth.hashers import Argon2PasswordHasher


class CheapArgon2(Argon2PasswordHasher):
    """Argon2 with the least time and memory it takes."""

    time_cost = 1
    memory_cost = 8
    parallelism = 1
