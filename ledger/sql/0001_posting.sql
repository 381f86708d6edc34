-- Posting: the one way an entry comes to be. Released: never edit this file; a change is a new numbered file
-- with CREATE OR REPLACE FUNCTION.
--
-- SQLSTATEs of the journal's refusals (ledger/errors.py has a class for each; details are JSON):
--   PL001 wrong isolation     PL006 assets differ          PL011 already reversed
--   PL002 stream unknown      PL007 bad amount             PL012 bad entry
--   PL003 stream exists       PL008 floor broken           PL013 guarded table
--   PL004 account unknown     PL009 command already used   PL014 source is target
--   PL005 account exists      PL010 reversed entry unknown

-- Answers the stream and its locked head. Nothing but the stream's constant name and id is read before the
-- lock is held; every later statement of a READ COMMITTED function sees what the lock's last holder
-- committed. Under REPEATABLE READ it would not, hence the refusal.
CREATE FUNCTION public.ledger_lock_head(
    p_stream text, p_command uuid,
    OUT o_stream_id integer, OUT o_seq bigint, OUT o_hash bytea, OUT o_recorded_at timestamptz
)
LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp
AS $body$
DECLARE
    v_seen record;
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION USING ERRCODE = 'PL001',
            MESSAGE = 'posting needs READ COMMITTED, not ' || current_setting('transaction_isolation');
    END IF;
    SELECT h.stream_id, h.seq, h.hash, h.recorded_at
      INTO o_stream_id, o_seq, o_hash, o_recorded_at
      FROM public.ledger_stream s JOIN public.ledger_head h ON h.stream_id = s.id
     WHERE s.name = p_stream
       FOR UPDATE OF h;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'PL002', MESSAGE = 'no stream of this name',
            DETAIL = json_build_object('stream', p_stream)::text;
    END IF;
    SELECT e.seq, e.id INTO v_seen
      FROM public.ledger_entry e WHERE e.stream_id = o_stream_id AND e.command_id = p_command;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'PL009', MESSAGE = 'this command has already been posted',
            DETAIL = json_build_object(
                'command_id', p_command, 'stream', p_stream, 'seq', v_seen.seq, 'entry_id', v_seen.id
            )::text;
    END IF;
END
$body$;

CREATE FUNCTION public.ledger_check_reversal(p_stream_id integer, p_reverses uuid) RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp
AS $body$
BEGIN
    IF NOT EXISTS (
        SELECT 1 FROM public.ledger_entry e WHERE e.id = p_reverses AND e.stream_id = p_stream_id
    ) THEN
        RAISE EXCEPTION USING ERRCODE = 'PL010', MESSAGE = 'the entry to reverse is not in this stream',
            DETAIL = json_build_object('reverses', p_reverses)::text;
    END IF;
    IF EXISTS (SELECT 1 FROM public.ledger_entry e WHERE e.reverses = p_reverses) THEN
        RAISE EXCEPTION USING ERRCODE = 'PL011', MESSAGE = 'this entry has been reversed before',
            DETAIL = json_build_object('reverses', p_reverses)::text;
    END IF;
END
$body$;

-- Writes the entry and moves the head on. The caller holds the head's lock (or has just made the stream) and
-- passes the head it saw; p_movement_bytes are the hashed bytes of the entry's movements.
CREATE FUNCTION public.ledger_append(
    p_stream_id integer, p_stream text, p_last_seq bigint, p_last_hash bytea, p_last_recorded timestamptz,
    p_kind text, p_payload text, p_actor uuid, p_terminal uuid, p_command uuid, p_occurred timestamptz,
    p_entry uuid, p_reverses uuid, p_movement_count integer, p_movement_bytes bytea,
    OUT o_seq bigint, OUT o_entry_id uuid, OUT o_hash bytea, OUT o_recorded_at timestamptz
)
LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp
AS $body$
DECLARE
    c_version CONSTANT smallint := 1;
    v_digest bytea := sha256(convert_to(p_payload, 'UTF8'));
    v_occurred timestamptz;
BEGIN
    o_seq := p_last_seq + 1;
    o_entry_id := coalesce(p_entry, uuidv7());
    -- Read under the lock, and never backwards: a clock that was set back costs microseconds, not order.
    o_recorded_at := greatest(clock_timestamp(), p_last_recorded + interval '1 microsecond');
    v_occurred := coalesce(p_occurred, o_recorded_at);
    o_hash := public.ledger_entry_hash(
        c_version, p_stream, o_seq, o_entry_id, p_command, p_kind, p_actor, p_terminal, o_recorded_at,
        v_occurred, v_digest, p_reverses, p_last_hash, p_movement_count, p_movement_bytes
    );
    INSERT INTO public.ledger_entry (
        seq, recorded_at, occurred_at, stream_id, hash_version, id, command_id, actor, terminal, reverses,
        kind, payload, payload_digest, previous_hash, hash
    ) VALUES (
        o_seq, o_recorded_at, v_occurred, p_stream_id, c_version, o_entry_id, p_command, p_actor, p_terminal,
        p_reverses, p_kind, p_payload, v_digest, p_last_hash, o_hash
    );
    IF p_last_seq = 0 THEN
        INSERT INTO public.ledger_head (stream_id, seq, hash, recorded_at)
        VALUES (p_stream_id, o_seq, o_hash, o_recorded_at);
    ELSE
        UPDATE public.ledger_head SET seq = o_seq, hash = o_hash, recorded_at = o_recorded_at
         WHERE stream_id = p_stream_id;
    END IF;
    -- A chip that was paid stays paid: no session may trade an entry's durability for speed.
    IF current_setting('synchronous_commit') IN ('off', 'local') THEN
        PERFORM set_config('synchronous_commit', 'on', true);
    END IF;
END
$body$;

-- Posts one entry. The three arrays are the movements: account names of this stream, and amounts in minor
-- units. One round trip, one entry; all or nothing. Plans are generic: for a short array of names PostgreSQL
-- believes a plan of its own to be worth its while, every time, which took half of the whole posting.
CREATE FUNCTION public.ledger_post(
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
        SELECT array_agg(a.id), array_agg(a.name), array_agg(a.asset), array_agg(a.floor), array_agg(a.balance)
          INTO v_ids, v_names, v_assets, v_floors, v_balances
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
        v_bytes := v_bytes || public.ledger_movement_bytes(
            p_sources[v_line], p_targets[v_line], v_assets[v_source], v_amount
        );
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

REVOKE ALL ON FUNCTION
    public.ledger_text_bytes, public.ledger_uuid_bytes, public.ledger_time_bytes, public.ledger_movement_bytes,
    public.ledger_entry_hash, public.ledger_lock_head, public.ledger_check_reversal, public.ledger_append,
    public.ledger_post
FROM PUBLIC;
