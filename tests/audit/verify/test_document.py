"""audit/FORMAT.md says what the code does: members, manifest, and findings, by name and in order."""

import re

from audit.verify.manifest import DERIVED, MEMBERS, STATED
from audit.verify.page import report
from audit.verify.report import REMARKS, TYPES
from config.env import BASE_DIR
from tests.audit.verify.made import Made

FORMAT = (BASE_DIR / "audit" / "FORMAT.md").read_text(encoding="utf-8")


def table(heading: str) -> dict[str, str]:
    """The rows of the table below these column headings: names in their first column, and the second one."""
    rows = FORMAT.split(heading, 1)[1].split("\n\n", 1)[0].splitlines()
    cells = [re.match(r"\| (.+?) \| (.+) \|$", row) for row in rows]
    named = [(cell[1], cell[2]) for cell in cells if cell is not None]
    return {name: text for names, text in named for name in re.findall(r"`([^`]+)`", names)}


def test_every_member_is_described_in_order() -> None:
    assert tuple(table("| member | what it is |")) == MEMBERS


def test_every_key_of_the_manifest_is_described() -> None:
    assert set(table("| key | what it says |")) == {*STATED, *DERIVED}


def test_every_key_of_the_report_is_described(made: Made) -> None:
    keys = report(made.judged(made.bundles["since"], made.early), ["key"]).keys()
    assert set(table("| key | what the report says |")) == keys


def test_every_finding_is_described() -> None:
    assert table("| type | meaning |") == TYPES
    assert table("Remarks fail nothing and are always shown:\n\n| type | meaning |") == REMARKS
