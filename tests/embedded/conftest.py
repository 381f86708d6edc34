"""Homes for the embedded services' own tests, which use real servers throughout."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.embedded.harness import SERVICE_VARIABLES, Launch, Launched, nothing_left, people


@pytest.fixture(autouse=True)
def _nothing_configured(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in SERVICE_VARIABLES:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(params=people())
def person(request: pytest.FixtureRequest) -> str:
    """As whom to run the launcher."""
    value: str = request.param
    return value


@pytest.fixture
def launch() -> Iterator[Launch]:
    """Starts launchers; takes the arguments of Launched."""
    with ExitStack() as stack:

        def start(*args: Any, **kwargs: Any) -> Launched:
            launched = Launched(*args, **kwargs)
            stack.callback(launched.dispose)
            return launched

        yield start


@pytest.fixture(scope="session")
def durable_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A home with a durable cluster in it, made by the launcher."""
    home = tmp_path_factory.mktemp("durable") / "h"
    assert Launched(home).ready().finish() == 7
    yield home
    shutil.rmtree(home)


@pytest.fixture
def home(durable_home: Path) -> Iterator[Path]:
    """The durable home, on which nothing may run when the test has ended.

    Tests share it: whatever happens to the processes, the next start must be able to recover.
    """
    yield durable_home
    assert nothing_left(durable_home)


@pytest.fixture
def spoilt_home(durable_home: Path, tmp_path: Path) -> Iterator[Path]:
    """A copy of the durable home, for tests that damage its files."""
    home = tmp_path / "h"
    shutil.copytree(durable_home, home)
    yield home
    assert nothing_left(home)
    shutil.rmtree(home)


@pytest.fixture
def empty_home(tmp_path: Path) -> Iterator[Path]:
    """Like ``home``, for a home that does not exist yet."""
    home = tmp_path / "h"
    yield home
    assert nothing_left(home)
    shutil.rmtree(home, ignore_errors=True)


@pytest.fixture
def short_path() -> Iterator[Path]:
    """A folder with a name short enough for sockets below it, wherever pytest's own lie."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        yield Path(folder)
