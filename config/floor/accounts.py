"""After the day: waiting for the worker, asking the audit, and comparing the books with the hands."""

import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from uuid import UUID

from audit.models import Finding, SessionReconciliation
from audit.resettle import Replayed
from audit.selectors.days import SessionSpan, replay_session, rule_sets
from audit.services.house import conservation_check, journal_check
from audit.services.resettlement import gaming_day_resettle
from config.floor.outcome import Outcome, Pair, TableLine
from config.floor.show import Progress
from ledger.selectors import balances
from ledger.verify_journal import Report
from tables.figures import table_win
from tables.models import Casino, OutboxItem, TableSession
from tables.simulation.floor import Floor
from tables.simulation.house import House

WORKER_SECONDS = 60.0
POLL_SECONDS = 0.2


def judge(
    house: House,
    floor: Floor,
    *,
    wanted: int,
    exports: Path,
    progress: Progress,
    watch: Callable[[], None],
) -> Outcome:
    casino = Casino.objects.get(id=UUID(house.casino))
    sessions = list(
        TableSession.objects.filter(table__casino=casino)
        .select_related("table__rules", "reconciliation")
        .order_by("table__code")
    )
    progress.step("waiting for the worker's reconciliations")
    left = _wait_for_worker(sessions, watch)
    progress.step("verifying the journal")
    journal = journal_check()
    progress.step("settling every round again")
    resettled = 0
    for day in sorted({session.gaming_day for session in sessions}):
        resettled += gaming_day_resettle(casino_id=casino.id, gaming_day=day).rounds
    conservation = conservation_check(casino_id=casino.id)
    lines = [_line(session.id, journal) for session in sessions]
    chronicle = floor.chronicle
    happened = chronicle.counts()
    happened["shoe changes"] = happened.pop("shoes", 0) - len(floor.dealers)
    books = balances(casino.cage_stream)
    return Outcome(
        wanted=wanted,
        lines=lines,
        pairs={
            "vault": Pair(books["vault"], floor.cage.vault),
            "drawer": Pair(books["cash:drawer"], floor.cage.drawer),
            "trays": Pair(conservation.trays, sum(dealer.tray for dealer in floor.dealers.values())),
            "in guests' pockets": Pair(conservation.with_patrons, floor.lobby.carried_away),
        },
        missing_chips=conservation.missing,
        unbalanced=[found.code for found in conservation.differences()],
        attempts=chronicle.attempts(),
        happened=happened,
        unreconciled=left,
        journal_findings=len(journal.findings),
        findings=list(Finding.objects.filter(casino=casino).values_list("code", flat=True)),
        rounds_resettled=resettled,
        exported={},
    )


def _wait_for_worker(sessions: list[TableSession], watch: Callable[[], None]) -> int:
    deadline = time.monotonic() + WORKER_SECONDS
    while True:
        left = OutboxItem.objects.filter(subject__in=[s.id for s in sessions], done_at=None).count()
        if not left or time.monotonic() > deadline:
            return left
        watch()
        time.sleep(POLL_SECONDS)


def _line(session_id: UUID, journal: Report) -> TableLine:
    session = TableSession.objects.select_related("table__rules", "reconciliation").get(id=session_id)
    table = session.table
    r: SessionReconciliation = session.reconciliation
    rounds: list[Replayed] = []
    replay_session(
        SessionSpan(session.id, table, session.opened_seq),
        report=lambda f: None,
        played=rounds.append,
        rule_set=rule_sets(),
    )
    win = table_win(opener=r.opener, fills=r.fills, credits=r.credits, closer=r.closer, drop=r.drop)
    ok = next((s.findings == 0 for s in journal.streams if s.stream == table.stream), False)
    return TableLine(
        code=table.code,
        packs=table.rules.body["packs"],
        scanned=table.card_source == "scanned",
        rounds=len(rounds),
        handle=sum(x.handle for x in rounds),
        drop=r.drop,
        win=win.win,
        hold=win.hold,
        theoretical=sum((x.theoretical for x in rounds), Fraction()),
        t=r.tray,
        b=r.box,
        u=r.unexplained,
        entries=r.entries,
        movements=r.movements,
        verified=ok,
    )
