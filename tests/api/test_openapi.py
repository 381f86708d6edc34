"""The OpenAPI document in the repository is the one the code stands for."""

import ast
import re
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.conf import settings
from django.core.management import call_command
from django.test import Client

from config.api.titles import TITLES, title_of
from ledger.errors import BY_SQLSTATE, DuplicateEntry, LedgerError
from tables.engine.card_room.rulebook import CODES as CARD_ROOM_CODES
from tables.engine.red_dog.rulebook import CODES
from tests.api.routes import listed

DOCUMENT = Path(settings.BASE_DIR) / "tables" / "api" / "openapi.yaml"
RENEW = "python manage.py spectacular --fail-on-warn --file tables/api/openapi.yaml"


def read(document: str | bytes) -> dict[str, Any]:
    """What a document says, by libyaml, which reads the same and in a tenth of the time."""
    content: dict[str, Any] = yaml.load(document, Loader=yaml.CSafeLoader)
    return content


def generated() -> str:
    out = StringIO()
    call_command("spectacular", fail_on_warn=True, validate=True, stdout=out)
    return out.getvalue()


def test_the_document_is_up_to_date() -> None:
    assert generated().strip() == DOCUMENT.read_text().strip(), f"renew it: {RENEW}"


def test_the_document_lists_every_route() -> None:
    document = read(DOCUMENT.read_bytes())
    assert document["openapi"].startswith("3.1")
    documented = {
        (method.upper(), re.sub(r"\{.*?\}", "{}", path.removeprefix("/api/v1/")))
        for path, methods in document["paths"].items()
        for method in methods
    }
    assert documented == {(method, re.sub(r"<.*?>", "{}", route)) for method, route in listed()}


def test_every_command_documents_its_headers_and_problems() -> None:
    document = read(DOCUMENT.read_bytes())
    no_commands = {"terminal_enrol", "terminal_sign_in", "terminal_sign_out"}
    no_commands |= {"saved_filters_put", "saved_filters_delete"}  # their address says it all
    based_on_nothing = {"export_ask", "export_cancel"}
    based_on_nothing |= {f"export_schedules_{act}" for act in ("make", "change", "end")}
    for methods in document["paths"].values():
        for method, operation in methods.items():
            if method == "get" or operation["operationId"] in no_commands:
                continue
            headers = {p["name"]: p["required"] for p in operation["parameters"] if p["in"] == "header"}
            expected = {"Idempotency-Key": True}
            if operation["operationId"] not in based_on_nothing:
                expected["If-Match"] = True
            assert headers == expected, operation["operationId"]
            assert {"400", "401", "403", "404", "409", "412", "422", "428"} <= set(operation["responses"])


def test_the_document_is_served_to_machines_and_people() -> None:
    http = Client()
    served = http.get("/api/v1/schema", headers={"Accept": "application/vnd.oai.openapi"})
    assert served.status_code == 200
    assert read(served.content) == read(DOCUMENT.read_bytes())
    page = http.get("/api/v1/docs", headers={"Accept": "text/html"})
    assert page.status_code == 200
    scripts = re.findall(r"<script[^>]*>", page.content.decode())
    assert scripts
    assert all("src=" in script for script in scripts), "the content security policy wants no inline script"


def raised_codes() -> Iterator[str]:
    """Every refusal code that stands as a literal in the sources."""
    for package in ("config", "ledger", "tables", "audit"):
        for file in (Path(settings.BASE_DIR) / package).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text())):
                if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
                    name = getattr(node.func, "id", getattr(node.func, "attr", ""))
                    code = node.args[0].value
                    if name in ("DomainError", "IllegalAction", "_refuse", "refuse") and isinstance(
                        code, str
                    ):
                        yield code
                    elif name == "not_found" and isinstance(code, str):
                        yield f"{code}_not_found"


def test_every_code_has_a_title() -> None:
    errors: list[type[LedgerError]] = [*BY_SQLSTATE.values(), DuplicateEntry]
    ledger = {error.ledger_code for error in errors}
    missing = ({*raised_codes(), *CODES, *CARD_ROOM_CODES, *ledger}) - set(TITLES)
    assert not missing, "config/api/titles.py has no title for these"


@pytest.mark.parametrize("code", TITLES)
def test_a_title_speaks_of_its_code_alone(code: str) -> None:
    assert re.fullmatch(r"[a-z][a-z0-9_]*", code)
    assert title_of(code)[0].isupper()
    assert not title_of(code).endswith(".")


def test_a_code_without_a_title_reads_as_itself() -> None:
    assert title_of("something_new") == "Something new"
