"""What the printing commands share: a document written whole or not at all."""

from collections.abc import Sequence
from pathlib import Path

from django.core.management.base import CommandError

from audit.printing.paper import Paper, page
from ledger.checkpoints.files import write_whole

READABLE = 0o644


def written(papers: Sequence[Paper], *, title: str, path: Path) -> str:
    """Write papers to a file that is readable by itself; what to say of it.

    Raises:
        CommandError: it could not be written.
    """
    if not path.parent.is_dir():
        raise CommandError(f"no folder {path.parent}")
    try:
        write_whole(path, page(papers, title=title, alone=True), mode=READABLE)
    except OSError as exc:
        raise CommandError(str(exc)) from exc
    return f"{path}: {title}"
