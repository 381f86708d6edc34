"""``python -m config.floor demo`` and ``... up``, run below ``python -m config.embedded run --``."""

import argparse
import os
import secrets
import sys
from collections.abc import Sequence

import django

DEFAULT_PORT, GREATEST_PORT = 8000, 65_535
DEFAULT_ROUNDS = 240


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m config.floor", description=__doc__)
    actions = parser.add_subparsers(dest="action", required=True)
    demo = actions.add_parser("demo", help="play, close, reconcile and verify one gaming day")
    demo.add_argument("--rounds", type=int, default=DEFAULT_ROUNDS, help="over all tables, at least")
    demo.add_argument("--seed", default=None, help="of the players' decisions; default a fresh one")
    up = actions.add_parser("up", help="keep a floor running")
    up.add_argument("--empty", action="store_true", help="an administrator, and nobody else")
    # A default that is text is read as the argument would be, so a wrong variable is told as one.
    up.add_argument("--port", type=_port, default=os.environ.get("PITLEDGER_PORT") or DEFAULT_PORT)
    play = actions.add_parser("play", help="the simulated terminals of `up` (started by it)")
    play.add_argument("--port", type=int, required=True)
    actions.add_parser("audit", help="beat and worker in one, where there is no Redis (started by `up`)")
    options = parser.parse_args(arguments)

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    # Only now can models be imported.
    from config.floor import alone, guests, running
    from config.floor.demo import run as play_a_day

    if options.action == "demo":
        return play_a_day(rounds=options.rounds, seed=options.seed or secrets.token_hex(4))
    if options.action == "up":
        return running.run(port=options.port, empty=options.empty)
    if options.action == "play":
        return guests.run(port=options.port)
    return alone.run()


def _port(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) <= GREATEST_PORT:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port (1 to {GREATEST_PORT}); see PITLEDGER_PORT")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
