"""`env.example` is the whole of what the program reads in production, and the program starts with it."""

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from config.env import BASE_DIR
from tests.deploy.files import DEPLOY, SECRETS, filled, variables, variables_left_out
from tests.embedded.test_production import COMPLETE

AWS = {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"}
"""What the object store's own client reads, and nothing of ours."""
NOT_PRODUCTION = ("config/embedded/", "config/floor/", "tables/simulation/")
READ = re.compile(r'"(PITLEDGER_[A-Z_]+|DATABASE_URL|DATABASE_OWNER_URL|REDIS_URL)"')
SECRET = re.compile(r'\benv\.secret\("([a-z_]+)"\)')


def sources() -> Iterator[str]:
    """The program's text, without its own servers and its simulated floor."""
    for package in ("config", "ledger", "tables", "audit"):
        for path in sorted((BASE_DIR / package).rglob("*.py")):
            if not str(path.relative_to(BASE_DIR)).startswith(NOT_PRODUCTION):
                yield path.read_text()


def test_every_variable_the_program_reads_is_named_and_no_other() -> None:
    text = "\n".join(sources())
    read = set(READ.findall(text)) | {f"PITLEDGER_{name.upper()}" for name in SECRET.findall(text)}
    assert read >= COMPLETE.keys() | {"PITLEDGER_WORKERS"}, "the program is read as it is written"
    named = variables().keys() | variables_left_out()
    assert not variables().keys() & variables_left_out()
    assert named == read | AWS


def test_it_holds_no_secret_and_asks_for_what_nothing_starts_without() -> None:
    """That each of these stops the program where it is missing: tests/embedded/test_production.py."""
    empty = {name for name, value in variables().items() if not value}
    assert empty == set(SECRETS)
    assert variables().keys() >= COMPLETE.keys()
    assert variables()["PITLEDGER_ENV"] == COMPLETE["PITLEDGER_ENV"]
    addresses = (variables()["DATABASE_URL"], variables()["DATABASE_OWNER_URL"])
    assert not any(re.search(r"//[^/@]*:[^/@]*@", address) for address in addresses), "no password in it"


def test_with_its_secrets_made_the_deployment_check_finds_nothing(tmp_path: Path) -> None:
    """As an operator does it, by `deploy/manage`; a warning of Django's would fail it."""
    environment = tmp_path / "env"
    text = filled((DEPLOY / "env.example").read_text())
    environment.write_text(text.replace("/var/lib/pitledger", str(tmp_path / "home")))
    started = subprocess.run(
        [DEPLOY / "manage", "check", "--deploy", "--fail-level", "WARNING"],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "PITLEDGER_ENV_FILE": str(environment)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (started.returncode, started.stderr) == (0, "")
    assert "System check identified no issues" in started.stdout
    assert not (tmp_path / "home").exists(), "nothing is invented"
