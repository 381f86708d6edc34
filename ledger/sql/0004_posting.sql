-- Posts one entry, as 0001_posting.sql says. Released: never edit this file; a change is a new numbered file.
--
-- New is that an account's texts are turned into the bytes that are hashed once, however many movements name it.

CREATE OR REPLACE FUNCTION public.ledger_post(
    p_stream text, p_kind text, p_payload text, p_sources text[], p_targets text[], p_amounts bigint[],
    p_actor uuid, p_terminal uuid, p_command uuid, p_occurred timestamptz, p_entry uuid, p_reverses uuid,
    OUT o_seq bigint, OUT o_entry_id uuid, OUT o_hash bytea, OUT o_recorded_at timestamptz
)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
SET plan_cache_mode = force_generic_plan
AS $body$
DECLARE
    c_max CONSTANT bigint := 9007199254740991;      -- 2^53 - 1: whatever reads JSON reads it exactly
    c_max_movements CONSTANT integer := 1000;
    c_max_payload CONSTANT integer := 262144;       -- bytes
    v_head record;
    v_count integer := cardinality(p_amounts);
    v_ids integer[];
    v_names text[];
    v_assets text[];
    v_floors bigint[];
    v_balances bigint[];
    v_name_bytes bytea[];
    v_asset_bytes bytea[];
    v_source_ids integer[] := '{}';
    v_target_ids integer[] := '{}';
    v_bytes bytea := '';
    v_amount bigint;
    v_source integer;
    v_target integer;
BEGIN
    IF p_stream IS NULL OR p_kind IS NULL OR p_payload IS NULL OR p_actor IS NULL OR p_command IS NULL
       OR v_count IS NULL OR cardinality(p_sources) IS DISTINCT FROM v_count
       OR cardinality(p_targets) IS DISTINCT FROM v_count OR v_count > c_max_movements
       OR octet_length(p_payload) > c_max_payload
       OR p_kind !~ '^[a-z][a-z0-9_.]*$' OR octet_length(p_kind) > 64 OR p_kind IN ('stream.open', 'account.open')
       OR p_occurred NOT BETWEEN '1970-01-01T00:00:00Z' AND '9999-12-30T00:00:00Z'
       OR p_payload IS NOT JSON OBJECT WITH UNIQUE KEYS
    THEN
        RAISE EXCEPTION USING ERRCODE = 'PL012', MESSAGE = 'an entry cannot be made from these arguments',
            DETAIL = json_build_object('kind', p_kind)::text;
    END IF;

    v_head := public.ledger_lock_head(p_stream, p_command);
    IF p_reverses IS NOT NULL THEN
        PERFORM public.ledger_check_reversal(v_head.o_stream_id, p_reverses);
    END IF;

    IF v_count > 0 THEN
        SELECT array_agg(a.id), array_agg(a.name), array_agg(a.asset), array_agg(a.floor), array_agg(a.balance),
               array_agg(public.ledger_text_bytes(a.name)), array_agg(public.ledger_text_bytes(a.asset))
          INTO v_ids, v_names, v_assets, v_floors, v_balances, v_name_bytes, v_asset_bytes
          FROM public.ledger_account a
         WHERE a.stream_id = v_head.o_stream_id AND a.name = ANY (p_sources || p_targets);
    END IF;
    FOR v_line IN 1 .. v_count LOOP
        v_amount := p_amounts[v_line];
        v_source := array_position(v_names, p_sources[v_line]);
        v_target := array_position(v_names, p_targets[v_line]);
        IF v_source IS NULL OR v_target IS NULL THEN
            RAISE EXCEPTION USING ERRCODE = 'PL004', MESSAGE = 'no account of this name in this stream',
                DETAIL = json_build_object('stream', p_stream, 'account',
                    CASE WHEN v_source IS NULL THEN p_sources[v_line] ELSE p_targets[v_line] END)::text;
        ELSIF v_source = v_target THEN
            RAISE EXCEPTION USING ERRCODE = 'PL014', MESSAGE = 'a movement needs two different accounts',
                DETAIL = json_build_object('account', p_sources[v_line])::text;
        ELSIF v_assets[v_source] <> v_assets[v_target] THEN
            RAISE EXCEPTION USING ERRCODE = 'PL006', MESSAGE = 'the two accounts hold different assets',
                DETAIL = json_build_object('source', p_sources[v_line], 'source_asset', v_assets[v_source],
                    'target', p_targets[v_line], 'target_asset', v_assets[v_target])::text;
        ELSIF v_amount IS NULL OR v_amount NOT BETWEEN 1 AND c_max THEN
            RAISE EXCEPTION USING ERRCODE = 'PL007', MESSAGE = 'an amount lies between 1 and 2^53 - 1',
                DETAIL = json_build_object('amount', v_amount, 'source', p_sources[v_line],
                    'target', p_targets[v_line])::text;
        END IF;
        v_balances[v_source] := v_balances[v_source] - v_amount;
        v_balances[v_target] := v_balances[v_target] + v_amount;
        v_source_ids[v_line] := v_ids[v_source];
        v_target_ids[v_line] := v_ids[v_target];
        v_bytes := v_bytes || v_name_bytes[v_source] || v_name_bytes[v_target] || v_asset_bytes[v_source]
            || int8send(v_amount);
    END LOOP;
    FOR v_index IN 1 .. coalesce(cardinality(v_ids), 0) LOOP
        IF v_balances[v_index] < v_floors[v_index] THEN
            RAISE EXCEPTION USING ERRCODE = 'PL008', MESSAGE = 'an account would fall below its floor',
                DETAIL = json_build_object('stream', p_stream, 'account', v_names[v_index],
                    'floor', v_floors[v_index], 'would_be', v_balances[v_index])::text;
        ELSIF abs(v_balances[v_index]) > c_max THEN
            RAISE EXCEPTION USING ERRCODE = 'PL007', MESSAGE = 'a balance would pass 2^53 - 1',
                DETAIL = json_build_object('account', v_names[v_index])::text;
        END IF;
    END LOOP;

    SELECT a.o_seq, a.o_entry_id, a.o_hash, a.o_recorded_at
      INTO o_seq, o_entry_id, o_hash, o_recorded_at
      FROM public.ledger_append(
        v_head.o_stream_id, p_stream, v_head.o_seq, v_head.o_hash, v_head.o_recorded_at, p_kind, p_payload,
        p_actor, p_terminal, p_command, p_occurred, p_entry, p_reverses, v_count, v_bytes) a;
    IF v_count > 0 THEN
        INSERT INTO public.ledger_movement (seq, amount, stream_id, source_id, target_id, line)
        SELECT o_seq, m.amount, v_head.o_stream_id, m.source_id, m.target_id, m.line::smallint
          FROM unnest(p_amounts, v_source_ids, v_target_ids) WITH ORDINALITY AS m (amount, source_id, target_id, line);
        -- The head's lock guards every balance of the stream: what was read above is still so. The ANY
        -- keeps the planner, which guesses the length of unnest(), from reading the whole table.
        UPDATE public.ledger_account a SET balance = n.balance
          FROM unnest(v_ids, v_balances) AS n (id, balance)
         WHERE a.id = n.id AND a.id = ANY (v_ids);
    END IF;
END
$body$;

DROP FUNCTION public.ledger_movement_bytes(text, text, text, bigint);
