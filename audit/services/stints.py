"""A session's stints: T between its counts, and their rows compared with the journal; and who sat there."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing

from audit.codes import Found
from audit.facts import Fact
from audit.present import PresenceCheck
from audit.selectors.journal import facts
from audit.stints import SessionStints, stint_finds, stints_of
from tables.jurisdiction.profile import Profile
from tables.models import Stint, TableSession

COMPARED = ("dealer_id", "began_seq", "began_at", "began_total", "ended_seq", "ended_at", "ended_total")


def stints_astray(session: TableSession, opened_seq: int, profile: Profile) -> Iterator[Found]:
    """What is wrong with a session's stints and with who sat there, and where rows of stints are not what the
    journal says.

    Args:
        opened_seq: number of the session's opening entry.
        profile: the one in force on its gaming day.
    """
    stream, present = session.table.stream, list[Found]()
    check = PresenceCheck(stream, present.append)
    try:
        with closing(facts(stream, opened_seq)) as during:
            seen = stints_of(session.id, _told(during, check.see))
        yield from present
        yield from stint_finds(seen, stream, session.id, profile)
    except (KeyError, TypeError, IndexError, ValueError) as error:
        evidence = {"kind": "stints", "error": repr(error)[:200]}
        yield Found("entry_unreadable", evidence, stream, opened_seq, session.id, about="stints")
        return
    yield from _projections(session, seen)


def _told(during: Iterable[Fact], see: Callable[[Fact], None]) -> Iterator[Fact]:
    """Entries that another looks at, too."""
    for fact in during:
        see(fact)
        yield fact


def _projections(session: TableSession, seen: SessionStints) -> Iterator[Found]:
    rows = {
        str(row.pop("id")): {name: str(value) for name, value in row.items()}
        for row in Stint.objects.filter(session=session).values("id", *COMPARED)
    }
    said = {
        stint.id: {name: str(getattr(stint, name.removesuffix("_id"))) for name in COMPARED}
        for stint in seen.stints
    }
    for key in sorted(rows.keys() | said.keys()):
        if rows.get(key) != said.get(key):
            evidence = {"journal": said.get(key), "row": rows.get(key)}
            stream = session.table.stream
            yield Found("stint_projection_differs", evidence, stream, session=session.id, about=key)
