"""Every chip of a casino is somewhere: the house as a whole, from the balances of all its streams.

    commissioned = vault + trays + seats + wagers + pools
                   + in transit + with patrons + in dispute + over/short

Pools are those of card-room tables, and the banks players put up: chips between players, not the house's.
Each part but the first is read from another place than the rest, so an error in one stream cannot hide
in another. In transit is the difference of the two accounts that face each other (the cage's `table:X`,
the table's `cage`), and must be the fills issued and not received.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from audit.codes import Found


class Balance(NamedTuple):
    """What an account holds, minor units."""

    stream: str
    account: str
    asset: str
    amount: int


@dataclass(frozen=True, slots=True)
class Conservation:
    """Where a casino's chips of one asset are, minor units.

    `in_transit` maps a table's id to what the cage sent it and it has not received; `fills` to its
    fills issued and not received.
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
    in_transit: Mapping[str, int] = field(default_factory=dict)
    fills: Mapping[str, int] = field(default_factory=dict)
    cash_off: Mapping[str, int] = field(default_factory=dict)

    @property
    def accounted(self) -> int:
        """What lies in all places together."""
        table = self.trays + self.seats + self.wagers + self.pools
        return (
            self.vault
            + table
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
    def conserved(self) -> bool:
        """Whether everything is as it must be."""
        return next(iter(self.differences()), None) is None

    def differences(self) -> Iterator[Found]:
        """Everything that is not as it must be."""
        if self.missing:
            yield Found("chips_not_conserved", self.to_dict(), about=self.asset)
        for table in sorted(self.in_transit.keys() | self.fills.keys()):
            sent, issued = self.in_transit.get(table, 0), self.fills.get(table, 0)
            if sent != issued:
                evidence = {"in_transit": sent, "fills_not_received": issued}
                yield Found("in_transit_differs", evidence, stream=f"table:{table}", about=self.asset)
        if self.with_patrons + max(0, self.disputed) < 0:  # chips claimed are with patrons all the same
            evidence = {"with_patrons": self.with_patrons, "disputed": self.disputed}
            yield Found("patrons_negative", evidence, about=self.asset)
        for stream, off in self.cash_off.items():
            yield Found("cash_not_conserved", {"off": off}, stream=stream)

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
            "in_transit": sum(self.in_transit.values()),
            "with_patrons": self.with_patrons,
            "disputed": self.disputed,
            "over_short": self.over_short,
            "accounted": self.accounted,
            "missing": self.missing,
        }


def conservation_of(asset: str, rows: Iterable[Balance], fills: Mapping[str, int]) -> Conservation:
    """Add up a casino's chips.

    Args:
        asset: the chips' asset; everything else must be cash and is added up by stream.
        rows: every account of the cage's and the tables' streams.
        fills: value issued and not received, by table id.
    """
    places: dict[str, int] = {}
    transit: dict[str, int] = {}
    cash: dict[str, int] = {}
    for row in rows:
        if row.asset != asset:
            cash[row.stream] = cash.get(row.stream, 0) + row.amount
        elif (table := _table_faced(row)) is not None:
            transit[table] = transit.get(table, 0) + row.amount
        else:
            place = row.account.split(":")[0]
            places[place] = places.get(place, 0) + row.amount
    return Conservation(
        asset=asset,
        commissioned=-places.get("commissioned", 0),
        vault=places.get("vault", 0),
        trays=places.get("tray", 0),
        seats=places.get("seat", 0),
        wagers=places.get("wager", 0),
        with_patrons=places.get("floor", 0),
        over_short=places.get("over_short", 0),
        disputed=places.get("disputed", 0),
        pools=places.get("pool", 0) + places.get("bank", 0),
        in_transit={table: amount for table, amount in transit.items() if amount},
        fills=dict(fills),
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
