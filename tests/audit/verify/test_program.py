"""The verifier in one file: the same bytes from the same sources, and nothing needed but Python."""

import ast
import os
import subprocess
import sys
import tomllib
from glob import glob
from itertools import product
from pathlib import Path

import pytest

from audit.bundle import program
from tests.audit.verify.made import Made

CONTRACTS = tomllib.loads((program.ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
PURE_CHECKERS = {
    module
    for contract in CONTRACTS
    if contract["name"].startswith("the audit's checkers are pure")
    for module in contract["source_modules"]
}
ALLOWED = (
    *("audit.verify", "tables.engine", "tables.figures"),
    *("tables.jurisdiction.profile", "tables.jurisdiction.cash"),
)
PACKAGES = {"audit", "tables", "tables.jurisdiction"}  # their __init__ holds nothing but words
MODULES = program.modules()
PROCESSORS = {"cpu_count", "sched_getaffinity"}  # all that is asked of the system: how many there are
CLOCKS = {"now", "today", "utcnow", "time", "monotonic", "perf_counter"}


def test_it_holds_the_verifier_the_engine_and_the_pure_checkers_only() -> None:
    """Anything else of ours, or a package that is not Python's own, would stop the build."""
    for name in MODULES:
        assert name in PURE_CHECKERS | PACKAGES or name.startswith(ALLOWED), name


@pytest.mark.parametrize("name", [name for name in MODULES if name.startswith("audit.verify")])
def test_it_asks_no_clock_no_network_no_chance(name: str) -> None:
    for node in ast.walk(ast.parse(MODULES[name].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            assert not {alias.name for alias in node.names} & {
                "time",
                "random",
                "secrets",
                "socket",
                "urllib",
                "os",
            }
        elif isinstance(node, ast.ImportFrom) and node.module == "os":
            assert {alias.name for alias in node.names} <= PROCESSORS
        elif isinstance(node, ast.ImportFrom):
            assert node.module not in {"time", "random", "secrets", "socket", "urllib.request"}
        elif isinstance(node, ast.Attribute):
            assert node.attr not in CLOCKS, name
        elif isinstance(node, ast.Constant):
            assert not isinstance(node.value, float)


def test_what_is_not_pure_stops_the_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "audit").mkdir()
    (tmp_path / "audit" / "one.py").write_text("from django.db import models\n")
    monkeypatch.setattr(program, "ROOT", tmp_path)
    with pytest.raises(program.NotPure, match=r"audit\.one imports django"):
        program.modules("audit.one")


def pythons() -> dict[str, str]:
    """The Pythons on this machine that it is written for, one of each version: this one, and others."""
    places = (*os.environ["PATH"].split(os.pathsep), *glob(str(Path.home() / ".pyenv/versions/*/bin")))
    uv = glob(str(Path.home() / ".local/share/uv/python/*/bin"))
    found = {f"3.{sys.version_info.minor}": sys.executable}
    for place, minor in product((*places, *uv), range(11, 16)):
        program = Path(place) / f"python3.{minor}"
        asked = [str(program), "-I", "-S", "-c", "import sys; print('3.%d' % sys.version_info[1])"]
        if f"3.{minor}" not in found and program.is_file():
            said = subprocess.run(asked, env={}, capture_output=True, text=True, check=False)
            if said.stdout.strip() == f"3.{minor}":  # a shim may lead nowhere
                found[f"3.{minor}"] = str(program)
    return found


def test_a_bare_python_runs_it(made: Made, tmp_path: Path) -> None:
    """No site-packages, no environment, nothing installed: `python3 -I -S`, as on an auditor's machine.

    The report is the same by each version there is.
    """
    verifier, bundle, key = tmp_path / "pitledger-verify.pyz", tmp_path / "bundle.zip", tmp_path / "log.pub"
    subprocess.run(
        [sys.executable, "-m", "audit.bundle.program", str(verifier)], check=True, cwd=program.ROOT
    )
    assert verifier.read_bytes() == program.program(), "the same bytes each time"
    bundle.write_bytes(made.bundles["day"])
    key.write_text(made.signer.verifier.text + "\n")
    command = [sys.executable, "-I", "-S", str(verifier), str(bundle), "--key", str(key)]
    good = subprocess.run(command, env={}, cwd="/", capture_output=True, text=True, check=False)
    assert (good.returncode, good.stderr) == (0, "")
    assert "VERIFIED" in good.stdout
    for version, python in pythons().items():
        other = [python, *command[1:]]
        said = subprocess.run(other, env={}, cwd="/", capture_output=True, text=True, check=False)
        assert (said.returncode, said.stderr, said.stdout) == (0, "", good.stdout), version
    bundle.write_bytes(made.bundles["day"].replace(b"session.open", b"session.0pen", 1))
    bad = subprocess.run([*command, "--json"], env={}, cwd="/", capture_output=True, text=True, check=False)
    assert (bad.returncode, bad.stderr) == (1, "")
    assert '"leaf_differs"' in bad.stdout
