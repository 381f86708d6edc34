"""``pitledger-verify.pyz``: the verifier and all it needs in one file that any Python from 3.11 on runs.

``python -m audit.bundle.program FILE``. What goes in is found by following the imports from ``audit.verify``
on, so nothing is forgotten; what is neither ours nor the standard library's stops the build. The bytes depend
on the sources alone.
"""

import argparse
import ast
import io
import os
import sys
import zipapp
from collections.abc import Iterator
from pathlib import Path

from audit.verify import container

ROOT = Path(__file__).resolve().parent.parent.parent
OURS = ("audit", "config", "ledger", "tables")
ENTRY = "audit.verify.__main__"
START = b"import sys\n\nfrom audit.verify.__main__ import main\n\nsys.exit(main())\n"


class NotPure(Exception):
    """The verifier would need something that is not in Python's standard library."""


def modules(entry: str = ENTRY) -> dict[str, Path]:
    """Every module of ours that ``entry`` needs, packages included, with its file.

    Raises:
        NotPure: one of them imports what is neither ours nor of the standard library.
    """
    found: dict[str, Path] = {}
    waiting = [entry]
    while waiting:
        name = waiting.pop()
        parts = name.split(".")
        path = _file(name)
        if name in found or path is None:
            continue
        found[name] = path
        waiting += [".".join(parts[:end]) for end in range(1, len(parts))]
        waiting += _imported(name, path)
    return found


def program() -> bytes:
    """The bytes of the program."""
    contents = [("__main__.py", START)]
    for name, path in sorted(modules().items()):
        place = path.relative_to(ROOT).as_posix()
        assert place.startswith(name.replace(".", "/")), "a module lies where its name says"
        contents.append((place, path.read_bytes()))
    packed = io.BytesIO()
    zipapp.create_archive(io.BytesIO(container.encode(contents)), packed, interpreter="/usr/bin/env python3")
    return packed.getvalue()


def _file(name: str) -> Path | None:
    """The file of a module of ours; None where the name is no module but something in one."""
    path = ROOT.joinpath(*name.split("."))
    for candidate in (path.with_suffix(".py"), path / "__init__.py"):
        if candidate.is_file():
            return candidate
    return None


def _imported(name: str, path: Path) -> Iterator[str]:
    """What a module imports of ours; also ``from package import module``."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            wanted = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            wanted = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        else:
            continue
        top = wanted[0].partition(".")[0]
        if top in OURS:
            yield from wanted
        elif top not in sys.stdlib_module_names:
            raise NotPure(f"{name} imports {wanted[0]}")


def write_program(path: Path) -> None:
    """Write the program to a file, whole or not at all, and let it be run."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.write_bytes(program())
    draft.chmod(0o755)
    draft.replace(path)


def main() -> None:
    """Write the program where the command line says."""
    parser = argparse.ArgumentParser(prog="audit.bundle.program", description=__doc__)
    parser.add_argument("output", type=Path)
    path: Path = parser.parse_args().output
    path.parent.mkdir(parents=True, exist_ok=True)
    write_program(path)


if __name__ == "__main__":
    main()
