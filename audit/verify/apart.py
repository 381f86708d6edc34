"""The streams of a large bundle walked apart, in processes of their own, and joined.

A stream with what is cited is a bundle by itself: it is walked as any other. What is between streams (ids,
pieces, the tree) is judged when all have come back. Should anything be found, one process walks all of it
again and says so: how many processes there were can be seen in no report.
"""

import gc
import mmap
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import cpu_count
from pathlib import Path
from signal import SIGTERM, raise_signal
from typing import NamedTuple

from audit.verify import container
from audit.verify.exports import Expected
from audit.verify.manifest import CITED, ENTRIES, LEAVES, Span
from audit.verify.progress import Progress
from audit.verify.records import Cut, end_of
from audit.verify.report import Finding, Findings
from audit.verify.walk import LEAF_BYTES, BundleWalk
from audit.verify.walked import Walked

try:
    from os import sched_getaffinity
except ImportError:  # not every system keeps processes to some of its processors
    sched_getaffinity = None  # type: ignore[assignment]

FORKED = sys.platform == "linux"  # elsewhere a process begins from nothing, and maps the file again
SMALL = 2**19 if FORKED else 2**22  # bytes of entries that take no longer than processes take to begin
PARTS_EACH = 4  # parts for each process, so that none waits long for the others


class ProcessLost(Exception):
    """A process ended before it had answered: it was killed, or there was no memory left."""


class Part(NamedTuple):
    """Some of the spans: the first of them and the one behind the last, and the same of bytes and records."""

    spans: slice
    entries: slice
    records: slice


class Bundle(NamedTuple):
    """What every process needs.

    Attributes:
        members: those that are walked.
        wants_rounds: whether rows of rounds are to be made.
    """

    spans: Sequence[Span]
    members: Mapping[str, memoryview]
    wants_rounds: bool

    @property
    def entries(self) -> int:
        """How many entries there must be."""
        return sum(span.last - span.first + 1 for span in self.spans)


class Mapped(NamedTuple):
    """The same where processes share no memory: where in the file its members lie."""

    path: Path
    spans: Sequence[Span]
    places: Mapping[str, slice]
    wants_rounds: bool

    def bundle(self) -> Bundle:
        """Map the file again."""
        with self.path.open("rb") as file:
            view = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        return Bundle(
            self.spans, {name: view[place] for name, place in self.places.items()}, self.wants_rounds
        )


def mapped(bundle: Bundle, path: Path) -> Mapped:
    """Where the members of a bundle lie in its file."""
    places, at = dict[str, slice](), 0
    for name, content in bundle.members.items():
        at += len(container.local_header(container.Member(name, len(content), 0)))
        places[name] = slice(at, at + len(content))
        at += len(content)
    return Mapped(path, bundle.spans, places, bundle.wants_rounds)


@dataclass(slots=True)
class Told:
    """What a process found out about a part."""

    walked: Walked
    found: int
    ids: bytes = b""
    unknown: Counter[tuple[str, str]] = field(default_factory=Counter)
    remarks: list[Finding] = field(default_factory=list)
    expected: Expected = field(default_factory=Expected)


def processors() -> int:
    """How many processors this process may use."""
    return len(sched_getaffinity(0)) if sched_getaffinity is not None else cpu_count() or 1


def walk_apart(
    bundle: Bundle,
    findings: Findings,
    expected: Expected,
    *,
    jobs: int,
    path: Path | None,
    progress: Progress,
) -> Walked | None:
    """Walk a bundle by several processes.

    Args:
        findings: takes remarks, and nothing else.
        expected: takes the rounds, where they are wanted.
        jobs: how many processes.
        path: of the bundle; where processes share no memory there is one without it.
        progress: told of each part that is done.

    Returns:
        What follows from the entries; None where one process has to walk them: the bundle is small, or not as
        it must be, or no other can be begun.

    Raises:
        ProcessLost: one of them was lost, and nothing is known.
    """
    if jobs < 2 or len(bundle.members[ENTRIES]) < SMALL or not (FORKED or (path and sys.executable)):
        return None
    parts = _parts(bundle, jobs * PARTS_EACH)
    if len(parts) < 2:
        return None
    told = _walked(bundle, parts, min(jobs, len(parts)), path, progress)
    if told is None:
        return None
    whole = _opened(bundle, Findings())
    if any(one.found for one in told) or any(whole.knows(one.ids) for one in told):
        return None
    for one in told:
        whole.join(one.walked, one.unknown)
        whole.findings.remarks += one.remarks
    walked = whole.conclude()
    if whole.findings.count:
        return None
    for one in told:
        expected.join(one.expected)
    findings.remarks += whole.findings.remarks
    return walked


