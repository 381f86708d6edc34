"""Measuring and reporting: medians of several repetitions, floor and subject in turn."""

import json
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True)
class Row:
    """One figure: the subject's median, the floor's median, and the median of their ratios."""

    name: str
    value: float
    unit: str
    baseline_name: str
    baseline: float
    ratio: float
    goal: str
    runs: int

    def line(self) -> str:
        """The row as it is printed."""
        return (
            f"{self.name:<44} {self.value:>12,.0f} {self.unit:<14} "
            f"{self.ratio:>6.2f} x {self.baseline_name} ({self.baseline:,.0f}); goal {self.goal}"
        )


def compare(
    name: str,
    unit: str,
    subject: Callable[[], float],
    baseline_name: str,
    baseline: Callable[[], float],
    *,
    goal: str,
    runs: int,
) -> Row:
    """Measure subject and baseline in turn, `runs` times each, after one pair that does not count.

    Args:
        subject, baseline: each returns one measurement, in the same unit; more is better.
        goal: what the ratio should be, in words.
        runs: repetitions, at least 1.
    """
    pairs = [(subject(), baseline()) for _ in range(runs + 1)][1:]
    return Row(
        name=name,
        value=statistics.median(pair[0] for pair in pairs),
        unit=unit,
        baseline_name=baseline_name,
        baseline=statistics.median(pair[1] for pair in pairs),
        ratio=statistics.median(pair[0] / pair[1] for pair in pairs),
        goal=goal,
        runs=runs,
    )


def rate(work: Callable[[], int], seconds: float) -> float:
    """Pieces per second of `work`, which returns how many it did, repeated for about `seconds`."""
    done, started = 0, time.perf_counter()
    while time.perf_counter() - started < seconds:
        done += work()
    return done / (time.perf_counter() - started)


@contextmanager
def announced(name: str) -> Iterator[str]:
    """Say what is being measured while it is, and for how long it was."""
    started = time.perf_counter()
    print(f"measuring: {name} ...", flush=True)
    yield name
    print(f"    {time.perf_counter() - started:.0f} s", flush=True)


def write_report(rows: list[Row], target: Path) -> None:
    """Write the rows as JSON."""
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")
