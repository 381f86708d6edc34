"""A casino's vault by denomination, followed from the cage's first entry on."""

from collections.abc import Iterator
from contextlib import closing

from audit.codes import Found
from audit.selectors.journal import facts
from audit.vault import VaultCheck
from tables.models import Casino


def vault_astray(casino: Casino) -> Iterator[Found]:
    """What the cage's entries say of the vault's chips that cannot be."""
    finds: list[Found] = []
    check = VaultCheck(casino.cage_stream, finds.append, from_empty=True)
    with closing(facts(casino.cage_stream, 1)) as entries:
        for fact in entries:
            check.see(fact)
    yield from finds
