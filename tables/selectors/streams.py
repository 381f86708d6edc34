"""The journal streams of a casino, by names people know them under."""

import uuid
from dataclasses import dataclass

from ledger.models import Stream
from tables.models import Table


@dataclass(frozen=True, slots=True)
class NamedStream:
    """A stream of a casino: its id in the journal, its name there, and what people call it."""

    id: int
    name: str
    title: str


def streams_of(casino_id: uuid.UUID) -> list[NamedStream]:
    """The office's, the cage's and each table's stream: two statements."""
    titles = {f"office:{casino_id}": "Office", f"cage:{casino_id}": "Cage"}
    for table_id, code in Table.objects.filter(casino=casino_id).order_by("code").values_list("id", "code"):
        titles[f"table:{table_id}"] = f"Table {code}"
    ids = dict(Stream.objects.filter(name__in=titles).values_list("name", "id"))
    return [NamedStream(ids[name], name, title) for name, title in titles.items()]
