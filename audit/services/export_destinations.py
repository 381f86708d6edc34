"""Bringing a scheduled export to where it is wanted: a folder of ours, or the object store.

A schedule names a folder, and nothing else: where the root is and which store there is, with whose
credentials, is the environment's to say. A file appears whole or not at all, its manifest after it; doing it
again brings the same bytes to the same names.
"""

import re
import uuid
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from audit.models import FOLDER_NAME, ExportDestination, ExportJob
from audit.services.export_files import file_of, manifest_of, note_of
from config import env
from config.errors import DomainError


class DestinationAway(DomainError):
    """The destination did not take the file, or not all of it; it is tried again."""

    def __init__(self, detail: str) -> None:
        super().__init__("destination_away", detail)


class DestinationOutside(DomainError):
    """The folder is none below the destination's root."""

    def __init__(self, folder: str) -> None:
        super().__init__("destination_outside", f"{folder!r} is no folder of the destination.", status=422)


def deliver(job: ExportJob) -> None:
    """Bring a job's file, its manifest and its note to the destination of its schedule.

    Raises:
        DestinationAway: it could not be reached, is full, or holds less than was sent.
        DestinationOutside: its folder has become a way out of its root.
    """
    schedule = job.schedule
    assert schedule is not None, "only what was scheduled has a destination"
    put = PUTS[ExportDestination(schedule.destination)]
    for path in (file_of(job), manifest_of(job), note_of(job)):
        try:
            put(path, checked_folder(schedule.folder))
        except OSError as error:
            raise DestinationAway(str(error)[:300]) from error


def checked_folder(name: str) -> str:
    """The name of a folder, which is one name and leads nowhere else.

    Raises:
        DestinationOutside: it is none.
    """
    if re.fullmatch(FOLDER_NAME, name) is None:
        raise DestinationOutside(name)
    return name


def _into_folder(path: Path, name: str) -> None:
    """Copy a file beside its place in a folder of ours, then into it."""
    from pyarrow import fs  # a worker's business alone: it is large

    root = env.private_folder(env.exports_folder() / "delivered")
    folder = root / name
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    if folder.is_symlink() or folder.resolve() != root.resolve() / name:
        raise DestinationOutside(name)
    draft = folder / f".{path.name}.{uuid.uuid4().hex}"
    local = fs.LocalFileSystem()
    try:
        fs.copy_files(str(path), str(draft), source_filesystem=local, destination_filesystem=local)
        _whole(draft.stat().st_size, path)
        local.move(str(draft), str(folder / path.name))
    finally:
        draft.unlink(missing_ok=True)


def _into_store(path: Path, name: str) -> None:
    """Copy a file to the object store, which shows it when it is whole."""
    from pyarrow import fs

    address = env.export_store()
    if address is None:
        raise DestinationAway("there is no object store any more")
    store, prefix = fs.FileSystem.from_uri(address)
    key = f"{prefix.rstrip('/')}/{name}/{path.name}"
    fs.copy_files(str(path), key, source_filesystem=fs.LocalFileSystem(), destination_filesystem=store)
    _whole(store.get_file_info(key).size, path)


def _whole(arrived: int | None, path: Path) -> None:
    if arrived != path.stat().st_size:
        raise DestinationAway(f"{arrived} bytes of {path.name} arrived.")


PUTS: dict[ExportDestination, Callable[[Path, str], None]] = {
    ExportDestination.FOLDER: _into_folder,
    ExportDestination.STORE: _into_store,
}
