-- Balances of long ago, at hand. Released: never edit this file, write a new numbered one.
--
-- Every 1,024 entries of a stream, the balance of each account that moved in them is kept. So an account's
-- balance after ANY entry is its last snapshot and the movements of one block at most, however long the
-- stream is; and an account's history is read from the blocks it moved in, and from no others. It costs a
-- few bytes per hundred movements, where two indexes by account would cost some sixty per movement and be
-- written with every one of them.
--
-- A snapshot follows from the movements: verify_journal compares it with them.

CREATE TABLE public.ledger_snapshot (
    seq bigint NOT NULL,
    balance bigint NOT NULL,
    account_id integer NOT NULL,
    CONSTRAINT ledger_snapshot_pkey PRIMARY KEY (account_id, seq),
    CONSTRAINT ledger_snapshot_at_block_end CHECK (seq > 0 AND seq % 1024 = 0)
);

-- Blocks that were complete before there were snapshots.
INSERT INTO public.ledger_snapshot (account_id, seq, balance)
SELECT account_id, block_end, sum(change) OVER (PARTITION BY account_id ORDER BY block_end)
  FROM (
    SELECT moved.account_id, (moved.seq + 1023) / 1024 * 1024 AS block_end, sum(moved.change)::bigint AS change
      FROM (
        SELECT stream_id, seq, source_id AS account_id, -amount AS change FROM public.ledger_movement
        UNION ALL SELECT stream_id, seq, target_id, amount FROM public.ledger_movement
      ) AS moved
      JOIN public.ledger_head h ON h.stream_id = moved.stream_id
     WHERE (moved.seq + 1023) / 1024 * 1024 < h.seq
     GROUP BY 1, 2
  ) AS blocks;

-- Called by the entry AFTER a block's last one: by then the balances are those the block left behind.
CREATE FUNCTION public.ledger_take_snapshot() RETURNS trigger
LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp
AS $body$
BEGIN
    INSERT INTO public.ledger_snapshot (account_id, seq, balance)
    SELECT a.id, OLD.seq, a.balance
      FROM public.ledger_account a
     WHERE a.stream_id = OLD.stream_id AND a.id IN (
           SELECT unnest(ARRAY[m.source_id, m.target_id]) FROM public.ledger_movement m
            WHERE m.stream_id = OLD.stream_id AND m.seq > OLD.seq - 1024 AND m.seq <= OLD.seq);
    RETURN NULL;
END
$body$;

CREATE TRIGGER ledger_snapshot_block AFTER UPDATE ON public.ledger_head
    FOR EACH ROW WHEN (OLD.seq % 1024 = 0) EXECUTE FUNCTION public.ledger_take_snapshot();
ALTER TABLE public.ledger_head ENABLE ALWAYS TRIGGER ledger_snapshot_block;

CREATE TRIGGER ledger_no_update BEFORE UPDATE ON public.ledger_snapshot
    FOR EACH ROW EXECUTE FUNCTION public.ledger_refuse();
CREATE TRIGGER ledger_no_delete BEFORE DELETE ON public.ledger_snapshot
    FOR EACH ROW EXECUTE FUNCTION public.ledger_refuse();
CREATE TRIGGER ledger_no_truncate BEFORE TRUNCATE ON public.ledger_snapshot
    FOR EACH STATEMENT EXECUTE FUNCTION public.ledger_refuse();
CREATE TRIGGER ledger_no_foreign_insert BEFORE INSERT ON public.ledger_snapshot
    FOR EACH STATEMENT EXECUTE FUNCTION public.ledger_refuse_outside_posting();
ALTER TABLE public.ledger_snapshot ENABLE ALWAYS TRIGGER ledger_no_update;
ALTER TABLE public.ledger_snapshot ENABLE ALWAYS TRIGGER ledger_no_delete;
ALTER TABLE public.ledger_snapshot ENABLE ALWAYS TRIGGER ledger_no_truncate;
ALTER TABLE public.ledger_snapshot ENABLE ALWAYS TRIGGER ledger_no_foreign_insert;

REVOKE ALL ON FUNCTION public.ledger_take_snapshot() FROM PUBLIC;
