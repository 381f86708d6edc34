-- Rebuilding what is kept for speed and follows from the entries: a stream's head, its accounts' balances,
-- its snapshots. Released: never edit this file; a change is a new numbered file with CREATE OR REPLACE
-- FUNCTION.
--
-- Nothing is ever mended by itself. The owner calls this (the application may not) after verify_journal has
-- found nothing wrong but these; what was wrong, what it is now and why stands in an entry of the stream,
-- under its hash like any other. Entries and movements are read, and never written.

-- Rows are written by the posting functions, and where they are wrong by the one that rebuilds them.
CREATE OR REPLACE FUNCTION public.ledger_refuse_outside_posting() RETURNS trigger
LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp
AS $body$
DECLARE
    v_stack text;
BEGIN
    GET DIAGNOSTICS v_stack = PG_CONTEXT;
    IF strpos(v_stack, E'\nPL/pgSQL function ledger_post(') = 0
       AND strpos(v_stack, E'\nPL/pgSQL function ledger_open_stream(') = 0
       AND strpos(v_stack, E'\nPL/pgSQL function ledger_open_accounts(') = 0
       AND strpos(v_stack, E'\nPL/pgSQL function ledger_rebuild(') = 0
    THEN
        RAISE EXCEPTION USING
            ERRCODE = 'PL013',
            MESSAGE = format('%s is written by the posting functions only: %s is refused', TG_TABLE_NAME, TG_OP),
            DETAIL = json_build_object('table', TG_TABLE_NAME, 'operation', TG_OP)::text;
    END IF;
    RETURN NULL;
END
$body$;

-- What posting never does to a head or a snapshot.
CREATE FUNCTION public.ledger_refuse_outside_rebuilding() RETURNS trigger
LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp
AS $body$
DECLARE
    v_stack text;
BEGIN
    GET DIAGNOSTICS v_stack = PG_CONTEXT;
    IF strpos(v_stack, E'\nPL/pgSQL function ledger_rebuild(') = 0 THEN
        RAISE EXCEPTION USING
            ERRCODE = 'PL013',
            MESSAGE = format('%s is append-only: %s is refused', TG_TABLE_NAME, TG_OP),
            DETAIL = json_build_object('table', TG_TABLE_NAME, 'operation', TG_OP)::text;
    END IF;
    RETURN NULL;
END
$body$;

DROP TRIGGER ledger_only_forwards ON public.ledger_head;
CREATE TRIGGER ledger_only_forwards AFTER UPDATE ON public.ledger_head
    FOR EACH ROW WHEN (
        NEW.stream_id <> OLD.stream_id OR NEW.seq <> OLD.seq + 1 OR NEW.recorded_at <= OLD.recorded_at
    ) EXECUTE FUNCTION public.ledger_refuse_outside_rebuilding();
ALTER TABLE public.ledger_head ENABLE ALWAYS TRIGGER ledger_only_forwards;

DROP TRIGGER ledger_no_update ON public.ledger_snapshot;
CREATE TRIGGER ledger_no_update BEFORE UPDATE ON public.ledger_snapshot
    FOR EACH STATEMENT EXECUTE FUNCTION public.ledger_refuse_outside_rebuilding();
ALTER TABLE public.ledger_snapshot ENABLE ALWAYS TRIGGER ledger_no_update;
DROP TRIGGER ledger_no_delete ON public.ledger_snapshot;
CREATE TRIGGER ledger_no_delete BEFORE DELETE ON public.ledger_snapshot
    FOR EACH STATEMENT EXECUTE FUNCTION public.ledger_refuse_outside_rebuilding();
ALTER TABLE public.ledger_snapshot ENABLE ALWAYS TRIGGER ledger_no_delete;

-- A block is due a snapshot of each account that moved in it, once an entry has come after it: ledger_append
-- takes that of the last block, if this entry is the one.
CREATE FUNCTION public.ledger_rebuild_snapshots(p_stream_id integer, p_last bigint) RETURNS bigint
LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp
AS $body$
DECLARE
    v_changed bigint;
