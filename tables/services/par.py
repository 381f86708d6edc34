"""Par: what a table's tray should hold of each denomination, set by the office."""

import uuid

from ledger.services import Posted
from tables.models import Casino, Table, TablePar
from tables.selectors.slips import needs_view
from tables.services.command import Answer, Command, Effect, execute
from tables.services.counts import Count, check_chips, without_zeros
from tables.services.locks import lock_office, not_found


def table_par_set(*, casino_id: uuid.UUID, table_id: uuid.UUID, chips: Count, command: Command) -> Answer:
    """Set a table's par; it replaces the one before, and an empty one takes it away.

    Args:
        chips: chip value (minor units) to number of chips.

    Raises:
        DomainError: `table_not_found`, `unknown_denomination`, `bad_count`.
    """

    def work(casino: Casino) -> Effect:
        table = Table.objects.filter(id=table_id, casino_id=casino_id).first()
        if table is None:
            raise not_found("table")
        total = check_chips(chips, casino)
        before = TablePar.objects.filter(table=table).values_list("chips", flat=True).first()
        par = without_zeros(chips)

        def write(posted: Posted) -> None:
            TablePar.objects.update_or_create(
                table=table,
                defaults={"chips": par, "set_at": posted.recorded_at, "set_by_id": command.actor.staff_id},
            )

        return Effect(
            kind="table.par",
            payload={"table": str(table.id), "before": before or {}, "chips": par, "total": total},
            write=write,
            body=lambda: needs_view(table),
        )

    request = {"table": str(table_id), "chips": dict(chips)}
    return execute("office.par", command, request, lock_office, casino_id, work)
