"""``python -m tests.fuzz [--seconds N] [--seed N]``: a run on a server of its own."""

import argparse
import os
import secrets
import tempfile
from pathlib import Path

import django


def main() -> None:
    """Print the seed, play, and print how it went; exit code 1 when journal and model differ."""
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=None)
    options = parser.parse_args()
    seed = secrets.randbelow(2**32) if options.seed is None else options.seed
    print(f"seed {seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="pitledger-fuzz-") as home:
        os.environ["PITLEDGER_HOME"] = home
        from config.embedded import services

        with services(Path(home), fast=True) as endpoints:
            os.environ.update(endpoints.environ())
            os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
            django.setup()
            play(seed, options.seconds)


def play(seed: int, seconds: float) -> None:
    """Migrate and play."""
    from django.core.management import call_command
    from django.db import connections

    from tests.fuzz.driver import Differs, Driver

    call_command("migrate", verbosity=0)
    try:
        outcome = Driver(seed).run(seconds=seconds)
    except Differs as exc:
        raise SystemExit(f"journal and model differ; {exc}") from exc
    finally:
        connections.close_all()
    for name, count in sorted(outcome.answers.items()):
        print(f"{count:>8}  {name}")
    print(f"{outcome.operations} operations: journal and model agree, and the verifier finds nothing")


if __name__ == "__main__":
    main()
