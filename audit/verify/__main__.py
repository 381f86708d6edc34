"""``python -m audit.verify bundle.zip --key FILE``, and what ``pitledger-verify`` runs.

Exit code 0 only when everything holds, 1 with findings, 2 when it could not be read or asked properly.
"""

import argparse
import json
import mmap
import sys
from collections.abc import Callable, Sequence
from io import StringIO
from pathlib import Path
from typing import TypeVar

from audit.verify.apart import ProcessLost, processors
from audit.verify.bundle import Judged, verify_bundle
from audit.verify.notes import Key, open_checkpoint, parse_key
from audit.verify.page import page, report
from audit.verify.progress import Line, Progress
from audit.verify.rows import Export, read_export

T = TypeVar("T")
VERIFIED, FOUND, FAILED = 0, 1, 2
MOST_JOBS = 256


def main(arguments: Sequence[str] | None = None) -> int:
    """Verify a bundle and print the report; the exit code."""
    options = _parser().parse_args(arguments)
    line = Line()
    try:
        keys = [_named(path, _key) for path in options.key]
        judged = _judged(options, keys, line.progress)
        line.clear()
        pinned = [key.text for key in keys]
        said = json.dumps(report(judged, pinned), indent=2) + "\n" if options.json else page(judged, pinned)
    except (OSError, ValueError, MemoryError, ProcessLost) as error:
        line.clear()
        sys.stderr.write(f"could not verify: {str(error) or 'there is not enough memory'}\n")
        return FAILED
    except KeyboardInterrupt:
        line.clear()
        sys.stderr.write("stopped\n")
        return FAILED
    if not _said(said):
        return FAILED
    return VERIFIED if judged.holds else FOUND


def _said(report: str) -> bool:
    """Print the report; whether it was taken: a report that nobody has is no verdict."""
    try:
        sys.stdout.write(report)
        sys.stdout.flush()
    except OSError as error:
        sys.stderr.write(f"the report could not be printed: {error.strerror or error}\n")
        sys.stdout = StringIO()  # else Python flushes the rest of it when it ends, and fails again
        return False
    return True


def _key(path: Path) -> Key:
    return parse_key(path.read_text(encoding="utf-8").strip())


def _jobs(text: str) -> int:
    """How many processes, as it is written on the command line.

    Raises:
        ArgumentTypeError: it is no number, or not one of 1 to 256.
    """
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 4 else 0
    if not 1 <= number <= MOST_JOBS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to {MOST_JOBS}")
    return number


def _named(path: Path, read: Callable[[Path], T]) -> T:
    """What is read of a file; whatever is wrong with it is told with its name."""
    try:
        return read(path)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def _judged(options: argparse.Namespace, keys: Sequence[Key], progress: Progress) -> Judged:
    """What is found of the bundle, with what is to be compared with it."""
    since = options.since.read_bytes() if options.since else None
    if since is not None:
        note = since
        _named(options.since, lambda _: open_checkpoint(note, keys))
    exports = [_named(path, read_export) for path in options.rounds]
    return _judge(options.bundle, keys, since, exports, options.jobs or processors(), progress)


def _judge(
    path: Path,
    keys: Sequence[Key],
    since: bytes | None,
    exports: Sequence[Export],
    jobs: int,
    progress: Progress,
) -> Judged:
    """The bundle in that file, mapped rather than read: it may be larger than the memory."""
    if path.exists() and not path.is_file():
        raise ValueError(f"{path}: a bundle is a file, and this is none")
    with path.open("rb") as file:
        if not path.stat().st_size:
            return verify_bundle(b"", keys=keys, since=since, exports=exports)
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    view = memoryview(mapped)
    return verify_bundle(
        view, keys=keys, since=since, exports=exports, jobs=jobs, path=path, progress=progress
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="pitledger-verify",
        description="Verify a bundle offline, from values, against a public key you kept elsewhere.",
        epilog="Exit code 0: everything holds. 1: there are findings. 2: it could not be verified.",
    )
    parser.add_argument("bundle", type=Path, help="the bundle, a zip")
    parser.add_argument(
        "--key",
        type=Path,
        nargs="+",
        required=True,
        metavar="FILE",
        help="the log's public key (.pub) from whoever you trust with it; one for each key it ever had",
    )
    parser.add_argument(
        "--since",
        type=Path,
        metavar="FILE",
        help="the signed checkpoint you have from before; the bundle must be proved to continue it",
    )
    parser.add_argument(
        "--rounds",
        type=Path,
        nargs="+",
        default=[],
        metavar="FILE",
        help="exported rounds of the same scope: they must be what the journal gives (.csv and .jsonl row by"
        " row, .parquet and .xlsx by their signed sums)",
    )
    parser.add_argument(
        "--jobs",
        type=_jobs,
        metavar="N",
        help="processes for a large bundle, by default one for each processor; the report is the same",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser


if __name__ == "__main__":
    sys.exit(main())
