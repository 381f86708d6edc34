"""Every chip of a casino is somewhere: the house as a whole, from the balances of all its streams.

    commissioned = vault + trays + seats + wagers + pools + tokes + in the count room
                   + in transit + with patrons + in dispute + over/short

Pools are those of card-room tables, and the banks players put up: chips between players, not the house's.
Tokes are what lies in the dealers' boxes, not the house's either.
The count room has the chips that were found in drop boxes.
Each part but the first is read from another place than the rest, so an error in one stream cannot hide
in another. In transit is what the two accounts that face each other hold together (the cage's `table:X`,
the table's `cage`): fills and credits that have left one place and not come to the other. Each of the two
must hold, by itself, what the slips say has crossed it.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from audit.codes import Found


class Sides(NamedTuple):
    """What the two accounts on the way between the cage and a table hold, each in its stream, minor units."""

    cage: int = 0
    table: int = 0

    @property
    def in_transit(self) -> int:
        """What is on the way, whichever way it goes."""
        return self.cage + self.table


class Balance(NamedTuple):
    """What an account holds, minor units."""

    stream: str
    account: str
    asset: str
    amount: int


@dataclass(frozen=True, slots=True)
class Conservation:
    """Where a casino's chips of one asset are, minor units.

    `boundaries` maps a table's id to what the accounts between it and the cage hold; `slips` to what
    they must hold by the slips.
    """

    asset: str
    commissioned: int
    vault: int
    trays: int
    seats: int
    wagers: int
    with_patrons: int
    over_short: int
    disputed: int = 0
    pools: int = 0
    tokes: int = 0
    count_room: int = 0
    boundaries: Mapping[str, Sides] = field(default_factory=dict)
    slips: Mapping[str, Sides] = field(default_factory=dict)
    cash_off: Mapping[str, int] = field(default_factory=dict)

    @property
    def in_transit(self) -> dict[str, int]:
        """What is on the way by table, those with nothing left out."""
        return {table: sides.in_transit for table, sides in self.boundaries.items() if sides.in_transit}

    @property
    def accounted(self) -> int:
        """What lies in all places together."""
        table = self.trays + self.seats + self.wagers + self.pools + self.tokes
        return (
            self.vault
            + table
            + self.count_room
            + sum(self.in_transit.values())
            + self.with_patrons
            + self.disputed
            + self.over_short
        )

    @property
    def missing(self) -> int:
        """Commissioned less accounted; zero on an honest house."""
        return self.commissioned - self.accounted

    @property
    def house_held(self) -> int:
        """What the house has itself: in the vault, trays and the count room, and on the way between them."""
        return self.vault + self.trays + self.count_room + sum(self.in_transit.values())

    @property
    def liability(self) -> int:
        """The float liability: what was issued less what the house holds, which others may bring to the cage.

        It is what patrons have, at tables and away, what is in dispute or in dealers' boxes, and what counts
        found short: somebody may have it.
        """
        return self.commissioned - self.house_held

    @property
    def conserved(self) -> bool:
        """Whether everything is as it must be."""
        return next(iter(self.differences()), None) is None

    def differences(self) -> Iterator[Found]:
        """Everything that is not as it must be."""
        if self.missing:
            yield Found("chips_not_conserved", self.to_dict(), about=self.asset)
        for table in self.astray:
            there, said = self.boundaries.get(table, Sides()), self.slips.get(table, Sides())
            stream = f"table:{table}"
            if there.in_transit != said.in_transit:
                evidence: dict[str, Any] = {"in_transit": there.in_transit, "by_slips": said.in_transit}
                yield Found("in_transit_differs", evidence, stream=stream, about=self.asset)
            else:
                evidence = {"there": there._asdict(), "by_slips": said._asdict()}
                yield Found("boundary_differs", evidence, stream=stream, about=self.asset)
        if self.with_patrons + max(0, self.disputed) < 0:  # chips claimed are with patrons all the same
            evidence = {"with_patrons": self.with_patrons, "disputed": self.disputed}
            yield Found("patrons_negative", evidence, about=self.asset)
        for stream, off in self.cash_off.items():
            yield Found("cash_not_conserved", {"off": off}, stream=stream)

    @property
    def astray(self) -> list[str]:
        """The tables whose boundary accounts hold something else than the slips say."""
        tables = sorted(self.boundaries.keys() | self.slips.keys())
        return [one for one in tables if self.boundaries.get(one, Sides()) != self.slips.get(one, Sides())]

    def to_dict(self) -> dict[str, Any]:
        """The amounts by name, for evidence and reports."""
        return {
            "asset": self.asset,
            "commissioned": self.commissioned,
            "vault": self.vault,
            "trays": self.trays,
            "seats": self.seats,
            "wagers": self.wagers,
            "pools": self.pools,
            "tokes": self.tokes,
            "count_room": self.count_room,
            "in_transit": sum(self.in_transit.values()),
            "with_patrons": self.with_patrons,
            "disputed": self.disputed,
            "over_short": self.over_short,
            "accounted": self.accounted,
            "missing": self.missing,
        }

    def float_dict(self) -> dict[str, Any]:
        """The amounts by name, with what the house holds and what it is liable for."""
        return self.to_dict() | {"house_held": self.house_held, "float_liability": self.liability}


def conservation_of(asset: str, rows: Iterable[Balance], slips: Mapping[str, Sides]) -> Conservation:
    """Add up a casino's chips.

    Args:
        asset: the chips' asset; everything else must be cash and is added up by stream.
        rows: every account of the cage's and the tables' streams.
        slips: what the slips say has crossed, by table id.
    """
    places: dict[str, int] = {}
    boundaries: dict[str, Sides] = {}
    cash: dict[str, int] = {}
    for row in rows:
        if row.asset != asset:
            cash[row.stream] = cash.get(row.stream, 0) + row.amount
        elif (table := _table_faced(row)) is not None:
            before = boundaries.get(table, Sides())
            boundaries[table] = (
                before._replace(cage=before.cage + row.amount)
                if row.stream.startswith("cage:")
                else before._replace(table=before.table + row.amount)
            )
        else:
            place = row.account.split(":")[0]
            places[place] = places.get(place, 0) + row.amount
    return Conservation(
        asset=asset,
        commissioned=-places.get("commissioned", 0),
        vault=places.get("vault", 0),
        trays=places.get("tray", 0),
        seats=places.get("seat", 0),
        wagers=places.get("wager", 0) + places.get("toke", 0),
        with_patrons=places.get("floor", 0),
        over_short=places.get("over_short", 0),
        disputed=places.get("disputed", 0),
        pools=places.get("pool", 0) + places.get("bank", 0),
        tokes=places.get("toke_box", 0),
        count_room=places.get("count_room", 0),
        boundaries={table: sides for table, sides in boundaries.items() if any(sides)},
        slips={table: sides for table, sides in slips.items() if any(sides)},
        cash_off={stream: off for stream, off in cash.items() if off},
    )


def _table_faced(row: Balance) -> str | None:
    """The table whose way to or from the cage an account is, if it is one."""
    kind, _, table = row.account.partition(":")
    if row.stream.startswith("cage:") and kind == "table":
        return table
    if row.stream.startswith("table:") and row.account == "cage":
        return row.stream.removeprefix("table:")
    return None
