"""The engine needs nothing but pure parts of the standard library, so an auditor can run it anywhere."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ENGINE = Path(__file__).parent.parent.parent / "tables" / "engine"
SOURCES = sorted(ENGINE.rglob("*.py"))
PURE = {
    "__future__",
    "collections",
    "dataclasses",
    "fractions",
    "hashlib",
    "hmac",
    "itertools",
    "json",
    "math",
    "re",
    "tables",
    "typing",
}
COMMAND_LINE = {"argparse", "sys"}


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: str(path.relative_to(ENGINE)))
def test_no_clock_no_randomness_no_io(source: Path) -> None:
    """Only pure modules are imported; the command line alone may read arguments and print."""
    allowed = PURE | (COMMAND_LINE if source.name == "__main__.py" else set())
    tree = ast.parse(source.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            assert {alias.name.split(".")[0] for alias in node.names} <= allowed
        elif isinstance(node, ast.ImportFrom):
            assert (node.module or "").split(".")[0] in allowed
            assert node.module is None or not node.module.startswith("tables.") or "engine" in node.module
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in {"open", "print", "input", "float", "eval", "exec"}
        elif isinstance(node, ast.Constant):
            assert not isinstance(node.value, float)


def test_it_runs_without_site_packages() -> None:
    """An interpreter that sees only the repository and the standard library plays a round."""
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from tables.engine.registry import game\n"
        "import tables.engine.replay, tables.engine.shoe, tables.engine.odds.hands\n"
        "assert 'django' not in sys.modules\n"
        "print(game('red_dog').version)"
    )
    command = [sys.executable, "-I", "-S", "-c", code, str(ENGINE.parent.parent)]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "2"
