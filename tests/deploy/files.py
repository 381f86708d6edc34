"""The files of `deploy/` as those who read them do: systemd and a shell."""

import re
import shlex
from pathlib import Path

from config.env import BASE_DIR

DEPLOY = BASE_DIR / "deploy"
UNITS = DEPLOY / "systemd"
SHARED = UNITS / "pitledger-.service.d" / "common.conf"
PYTHON = "/opt/pitledger/.venv/bin/python"
SECRETS = ("PITLEDGER_DJANGO_SECRET_KEY", "PITLEDGER_TERMINAL_PEPPER", "PITLEDGER_SHOE_KEY")

_VARIABLE = re.compile(r'^(?P<off>#?)(?P<name>[A-Z][A-Z0-9_]*)="(?P<value>[^"$`\\]*)"$', re.MULTILINE)

Unit = dict[str, dict[str, list[str]]]


def variables() -> dict[str, str]:
    """What `env.example` sets."""
    text = (DEPLOY / "env.example").read_text()
    return {found["name"]: found["value"] for found in _VARIABLE.finditer(text) if not found["off"]}


def variables_left_out() -> set[str]:
    """What `env.example` names, and leaves as it is by default."""
    text = (DEPLOY / "env.example").read_text()
    return {found["name"] for found in _VARIABLE.finditer(text) if found["off"]}


def filled(text: str) -> str:
    """`env.example` with secrets that are long and different enough."""
    for number, name in enumerate(SECRETS):
        text = text.replace(f'{name}=""', f'{name}="{"0123456789abcdef" * 4}{number}"')
    return text


def unit(path: Path) -> Unit:
    """A unit file's sections; a setting that stands there twice has both values (systemd.syntax(7))."""
    sections: Unit = {}
    section: dict[str, list[str]] = {}
    for line in re.sub(r"\\\n\s*", " ", path.read_text()).splitlines():
        if not line.strip() or line.startswith(("#", ";")):
            continue
        if line.startswith("["):
            section = sections.setdefault(line.strip("[]"), {})
            continue
        name, equals, value = line.partition("=")
        assert equals, f"{path.name}: {line}"
        section.setdefault(name, []).append(value)
    return sections


def services() -> dict[str, Unit]:
    """Every service by its name (`web`), with what they all share."""
    shared = unit(SHARED)
    found = {}
    for path in sorted(UNITS.glob("pitledger-*.service")):
        own = unit(path)
        merged = {name: shared.get(name, {}) | own.get(name, {}) for name in shared.keys() | own.keys()}
        found[path.stem.removeprefix("pitledger-")] = merged
    return found


def command(service: Unit) -> list[str]:
    """What a service runs, word by word, with systemd's `%%` as the `%` it stands for."""
    (line,) = service["Service"]["ExecStart"]
    return [word.replace("%%", "%") for word in shlex.split(line)]
