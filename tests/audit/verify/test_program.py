"""The verifier in one file: the same bytes from the same sources, and nothing needed but Python."""

import ast
import subprocess
import sys
import tomllib
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


def test_a_bare_python_runs_it(made: Made, tmp_path: Path) -> None:
    """No site-packages, no environment, nothing installed: `python3 -I -S`, as on an auditor's machine."""
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
    bundle.write_bytes(made.bundles["day"].replace(b"session.open", b"session.0pen", 1))
    bad = subprocess.run([*command, "--json"], env={}, cwd="/", capture_output=True, text=True, check=False)
    assert (bad.returncode, bad.stderr) == (1, "")
    assert '"leaf_differs"' in bad.stdout
