"""After the day: waiting for the worker, asking the audit, and comparing the books with the hands."""

import time
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from pathlib import Path
from uuid import UUID

from audit.conservation import Conservation
from audit.exports.filters import RoundFilter
from audit.exports.rounds import Form, rounds_export
from audit.models import Finding
from audit.report import day_report
from audit.services.house import conservation_check, journal_check, pieces_check
from audit.services.resettlement import gaming_day_resettle
from config import env
from config.floor.bundles import bundle_days
from config.floor.outcome import Closing, Outcome, Pair
from config.floor.show import Progress
from ledger.selectors import balances
from tables.models import Casino, ClosedDay, OutboxItem, TableSession
from tables.simulation.floor import Floor
from tables.simulation.house import TABLES, House
from tables.simulation.terminal import Refused

WORKER_SECONDS = 60.0
POLL_SECONDS = 0.2
FORMATS: tuple[Form, ...] = ("csv", "jsonl")


def judge(
    house: House,
    floor: Floor,
    *,
    wanted: Mapping[str, int],
    exports: Path,
    progress: Progress,
    look_after: Callable[[], None],
) -> Outcome:
    """Have the closed day looked at by everybody whose business it is.

    Args:
        wanted: rounds that were to be played at least, by table.
        exports: folder for the round histories, made if missing.
        look_after: called while waiting, to see to the processes.
    """
    casino = Casino.objects.get(id=UUID(house.casino))
    sessions = list(TableSession.objects.filter(table__casino=casino))
    days = sorted({session.gaming_day for session in sessions})
    progress.step("waiting for the worker's reconciliations")
    unreconciled = wait_for_worker([session.id for session in sessions], look_after)
    progress.step("closing the gaming day, waiting for the checkpoint that seals it")
    closings = close_days(casino, days, floor, look_after)
    progress.step("verifying the journal")
    journal = journal_check()
    progress.step("settling every round again from the journal")
    resettled = sum(gaming_day_resettle(casino_id=casino.id, gaming_day=day).rounds for day in days)
    conservation = conservation_check(casino_id=casino.id)
    pieces_check(casino_id=casino.id)
    progress.step("exporting the round histories, adding up the day")
    exported = _export(casino, days, exports)
    progress.step("making the day's bundle, verifying it as an auditor would")
    bundles = bundle_days(casino, days, env.home() / "bundles")
    return Outcome(
        wanted=wanted,
        games={plan.code: plan.game for plan in TABLES},
        reports=[day_report(casino_id=casino.id, gaming_day=day) for day in days],
        pairs=books_and_hands(balances(casino.cage_stream), conservation, floor),
        missing_chips=conservation.missing,
        unbalanced=[found.code for found in conservation.differences()],
        attempts=floor.chronicle.attempts(),
        happened=floor.chronicle.counts(),
        unreconciled=unreconciled,
        journal_findings=len(journal.findings),
        findings=list(Finding.objects.filter(casino=casino).values_list("code", flat=True)),
        rounds_resettled=resettled,
        exported=exported,
        closings=closings,
        bundles=bundles,
    )


def close_days(
    casino: Casino, days: Iterable[date], floor: Floor, look_after: Callable[[], None]
) -> dict[date, Closing]:
    """Close these gaming days at the cage, oldest first, and wait until the worker has sealed each."""
    refused: dict[date, str] = {}
    for day in days:
        try:
            floor.cage.close_day(day.isoformat())
        except Refused as refusal:
            refused[day] = str(refusal)
    closed = ClosedDay.objects.filter(casino=casino)
    wait_for_worker(list(closed.values_list("id", flat=True)), look_after)
    sealed = dict(closed.values_list("gaming_day", "checkpoint"))
    return {day: Closing(sealed.get(day), refused.get(day, "")) for day in days}


def wait_for_worker(sessions: Iterable[UUID], look_after: Callable[[], None]) -> int:
    """Wait until the work queued for these sessions is done; how much of it is not, after a minute."""
    queued = OutboxItem.objects.filter(subject__in=list(sessions), done_at=None)
    deadline = time.monotonic() + WORKER_SECONDS
    while (left := queued.count()) and time.monotonic() < deadline:
        look_after()
        time.sleep(POLL_SECONDS)
    return left


def books_and_hands(cage: dict[str, int], house: Conservation, floor: Floor) -> dict[str, Pair]:
    """What the books say lies somewhere, beside what the simulation's hands have put there.

    Args:
        cage: the cage's balances by account.
        house: where the books have the chips.
    """
    dealers = floor.dealers.values()
    return {
        "vault": Pair(cage["vault"], floor.cage.vault),
        "drawer": Pair(cage["cash:drawer"], floor.cage.drawer),
        "trays": Pair(house.trays, sum(dealer.tray for dealer in dealers)),
        "seats": Pair(house.seats, sum(guest.stack for dealer in dealers for guest in dealer.seats.values())),
        "wagers": Pair(house.wagers, sum(stake for dealer in dealers for stake in dealer.layout.values())),
        "pools and banks": Pair(_in_the_middle(floor), sum(dealer.middle for dealer in dealers)),
        "the dealers' tokes": Pair(house.tokes, sum(dealer.tokes for dealer in dealers)),
        "guests' pockets": Pair(house.with_patrons, floor.lobby.carried_away),
    }


def _in_the_middle(floor: Floor) -> int:
    """What the books of all tables have in pools and banks, minor units."""
    books = [balances(f"table:{dealer.post.table_id}") for dealer in floor.dealers.values()]
    return sum(lying.get("pool", 0) + lying.get("bank", 0) for lying in books)


def _export(casino: Casino, days: Iterable[date], folder: Path) -> dict[str, int]:
    """Write the round histories of the days; how many rounds by format."""
    folder.mkdir(parents=True, exist_ok=True)
    written = dict.fromkeys(map(str, FORMATS), 0)
    for day in days:
        for form in FORMATS:
            path = folder / f"rounds-{day.isoformat()}.{form}"
            wanted = RoundFilter(casino=casino.id, gaming_day_from=day, gaming_day_to=day)
            export = rounds_export(filter=wanted, form=form, path=path)
            written[form] += export.rounds
    return written
