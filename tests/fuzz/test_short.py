"""A short run of the driver, and proof that it would notice."""

import os
import secrets
from typing import Any

import pytest

from ledger import services
from ledger.services import Posted
from tests.fuzz.driver import Differs, Driver

pytestmark = pytest.mark.django_db(transaction=True)

OPERATIONS = 400


def test_journal_and_model_agree() -> None:
    seed = 7 if os.environ.get("CI") else secrets.randbelow(2**32)
    print(f"seed {seed}")
    outcome = Driver(seed).run(operations=OPERATIONS)
    assert outcome.operations >= OPERATIONS
    assert outcome.answers["Post accepted"] > OPERATIONS // 5
    assert len(outcome.answers) > 10


def test_difference_is_noticed_with_seed_and_operations(monkeypatch: pytest.MonkeyPatch) -> None:
    """A journal that moves one unit too many is found out at once."""
    real = services.post

    def generous(**arguments: Any) -> Posted:
        moves = arguments["movements"]
        if moves and type(moves[0].amount) is int:
            moves[0] = services.Movement(moves[0].source, moves[0].target, moves[0].amount + 1)
        return real(**arguments)

    monkeypatch.setattr(services, "post", generous)
    with pytest.raises(Differs, match=r"seed 7: .*\n(.*\n)*.*the last operations"):
        Driver(7).run(operations=OPERATIONS)