BEGIN
    WITH moved AS (
        SELECT c.account_id, (m.seq + 1023) / 1024 * 1024 AS seq, sum(c.change) AS change
          FROM public.ledger_movement m
         CROSS JOIN LATERAL (
               VALUES (m.source_id, -m.amount), (m.target_id, m.amount)) AS c (account_id, change)
         WHERE m.stream_id = p_stream_id
         GROUP BY 1, 2
    ), due AS MATERIALIZED (
        SELECT account_id, seq, (sum(change) OVER (PARTITION BY account_id ORDER BY seq))::bigint AS balance
          FROM moved WHERE seq < p_last
    ), taken_back AS (
        DELETE FROM public.ledger_snapshot k USING public.ledger_account a
         WHERE a.id = k.account_id AND a.stream_id = p_stream_id
           AND NOT EXISTS (SELECT 1 FROM due d WHERE d.account_id = k.account_id AND d.seq = k.seq)
        RETURNING 1
    ), altered AS (
        UPDATE public.ledger_snapshot k SET balance = d.balance FROM due d
         WHERE d.account_id = k.account_id AND d.seq = k.seq AND d.balance <> k.balance
        RETURNING 1
    ), made AS (
        INSERT INTO public.ledger_snapshot (seq, balance, account_id)
        SELECT d.seq, d.balance, d.account_id FROM due d
         WHERE NOT EXISTS (
               SELECT 1 FROM public.ledger_snapshot k WHERE k.account_id = d.account_id AND k.seq = d.seq)
        RETURNING 1
    )
    SELECT (SELECT count(*) FROM taken_back) + (SELECT count(*) FROM altered) + (SELECT count(*) FROM made)
      INTO v_changed;
    RETURN v_changed;
END
$body$;

-- Rebuilds one stream's; answers the entry that says what was wrong, or NULLs where nothing was.
CREATE FUNCTION public.ledger_rebuild(
    p_stream text, p_reason text, p_command uuid,
    OUT o_seq bigint, OUT o_entry_id uuid, OUT o_hash bytea, OUT o_recorded_at timestamptz
)
LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp
AS $body$
DECLARE
    v_head record;
    v_last record;
    v_head_was text := 'null';
    v_accounts text;
    v_snapshots bigint;
BEGIN
    IF coalesce(btrim(p_reason), '') = '' OR octet_length(p_reason) > 500 OR p_command IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'PL012', MESSAGE = 'a rebuilding needs a reason, and a command of its own',
            DETAIL = json_build_object('stream', p_stream)::text;
    END IF;
    v_head := public.ledger_lock_head(p_stream, p_command);
    SELECT e.seq, e.hash, e.recorded_at INTO STRICT v_last
      FROM public.ledger_entry e WHERE e.stream_id = v_head.o_stream_id ORDER BY e.seq DESC LIMIT 1;
    IF (v_last.seq, v_last.hash, v_last.recorded_at)
       IS DISTINCT FROM (v_head.o_seq, v_head.o_hash, v_head.o_recorded_at)
    THEN
        UPDATE public.ledger_head
           SET seq = v_last.seq, hash = v_last.hash, recorded_at = v_last.recorded_at
         WHERE stream_id = v_head.o_stream_id;
        v_head_was := '{"hash":"' || encode(v_head.o_hash, 'hex') || '","seq":' || v_head.o_seq || '}';
    END IF;

    WITH moved AS (
        SELECT c.account_id, sum(c.change)::bigint AS balance
          FROM public.ledger_movement m
         CROSS JOIN LATERAL (
               VALUES (m.source_id, -m.amount), (m.target_id, m.amount)) AS c (account_id, change)
         WHERE m.stream_id = v_head.o_stream_id
         GROUP BY 1
    ), derived AS (
        SELECT a.id, a.name, a.balance AS was, coalesce(m.balance, 0) AS due
          FROM public.ledger_account a LEFT JOIN moved m ON m.account_id = a.id
         WHERE a.stream_id = v_head.o_stream_id
    ), altered AS (
        UPDATE public.ledger_account a SET balance = d.due FROM derived d
         WHERE a.id = d.id AND d.was <> d.due
        RETURNING d.name, d.was, d.due
    )
    SELECT coalesce(string_agg(
               '{"is":' || due || ',"name":"' || name || '","was":' || was || '}', ',' ORDER BY name), '')
      INTO v_accounts FROM altered;
    v_snapshots := public.ledger_rebuild_snapshots(v_head.o_stream_id, v_last.seq);

    IF v_head_was <> 'null' OR v_accounts <> '' OR v_snapshots > 0 THEN
        SELECT a.o_seq, a.o_entry_id, a.o_hash, a.o_recorded_at
          INTO o_seq, o_entry_id, o_hash, o_recorded_at
          FROM public.ledger_append(
            v_head.o_stream_id, p_stream, v_last.seq, v_last.hash, v_last.recorded_at, 'ledger.rebuild',
            '{"accounts":[' || v_accounts || '],"head_was":' || v_head_was || ',"reason":'
            || to_json(p_reason) || ',"snapshots":' || v_snapshots || '}',
            '00000000-0000-0000-0000-000000000000', NULL, p_command, NULL, NULL, NULL, 0, ''::bytea) a;
    END IF;
END
$body$;

REVOKE ALL ON FUNCTION
    public.ledger_refuse_outside_rebuilding, public.ledger_rebuild_snapshots, public.ledger_rebuild
FROM PUBLIC;
