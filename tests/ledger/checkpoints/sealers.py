"""Sealers in processes of their own, which may be killed.

Run as ``python -m tests.ledger.checkpoints.sealers``: reads one order in JSON per line, forks a process for
each sealer it names, and answers their exit codes. An order says how many sealers run at once, how often each
seals, and the step after which the first of them is killed, if any.
"""

import json
import os
import signal
import sys
from collections.abc import Callable

import django

KILLED = -signal.SIGKILL


def main() -> None:
    """Obey orders until there are no more."""
    django.setup()
    print("ready", flush=True)
    for line in sys.stdin:
        order = json.loads(line)
        children = [_fork(order, dies=number == 0) for number in range(order["sealers"])]
        codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
        print(json.dumps(codes), flush=True)


def _fork(order: dict[str, object], *, dies: bool) -> int:
    child = os.fork()
    if child == 0:
        code = 1
        try:
            _seal(int(str(order["times"])), _dying_at(str(order["step"]) if dies else ""))
            code = 0
        finally:
            os._exit(code)
    return child


def _seal(times: int, step: Callable[[str], None]) -> None:
    from ledger.checkpoints.seal import seal
    from ledger.errors import SealerBusy

    for _ in range(times):
        try:
            seal(step=step)
        except SealerBusy:
            continue


def _dying_at(last: str) -> Callable[[str], None]:
    """Kill this process at the step of that name; ``name:2`` at its second time."""
    name, _, times = last.partition(":")
    left = int(times or 1)

    def step(taken: str) -> None:
        nonlocal left
        left -= taken == name
        if taken == name and left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    return step


if __name__ == "__main__":
    main()
