-- Opening streams and accounts. What is opened is journalled by the same function, in words it writes
-- itself, so name, asset and floor of every account are under the hash. Released: never edit this file.

-- Makes the accounts and answers their canonical JSON, in the order given. Names and assets are ASCII by
-- constraint and need no escaping.
CREATE FUNCTION public.ledger_make_accounts(
    p_stream_id integer, p_stream text, p_opened_seq bigint, p_names text[], p_assets text[], p_floors bigint[]
) RETURNS text
LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp
AS $body$
DECLARE
    c_name CONSTANT text := '^[a-z][a-z0-9_.:-]{0,99}$';
    c_asset CONSTANT text := '^[a-z][a-z0-9_]{0,29}:[A-Z0-9]{1,12}$';
    c_max_accounts CONSTANT integer := 1000;
    v_count integer := cardinality(p_names);
    v_made text[];
    v_json text;
BEGIN
    IF v_count IS NULL OR v_count > c_max_accounts OR cardinality(p_assets) IS DISTINCT FROM v_count
       OR cardinality(p_floors) IS DISTINCT FROM v_count
       OR EXISTS (
           SELECT 1 FROM unnest(p_names, p_assets, p_floors) AS n (name, asset, floor)
            WHERE (n.name ~ c_name) IS NOT TRUE OR (n.asset ~ c_asset) IS NOT TRUE
               OR n.floor NOT BETWEEN -9007199254740991 AND 0
       )
    THEN
        RAISE EXCEPTION USING ERRCODE = 'PL012', MESSAGE = 'accounts cannot be opened from these arguments',
            DETAIL = json_build_object('stream', p_stream)::text;
    END IF;
    WITH made AS (
        INSERT INTO public.ledger_account (stream_id, name, asset, floor, opened_seq)
        SELECT p_stream_id, n.name, n.asset, n.floor, p_opened_seq
          FROM unnest(p_names, p_assets, p_floors) WITH ORDINALITY AS n (name, asset, floor, line)
         ORDER BY n.line
        ON CONFLICT (stream_id, name) DO NOTHING
        RETURNING name
    )
    SELECT coalesce(array_agg(name), '{}') INTO v_made FROM made;
    IF cardinality(v_made) <> v_count THEN
        RAISE EXCEPTION USING ERRCODE = 'PL005', MESSAGE = 'an account of this name is open in this stream',
            DETAIL = json_build_object('stream', p_stream, 'accounts', (
                SELECT json_agg(DISTINCT n.name) FROM unnest(p_names) AS n (name)
                 WHERE n.name <> ALL (v_made) OR 1 < (SELECT count(*) FROM unnest(p_names) AS o (name) WHERE o.name = n.name)
            ))::text;
    END IF;
    SELECT string_agg(
               '{"asset":"' || n.asset || '","floor":' || coalesce(n.floor::text, 'null')
               || ',"name":"' || n.name || '"}', ',' ORDER BY n.line)
      INTO v_json
      FROM unnest(p_names, p_assets, p_floors) WITH ORDINALITY AS n (name, asset, floor, line);
    RETURN '[' || coalesce(v_json, '') || ']';
END
$body$;

-- Opens a stream with its first accounts; its first entry is "stream.open".
CREATE FUNCTION public.ledger_open_stream(
    p_stream text, p_names text[], p_assets text[], p_floors bigint[], p_actor uuid, p_command uuid,
    OUT o_seq bigint, OUT o_entry_id uuid, OUT o_hash bytea, OUT o_recorded_at timestamptz
)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $body$
DECLARE
    c_no_hash CONSTANT bytea := decode(repeat('00', 32), 'hex');
    v_stream_id integer;
    v_accounts text;
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION USING ERRCODE = 'PL001',
            MESSAGE = 'posting needs READ COMMITTED, not ' || current_setting('transaction_isolation');
    END IF;
    IF (p_stream ~ '^[a-z][a-z0-9_.:-]{0,99}$') IS NOT TRUE OR p_actor IS NULL OR p_command IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'PL012', MESSAGE = 'a stream cannot be opened from these arguments',
            DETAIL = json_build_object('stream', p_stream)::text;
    END IF;
    INSERT INTO public.ledger_stream (name) VALUES (p_stream) ON CONFLICT (name) DO NOTHING
        RETURNING id INTO v_stream_id;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'PL003', MESSAGE = 'a stream of this name is open',
            DETAIL = json_build_object('stream', p_stream)::text;
    END IF;
    v_accounts := public.ledger_make_accounts(v_stream_id, p_stream, 1, p_names, p_assets, p_floors);
    SELECT a.o_seq, a.o_entry_id, a.o_hash, a.o_recorded_at
      INTO o_seq, o_entry_id, o_hash, o_recorded_at
      FROM public.ledger_append(
        v_stream_id, p_stream, 0, c_no_hash, '-infinity', 'stream.open',
        '{"accounts":' || v_accounts || ',"stream":"' || p_stream || '"}',
        p_actor, NULL, p_command, NULL, NULL, NULL, 0, ''::bytea) a;
END
$body$;

-- Opens further accounts in a stream; the entry is "account.open".
CREATE FUNCTION public.ledger_open_accounts(
    p_stream text, p_names text[], p_assets text[], p_floors bigint[], p_actor uuid, p_command uuid,
    OUT o_seq bigint, OUT o_entry_id uuid, OUT o_hash bytea, OUT o_recorded_at timestamptz
)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $body$
DECLARE
    v_head record;
    v_accounts text;
BEGIN
    IF p_stream IS NULL OR p_actor IS NULL OR p_command IS NULL OR coalesce(cardinality(p_names), 0) = 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'PL012', MESSAGE = 'accounts cannot be opened from these arguments',
            DETAIL = json_build_object('stream', p_stream)::text;
    END IF;
    v_head := public.ledger_lock_head(p_stream, p_command);
    v_accounts := public.ledger_make_accounts(
        v_head.o_stream_id, p_stream, v_head.o_seq + 1, p_names, p_assets, p_floors);
    SELECT a.o_seq, a.o_entry_id, a.o_hash, a.o_recorded_at
      INTO o_seq, o_entry_id, o_hash, o_recorded_at
      FROM public.ledger_append(
        v_head.o_stream_id, p_stream, v_head.o_seq, v_head.o_hash, v_head.o_recorded_at, 'account.open',
        '{"accounts":' || v_accounts || ',"stream":"' || p_stream || '"}',
        p_actor, NULL, p_command, NULL, NULL, NULL, 0, ''::bytea) a;
END
$body$;

REVOKE ALL ON FUNCTION
    public.ledger_make_accounts, public.ledger_open_stream, public.ledger_open_accounts
FROM PUBLIC;
