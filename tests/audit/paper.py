"""Printed pages as tests read them: the sections, each heading with its rows."""

import uuid
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path
from typing import Any

from django.core.management import call_command

from audit.printing.paper import page
from audit.printing.round import round_paper, rounds_to_print

Sections = dict[str, list[list[str]]]


class Reader(HTMLParser):
    """The sections of a printed page: each heading with its rows, as texts."""

    def __init__(self) -> None:
        super().__init__()
        self.sections: Sections = {}
        self.tags: set[str] = set()
        self._heading = self._text = ""
        self._row: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A cell, a heading or a sentence begins."""
        self.tags.add(tag)
        self._text = ""
        if tag == "tr":
            self._row = []

    def handle_data(self, data: str) -> None:
        """The text of it, with a hyphen for a minus sign."""
        self._text += data.replace("\N{MINUS SIGN}", "-")

    def handle_endtag(self, tag: str) -> None:
        """It ends, and is kept."""
        if tag == "h2":
            self._heading = self._text
            self.sections[self._heading] = []
        elif tag in ("td", "th"):
            self._row.append(self._text)
        elif tag == "tr":
            self.sections[self._heading].append(self._row)
        elif tag == "p" and self._heading:
            self.sections[self._heading].append([self._text])


def read(html: str) -> Sections:
    """The sections of a page."""
    reader = Reader()
    reader.feed(html)
    assert "script" not in reader.tags
    return reader.sections


def facts(sections: Sections, heading: str) -> dict[str, str]:
    """A section of names and what each is."""
    return {row[0]: row[1] for row in sections[heading]}


def filed(tmp_path: Path, command: str, *about: Any, **options: Any) -> str:
    """What a command writes to its file, twice the same."""
    written = []
    for name in ("one.html", "two.html"):
        path = tmp_path / name
        call_command(command, *map(str, about), output=path, stdout=StringIO(), **options)
        written.append(path.read_bytes())
    assert written[0] == written[1], "the same records give the same bytes"
    return written[0].decode()


def on_paper(round_id: uuid.UUID) -> Sections:
    """A round as it would be printed now."""
    return read(page([round_paper(rounds_to_print(pk=round_id).get())], title="Round", alone=False))
