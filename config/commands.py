"""What the commands of ``manage.py`` share: their exit codes, and that the database fits the program."""

import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DEFAULT_DB_ALIAS, OperationalError, ProgrammingError, connections
from django.db.migrations.executor import MigrationExecutor

FOUND = 1
"""Exit code: the work was done, and something is not as it must be."""
FAILED = 2
"""Exit code: the work could not be done, so nothing was found out."""

NOT_MIGRATED = (
    "this database is not migrated (or older than the program): run `make up` or `manage.py migrate`"
)


class HouseCommand(BaseCommand):
    """A command that works on the database.

    Whatever keeps it from its work, a wrong argument or an error nobody expected, ends it with ``FAILED``:
    who runs it from a script must never take a failure for a finding.
    """

    requires_migrations_checks = True

    def check_migrations(self) -> None:
        """Refuse a database that lacks a migration the program has, instead of only telling of it.

        Raises:
            CommandError: it does, or it cannot be reached.
        """
        try:
            executor = MigrationExecutor(connections[DEFAULT_DB_ALIAS])
            pending = executor.migration_plan(executor.loader.graph.leaf_nodes())
        except OperationalError as error:
            raise CommandError(f"the database cannot be reached: {error}") from error
        except ProgrammingError as error:  # the list of migrations is there, but not yet for us to read
            raise CommandError(NOT_MIGRATED) from error
        if pending:
            raise CommandError(NOT_MIGRATED)

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Do the work; a failure carries its exit code."""
        try:
            return super().execute(*args, **options)
        except CommandError as failure:
            failure.returncode = FAILED
            raise

    def run_from_argv(self, argv: list[str]) -> None:
        """Run as from the command line; Python's own exit code for an unexpected error would be 1."""
        try:
            super().run_from_argv(argv)
        except Exception:
            traceback.print_exc()
            sys.exit(FAILED)


def check_output(path: Path) -> None:
    """See that a file can be made under this name.

    What is there is replaced, so it must be a file: root would put one in the place of a device, too.

    Raises:
        CommandError: its folder is not there, or it is a folder, a link, a device or a pipe itself.
    """
    if not path.parent.is_dir():
        raise CommandError(f"no folder {path.parent}")
    if path.is_dir():
        raise CommandError(f"{path} is a folder; name a file")
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise CommandError(f"{path} is there and no file; name a file")


@contextmanager
def not_written(path: Path) -> Iterator[None]:
    """Tell what keeps a file from being written by the name it was asked for under, not by its draft's.

    Raises:
        CommandError: it could not be written.
    """
    try:
        yield
    except OSError as error:
        raise CommandError(f"{path} cannot be written: {error.strerror or error}") from error


@contextmanager
def progress_bar(unit: str) -> Iterator[Callable[[int, int], None] | None]:
    """A bar of how many are done of how many, on standard error where that is a terminal; else nothing."""
    if not sys.stderr.isatty():
        yield None
        return
    from tqdm import tqdm  # for people only

    with tqdm(unit=f" {unit}", file=sys.stderr) as bar:

        def show(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield show
