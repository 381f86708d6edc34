"""What the printing commands share: a document written whole or not at all."""

from collections.abc import Sequence
from pathlib import Path

from audit.printing.paper import Paper, page
from config.commands import check_output, not_written
from ledger.checkpoints.files import write_whole

READABLE = 0o644


def written(papers: Sequence[Paper], *, title: str, path: Path) -> str:
    """Write papers to a file that is readable by itself; what to say of it.

    Raises:
        CommandError: it could not be written.
    """
    check_output(path)
    with not_written(path):
        write_whole(path, page(papers, title=title, alone=True), mode=READABLE)
    return f"{path}: {title}"
