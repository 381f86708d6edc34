"""``python -m config.embedded run -- COMMAND ARGS...``, ``... status`` and ``... discard``."""

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from config import env
from config.embedded.discard import discard
from config.embedded.launcher import Endpoints, read_state, services
from config.embedded.paths import EmbeddedError, Layout
from config.embedded.process import spawn
from config.embedded.trampoline import end_with

FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
CANNOT_START = 69  # EX_UNAVAILABLE of sysexits.h: told apart from the command's own codes


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m config.embedded", description=__doc__)
    actions = parser.add_subparsers(dest="action", required=True)
    run = actions.add_parser(
        "run", help="start PostgreSQL and Redis, run a command with their addresses, stop"
    )
    run.add_argument(
        "--with-parent",
        type=int,
        metavar="PID",
        help="stop, as on SIGTERM, when this parent of ours ends, killed or not",
    )
    run.add_argument("command", nargs=argparse.REMAINDER, metavar="-- COMMAND")
    actions.add_parser("status", help="say what runs on PITLEDGER_HOME")
    away = actions.add_parser("discard", help="remove homes with everything in them, unless one is in use")
    away.add_argument("home", type=Path, nargs="*", default=[env.home()], help="PITLEDGER_HOME, if left out")
    options = parser.parse_args(arguments)
    if options.action == "status":
        return status()
    if options.action == "discard":
        return throw_away(options.home)
    command = options.command[1:] if options.command[:1] == ["--"] else options.command
    if not command:
        parser.error("no command given")
    if options.with_parent is not None and not end_with(options.with_parent, signal.SIGTERM):
        sys.stderr.write(f"process {options.with_parent}, with which this was to end, is gone\n")
        return CANNOT_START
    try:
        with services() as endpoints:
            return run_command(command, endpoints)
    except EmbeddedError as error:
        sys.stderr.write(f"{error}\n")
        return CANNOT_START
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


def run_command(command: Sequence[str], endpoints: Endpoints) -> int:
    """Run ``command`` in our terminal with the services' addresses; returns its exit code.

    Signals wait while it runs: what a person or program sends us goes on to it, what the terminal
    sends (Ctrl-C) it has got already.
    """
    if endpoints.redis_url is None:
        sys.stderr.write("no redis-server found: beat does the background work itself\n")
    signals = (*FORWARDED, signal.SIGCHLD)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    try:
        child = spawn(command, new_session=False, env=os.environ | endpoints.environ())
        while child.poll() is None:
            news = signal.sigtimedwait(signals, 1.0)
            if news is not None and news.si_signo in FORWARDED and news.si_pid:
                child.send_signal(news.si_signo)
            elif endpoints.revive():
                sys.stderr.write("PostgreSQL and Redis were gone (keeper killed); started again\n")
        code = child.returncode
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return code if code >= 0 else 128 - code


def throw_away(homes: Sequence[Path]) -> int:
    """Remove the homes; exit code 0 if all of them are gone now."""
    try:
        discard(*homes)
    except EmbeddedError as error:
        sys.stderr.write(f"{error}\n")
        return CANNOT_START
    return 0


def status() -> int:
    """Print what runs on the home; exit code 0 if something does, 3 if nothing (as init scripts do)."""
    layout = Layout(env.home())
    state = read_state(layout) if layout.run.is_dir() else None
    if state is None:
        sys.stdout.write(f"nothing runs on {layout.home}\n")
        return 3
    sys.stdout.write(
        f"home     {layout.home}\nsockets  {state['sockets']}\nkeeper   process {state['keeper']}\n"
    )
    for name, pid in state["servers"].items():
        restarts = state["restarts"].get(name, 0)
        sys.stdout.write(
            f"{name:<8} process {pid}" + (f", restarted {restarts} times" if restarts else "") + "\n"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
