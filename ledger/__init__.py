"""The journal: append-only, hash-chained entries and the chip movements they caused.

A STREAM is one independent chain with its own accounts: one per table, one for the cage, one for the
office. An ENTRY says that something happened (a kind, who did it, a canonical JSON payload); its MOVEMENTS
say what moved between accounts of that same stream, in minor units. Balances, floors, gap-free numbers and
the hash over every field are kept by ONE PostgreSQL function per kind of write, in one round trip::

    from ledger import services, selectors

    services.open_stream(name="table:7d0c...", accounts=[
        services.AccountSpec("tray", "chips:USD", floor=0),
        services.AccountSpec("cage", "chips:USD", floor=None),      # boundary: may go below zero
    ], actor=person, command_id=uuid4())
    services.post(stream="table:7d0c...", kind="table.fill", payload={"slip": 17},
                  movements=[services.Movement("cage", "tray", 500_00)], actor=person, command_id=uuid4())
    selectors.balances("table:7d0c...")        # {"cage": -50000, "tray": 50000}

Rules that hold whoever calls:

- The application's role can read the journal and execute ``ledger_post``, ``ledger_open_stream``,
  ``ledger_open_accounts`` and the two that seal; it cannot insert, change or delete a row. Triggers
  refuse the owner too.
- A refusal (``ledger.errors``) changes nothing. PostgreSQL aborts the transaction it happens in, so record
  a refusal in a second one. One entry per transaction; lock your own row before posting.
- A command id has one effect per stream, for ever: the second attempt is refused with what the first one
  became. An entry is reversed at most once, by an entry that points at it.
- Floors are judged on what the whole entry leaves behind, not between its movements.
- ``manage.py verify_journal`` re-derives everything from the rows read back: every hash, link and number,
  every balance from its movements, every floor at every point of history, every account from the entry
  that opened it. Exit code 1 and a typed list of findings when anything differs. What it cannot see is a
  history rewritten as a whole, or cut at its end with the head: that takes a checkpoint kept elsewhere
  (``ledger.checkpoints``, ``verify_journal --checkpoint``).
- Heads, balances and snapshots that are found wrong are rebuilt from the entries by ``manage.py
  rebuild_stream``, never by themselves: an entry says what was kept and why it is another now.
- ``manage.py migrate`` runs as owner and then applies ``config/sql/grants.sql``, the one list of what the
  application may do with every table.
"""

from uuid import UUID

SYSTEM_ACTOR = UUID(int=0)
"""Who acts when no person does: a scheduled task, the installation itself."""
