"""Rounds, sessions and stiff sheets as pages of the admin site that are made to be printed."""

from collections.abc import Sequence
from datetime import date
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse

from audit.printing.paper import Paper, page
from audit.printing.round import round_paper, rounds_to_print
from audit.printing.session import session_paper, sessions_to_print
from audit.printing.stiff import stiff_papers
from tables.admin.base import house_of, viewer
from tables.models import Casino
from tables.services.permissions import allowed


def round_print(request: HttpRequest, object_id: UUID) -> HttpResponse:
    """A round of the house.

    Raises:
        PermissionDenied: for who may not read the audit.
        Http404: there is no such round.
    """
    played = rounds_to_print(table__casino=_house(request), pk=object_id).first()
    if played is None:
        raise Http404
    return _printed([round_paper(played)])


def session_print(request: HttpRequest, object_id: UUID) -> HttpResponse:
    """A session of the house.

    Raises:
        PermissionDenied, Http404: as for a round.
    """
    session = sessions_to_print(table__casino=_house(request), pk=object_id).first()
    if session is None:
        raise Http404
    return _printed([session_paper(session)])


def stiff_print(request: HttpRequest, day: date) -> HttpResponse:
    """The stiff sheets of a gaming day.

    Raises:
        PermissionDenied: for who may not read the audit.
    """
    return _printed(stiff_papers(_house(request), day), title=f"Stiff sheets of {day}")


def _house(request: HttpRequest) -> Casino:
    if not allowed("audit.read", viewer(request).role, None):
        raise PermissionDenied
    return house_of(request)


def _printed(papers: Sequence[Paper], title: str = "") -> HttpResponse:
    return HttpResponse(page(papers, title=title or papers[0].title, alone=False))
