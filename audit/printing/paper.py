"""A printed page as data, how amounts and times stand on it, and its one template."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from tables.admin.text import NOTHING, amount_text
from tables.figures import count_total
from tables.models import Casino

NUMBERS = "number"
HASHES = "hash"
TIMES = "time"
STYLE = Path(__file__).resolve().parent.parent / "static" / "printing" / "paper.css"


@dataclass(frozen=True, slots=True)
class Facts:
    """A section of names with what each is; `paired` ones are short, and stand two to a line."""

    heading: str
    facts: Sequence[tuple[str, str]]
    paired: bool = False


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: its heading, and how its cells stand (`NUMBERS`, `HASHES`, `TIMES`; else text)."""

    heading: str
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Rows:
    """A section that is a table; without rows it says "No Activity".

    Attributes:
        total: a last row, where the columns add up to something.
        note: what a reader must know of it.
    """

    heading: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[str]]
    total: Sequence[str] = ()
    note: str = ""

    @property
    def lines(self) -> list[list[tuple[Column, str]]]:
        """The rows, each cell beside its column."""
        return [list(zip(self.columns, row, strict=True)) for row in self.rows]

    @property
    def last(self) -> list[tuple[Column, str]]:
        """The row of the totals likewise."""
        return list(zip(self.columns, self.total, strict=True)) if self.total else []


@dataclass(frozen=True, slots=True)
class Places:
    """A section with places to sign by hand, each for somebody."""

    heading: str
    places: Sequence[str]


Section = Facts | Rows | Places


@dataclass(frozen=True, slots=True)
class Paper:
    """What begins on a sheet of its own.

    Attributes:
        over: what stands over the title: whose it is.
        under: what stands under it.
    """

    title: str
    over: str
    under: str
    sections: Sequence[Section]


@dataclass(frozen=True, slots=True)
class Ink:
    """How a casino's amounts and times are written: with the currency, in its zone and in UTC."""

    currency: str
    time_zone: str

    @classmethod
    def of(cls, casino: Casino) -> "Ink":
        """As this casino writes them."""
        return cls(casino.currency, casino.time_zone)

    def money(self, amount: int | None, unknown: str = NOTHING) -> str:
        """Minor units with their currency; what is not known is said to be, never zero."""
        return unknown if amount is None else f"{self.amount(amount)} {self.currency}"

    def amount(self, amount: int) -> str:
        """Minor units without the currency, for columns whose heading has it."""
        return amount_text(amount, self.currency)

    def at(self, moment: datetime | None, unknown: str = NOTHING, between: str = "\n") -> str:
        """A moment in the casino's zone with its offset, and in UTC, by default on a second line."""
        if moment is None:
            return unknown
        local = moment.astimezone(ZoneInfo(self.time_zone)).isoformat(" ", "microseconds")
        in_utc = moment.astimezone(UTC).isoformat(" ", "microseconds").removesuffix("+00:00")
        return f"{local}{between}{in_utc} UTC"

    def on(self, moment: datetime | None, unknown: str = NOTHING) -> str:
        """The same in one line."""
        return self.at(moment, unknown, between=" = ")

    def chips(self, count: Mapping[str, int] | None) -> str:
        """A count in a line, highest first, with its value."""
        if count is None:
            return NOTHING
        pieces = (f"{number} x {self.amount(int(value))}" for value, number in by_value(count) if number)
        return f"{', '.join(pieces) or 'nothing'}\n= {self.money(count_total(count))}"


def by_value(count: Mapping[str, int]) -> list[tuple[str, int]]:
    """A count's values with how many there are, highest first."""
    return sorted(count.items(), key=lambda item: -int(item[0]))


def columns(*headings: str | tuple[str, str]) -> list[Column]:
    """Columns by their headings; a pair says how its cells stand."""
    return [Column(one) if isinstance(one, str) else Column(*one) for one in headings]


def page(papers: Iterable[Paper], *, title: str, alone: bool) -> str:
    """Papers as one HTML document.

    Args:
        alone: whether it is a file that must be readable by itself; otherwise the site serves its style.
    """
    style = SafeString(STYLE.read_text(encoding="utf-8")) if alone else None
    return render_to_string("printing/paper.html", {"papers": list(papers), "title": title, "style": style})
