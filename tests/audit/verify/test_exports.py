"""Exported rounds beside a bundle: they are what the journal gives, or the verifier says where not."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from audit.verify.__main__ import FAILED, FOUND, VERIFIED, main
from tests.audit.verify.made import Made

Lines = list[str]


def verified(made: Made, folder: Path, name: str, content: bytes, *, bundle: str = "day") -> int:
    """The exit code of the verifier with this export beside a bundle."""
    (folder / "bundle.zip").write_bytes(made.bundles[bundle])
    (folder / "log.pub").write_text(made.signer.verifier.text)
    (folder / name).write_bytes(content)
    asked = [str(folder / "bundle.zip"), "--key", str(folder / "log.pub"), "--rounds", str(folder / name)]
    return main([*asked, "--json"])


@pytest.mark.parametrize("name", ["rounds.csv", "rounds.jsonl"])
@pytest.mark.parametrize("bundle", ["day", "whole"])
def test_the_exports_of_a_day_are_those_of_its_bundle(
    made: Made, tmp_path: Path, name: str, bundle: str
) -> None:
    assert verified(made, tmp_path, name, made.exports[name], bundle=bundle) == VERIFIED


CHANGED: dict[str, Callable[[Lines], Lines]] = {
    "a row left out": lambda lines: lines[:1] + lines[2:],
    "a round left out": lambda lines: lines[:-2],
    "a row twice": lambda lines: [*lines, lines[-1]],
    "rows swapped": lambda lines: [*lines[:1], lines[2], lines[1], *lines[3:]],
    "another card": lambda lines: [line.replace("9D", "8D") for line in lines],
    "another outcome": lambda lines: [line.replace("lose", "win") for line in lines],
    "another bet": lambda lines: [line.replace("2500", "2600") for line in lines],
    "another number": lambda lines: [line.replace("red_dog", "red_dot") for line in lines],
    "nothing": lambda lines: lines[:1] if lines[0].startswith("gaming_day") else [],
}


@pytest.mark.parametrize("change", CHANGED)
@pytest.mark.parametrize("name", ["rounds.csv", "rounds.jsonl"])
def test_a_changed_export_is_found(
    made: Made, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, change: str
) -> None:
    lines = made.exports[name].decode().splitlines(keepends=True)
    content = "".join(CHANGED[change](lines)).encode()
    assert content != made.exports[name]
    assert verified(made, tmp_path, name, content) == FOUND
    assert set(json.loads(capsys.readouterr().out)["finding_counts"]) == {"export_differs"}


def test_what_is_no_export_cannot_be_judged(made: Made, tmp_path: Path) -> None:
    assert verified(made, tmp_path, "rounds.jsonl", b"[]\n") == FAILED
    assert verified(made, tmp_path, "rounds.jsonl", b"no JSON\n") == FAILED
