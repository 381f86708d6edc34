"""Removing a home: whole, and only one that nobody uses."""

import subprocess
import sys
from pathlib import Path

import pytest

from config.embedded.discard import discard
from config.embedded.paths import EmbeddedError, Layout
from config.env import BASE_DIR
from tests.embedded.harness import Launch, environment


def test_a_home_is_removed_and_can_be_made_again(empty_home: Path, launch: Launch) -> None:
    used = launch(empty_home).ready()
    before = set(empty_home.iterdir())
    with pytest.raises(EmbeddedError, match="servers run on"):
        discard(empty_home)
    assert set(empty_home.iterdir()) == before
    assert used.finish() == 7
    command = [sys.executable, "-m", "config.embedded", "discard"]
    subprocess.run(command, cwd=BASE_DIR, env=environment(empty_home), check=True)
    assert not empty_home.exists()
    assert launch(empty_home).ready().finish() == 7


def test_what_is_no_home_stays(tmp_path: Path) -> None:
    """And with it what was to go along."""
    precious, layout = tmp_path / "precious", Layout(tmp_path / "home")
    layout.make()
    precious.mkdir()
    (precious / "letter").write_text("dear")
    for homes in ([precious], [layout.home, precious]):
        with pytest.raises(EmbeddedError, match="does not look like a home"):
            discard(*homes)
    assert (precious / "letter").read_text() == "dear"
    assert layout.run.is_dir()


def test_nothing_and_an_empty_folder_are_no_trouble(tmp_path: Path) -> None:
    assert not discard(tmp_path / "missing")
    empty = tmp_path / "empty"
    empty.mkdir()
    assert discard(empty)
    assert not empty.exists()


def test_a_folder_elsewhere_goes_only_if_it_is_one_of_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "place"
    (place / "1234").mkdir(parents=True)
    others = tmp_path / "others"
    others.mkdir()
    monkeypatch.setattr("config.embedded.discard.PLACE", place)
    for elsewhere, stays in ((place / "1234", False), (others, True)):
        layout = Layout(tmp_path / "home")
        layout.make()
        (layout.home / "servers.path").write_text(str(elsewhere))
        assert discard(layout.home)
        assert elsewhere.exists() is stays
