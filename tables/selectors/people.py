"""Who is behind an id in the journal."""

import uuid
from collections.abc import Iterable

from ledger import SYSTEM_ACTOR
from tables.models import Staff

THE_SYSTEM = "the system"


def names_of(actors: Iterable[uuid.UUID]) -> dict[uuid.UUID, str]:
    """What to call each actor of the journal: badge and name; the id where nobody is known by it.

    One statement however many there are.
    """
    wanted = set(actors)
    known = {person.id: str(person) for person in Staff.objects.filter(id__in=wanted - {SYSTEM_ACTOR})}
    names = {actor: known.get(actor, str(actor)) for actor in wanted}
    return names | ({SYSTEM_ACTOR: THE_SYSTEM} if SYSTEM_ACTOR in wanted else {})