def _parts(bundle: Bundle, number: int) -> list[Part]:
    """The streams in about so many parts of neighbours; none where their records cannot be told apart."""
    entries, parts = bundle.members[ENTRIES], list[Part]()
    size = len(entries) // number
    begun, at, begin, count, first = 0, 0, 0, 0, 0
    try:
        for place, span in enumerate(bundle.spans, start=1):
            at = end_of(entries, at, span.last - span.first + 1)
            count += span.last - span.first + 1
            if at - begin >= size or place == len(bundle.spans):
                parts.append(Part(slice(begun, place), slice(begin, at), slice(first, count)))
                begun, begin, first = place, at, count
    except Cut:
        return []
    return parts if at == len(entries) else []


def _opened(bundle: Bundle, findings: Findings) -> BundleWalk:
    """The walk over a bundle, where others walk its entries."""
    members = bundle.members
    whole = BundleWalk(
        bundle.spans,
        entries=members[ENTRIES],
        cited=members[CITED],
        leaves=members[LEAVES],
        findings=findings,
    )
    whole.open()
    return whole


def _walked(
    bundle: Bundle, parts: Sequence[Part], jobs: int, path: Path | None, progress: Progress
) -> list[Told] | None:
    """What the processes found out, in the order of the parts; None where none can be begun."""
    # Only here, for most bundles are small, and these take as long to import as one of those to verify.
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    given = bundle if FORKED or path is None else mapped(bundle, path)
    largest_first = sorted(parts, key=lambda part: part.entries.start - part.entries.stop)
    context = get_context("fork" if FORKED else "spawn")
    try:
        with ProcessPoolExecutor(jobs, context, initializer=_begin, initargs=(given,)) as pool:
            answers = {pool.submit(_walk, part): part for part in largest_first}
            for answer in as_completed(answers):
                answer.result()
                records = answers[answer].records
                progress.advance(records.stop - records.start)
    except BrokenProcessPool as exc:
        raise ProcessLost("a process that verified a part of it was lost") from exc
    except (OSError, ImportError, NotImplementedError):  # the system allows none, or no semaphores
        return None
    return [answer.result() for answer in sorted(answers, key=lambda one: answers[one].spans.start)]


_bundle: Bundle | None = None
"""What this process walks parts of; set when it begins."""


def _begin(given: Bundle | Mapped) -> None:
    from threading import Thread  # only here, as above

    global _bundle
    Thread(target=_end_with_parent, daemon=True).start()
    gc.freeze()  # what was there before is looked at no more, and stays shared
    _bundle = given if isinstance(given, Bundle) else given.bundle()


def _end_with_parent() -> None:
    """End when the process that began this one is gone, even killed: nobody takes what is found out."""
    from multiprocessing import parent_process

    parent = parent_process()
    assert parent is not None, "another began this one"
    parent.join()
    raise_signal(SIGTERM)


def _walk(part: Part) -> Told:
    """Walk a part, with what is cited, as the bundle that it is."""
    assert _bundle is not None, "a process begins with it"
    members, findings, expected = _bundle.members, Findings(), Expected()
    own = slice(part.records.start * LEAF_BYTES, part.records.stop * LEAF_BYTES)
    walk = BundleWalk(
        _bundle.spans[part.spans],
        entries=members[ENTRIES][part.entries],
        cited=members[CITED],
        leaves=memoryview(
            bytes(members[LEAVES][own]) + bytes(members[LEAVES][_bundle.entries * LEAF_BYTES :])
        ),
        findings=findings,
        played=expected.take if _bundle.wants_rounds else lambda played: None,
    )
    walk.open()
    walk.walk()
    return Told(walk.walked, findings.count, walk.ids, walk.unknown, findings.remarks, expected)
