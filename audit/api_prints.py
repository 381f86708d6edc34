"""What is printed, over the API: pages that are readable by themselves, to keep."""

import hashlib
import uuid
from datetime import date
from typing import Any, ClassVar

from django.http import HttpResponse
from rest_framework.request import Request

from audit.api_exports import AsItIs
from audit.printing.paper import Paper, page
from audit.printing.round import round_paper, rounds_to_print
from audit.printing.session import session_paper, sessions_to_print
from audit.printing.stiff import stiff_papers
from config.api.acts import Act
from config.api.files import unchanged
from tables.api.base import StaffView
from tables.models import Casino
from tables.services.locks import not_found

READ = "audit.read"


class PrintView(StaffView):
    """A page to keep: as a file, for its style is inside it and no page of the site may have its own."""

    content_negotiation_class = AsItIs

    def filed(self, papers: list[Paper], *, title: str, name: str) -> HttpResponse:
        """The page under a name for its file; the same records give the same bytes, and so the same ETag."""
        content = page(papers, title=title, alone=True).encode()
        etag = f'"{hashlib.sha256(content).hexdigest()}"'
        headers = {"Content-Disposition": f'attachment; filename="{name}.html"', "ETag": etag}
        return unchanged(self.request, etag) or HttpResponse(content, headers=headers)


class RoundPrint(PrintView):
    """A round as it is printed."""

    acts: ClassVar[dict[str, Act]] = {"GET": Act(READ, None, name="rounds_print", is_page=True)}

    def get(self, request: Request, round_id: uuid.UUID) -> HttpResponse:
        """One round with all it rests on, as an HTML page."""
        played = _one(rounds_to_print(pk=round_id, table__casino=self.actor.casino_id), "round")
        paper = round_paper(played)
        return self.filed([paper], title=paper.title, name=f"round-{round_id}")


class SessionPrint(PrintView):
    """A session as it is printed."""

    acts: ClassVar[dict[str, Act]] = {"GET": Act(READ, None, name="sessions_print", is_page=True)}

    def get(self, request: Request, session_id: uuid.UUID) -> HttpResponse:
        """One session with its counts, slips, boxes, stints and rounds, as an HTML page."""
        session = _one(sessions_to_print(pk=session_id, table__casino=self.actor.casino_id), "session")
        paper = session_paper(session)
        return self.filed([paper], title=paper.title, name=f"session-{session_id}")


class StiffSheets(PrintView):
    """A gaming day's stiff sheets."""

    acts: ClassVar[dict[str, Act]] = {"GET": Act(READ, None, name="stiff_sheets_print", is_page=True)}

    def get(self, request: Request, gaming_day: date) -> HttpResponse:
        """A sheet for each table and session of the day, and their sums, as an HTML page."""
        if self.actor.casino_id is None:
            raise not_found("casino")
        casino = Casino.objects.get(pk=self.actor.casino_id)
        papers = stiff_papers(casino, gaming_day)
        return self.filed(papers, title=f"Stiff sheets of {gaming_day}", name=f"stiff-sheets-{gaming_day}")


def _one(rows: Any, what: str) -> Any:
    """The row there is.

    Raises:
        DomainError: `round_not_found`, `session_not_found` (404).
    """
    row = rows.first()
    if row is None:
        raise not_found(what)
    return row
