-- Sealing: the one way a checkpoint comes to be. Released: never edit this file; a change is a new numbered
-- file with CREATE OR REPLACE FUNCTION.
--
-- Further SQLSTATEs (ledger/errors.py):  PL015 another sealer was faster   PL016 this is no checkpoint
--
-- The signature cannot be checked here, and the sealer's key is not here. What is checked is what decides
-- that the log never forks: the checkpoint continues the last one, and its leaves are the next entries.

-- One sealer at a time, until the transaction ends. It blocks no reader and nobody who posts.
CREATE FUNCTION public.ledger_lock_sealing() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $body$
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION USING ERRCODE = 'PL001',
            MESSAGE = 'sealing needs READ COMMITTED, not ' || current_setting('transaction_isolation');
    END IF;
    LOCK TABLE public.ledger_checkpoint IN SHARE ROW EXCLUSIVE MODE;
END
$body$;

-- Appends a checkpoint, if p_previous_size and p_previous_root are still those of the last one. The new
-- leaves are the entries p_firsts[i] to p_lasts[i] of stream p_streams[i], range after range; p_nodes are
-- the nodes they complete.
CREATE FUNCTION public.ledger_seal(
    p_previous_size bigint, p_previous_root bytea, p_size bigint, p_root bytea, p_origin text, p_note text,
    p_nodes bytea, p_streams integer[], p_firsts bigint[], p_lasts bigint[]
) RETURNS timestamptz
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $body$
DECLARE
    c_no_leaves CONSTANT bytea := sha256(''::bytea);
    v_count integer := cardinality(p_streams);
    v_node_start CONSTANT bigint := 2 * p_previous_size - bit_count(int8send(p_previous_size));
    v_last record;
    v_leaf bigint;
    v_leaves bigint;
    v_sealed_at timestamptz;
BEGIN
    PERFORM public.ledger_lock_sealing();
    SELECT c.size, c.root, c.sealed_at INTO v_last
      FROM public.ledger_checkpoint c ORDER BY c.size DESC LIMIT 1;
    IF p_previous_size IS DISTINCT FROM coalesce(v_last.size, 0)
       OR p_previous_root IS DISTINCT FROM coalesce(v_last.root, c_no_leaves)
    THEN
        RAISE EXCEPTION USING ERRCODE = 'PL015', MESSAGE = 'another checkpoint is the last one',
            DETAIL = json_build_object('size', coalesce(v_last.size, 0))::text;
    END IF;

    SELECT sum(r.last - r.first + 1) INTO v_leaves FROM unnest(p_firsts, p_lasts) AS r (first, last);
    IF coalesce(v_count, 0) = 0 OR cardinality(p_firsts) IS DISTINCT FROM v_count
       OR cardinality(p_lasts) IS DISTINCT FROM v_count
       OR v_leaves IS DISTINCT FROM p_size - p_previous_size
       OR octet_length(p_nodes) IS DISTINCT FROM
          32 * (2 * p_size - bit_count(int8send(p_size)) - v_node_start)
       OR starts_with(p_note, p_origin || E'\n' || p_size || E'\n' || encode(p_root, 'base64') || E'\n\n')
          IS NOT TRUE
    THEN
        RAISE EXCEPTION USING ERRCODE = 'PL016', MESSAGE = 'sizes, nodes and note do not make a checkpoint',
            DETAIL = json_build_object('size', p_size)::text;
    END IF;

    IF EXISTS (
        SELECT 1 FROM unnest(p_streams, p_firsts, p_lasts) AS r (stream_id, first, last)
         WHERE r.last < r.first
            OR r.first IS DISTINCT FROM 1 + coalesce((
                SELECT s.seq_to FROM public.ledger_checkpoint_range s
                 WHERE s.stream_id = r.stream_id ORDER BY s.seq_from DESC LIMIT 1), 0)
    ) OR v_count <> (SELECT count(DISTINCT s) FROM unnest(p_streams) AS s) THEN
        RAISE EXCEPTION USING ERRCODE = 'PL016', MESSAGE = 'a range does not begin where its stream was sealed to',
            DETAIL = json_build_object('size', p_size)::text;
    END IF;

    v_sealed_at := greatest(clock_timestamp(), v_last.sealed_at + interval '1 microsecond');
    INSERT INTO public.ledger_checkpoint_range (position, seq_from, seq_to, stream_id)
    SELECT p_previous_size + sum(r.last - r.first + 1) OVER (ORDER BY r.line) - (r.last - r.first + 1),
           r.first, r.last, r.stream_id
      FROM unnest(p_streams, p_firsts, p_lasts) WITH ORDINALITY AS r (stream_id, first, last, line);
    INSERT INTO public.ledger_checkpoint (size, previous_size, sealed_at, root, origin, note, nodes)
    VALUES (p_size, p_previous_size, v_sealed_at, p_root, p_origin, p_note, p_nodes);

    -- Every new leaf is the hash of the entry that its range says, committed and there. Range by range, so
    -- that no plan ever reads more of the journal than what is new.
    v_leaf := p_previous_size;
    FOR v_range IN 1 .. v_count LOOP
        SELECT count(*) INTO v_leaves
          FROM public.ledger_entry e
         CROSS JOIN LATERAL (SELECT v_leaf + e.seq - p_firsts[v_range] AS leaf) AS l
         WHERE e.stream_id = p_streams[v_range] AND e.seq BETWEEN p_firsts[v_range] AND p_lasts[v_range]
           AND sha256('\x00'::bytea || e.hash) = substring(
               p_nodes FROM (32 * (2 * l.leaf - bit_count(int8send(l.leaf)) - v_node_start) + 1)::integer FOR 32);
        IF v_leaves <> p_lasts[v_range] - p_firsts[v_range] + 1 THEN
            RAISE EXCEPTION USING ERRCODE = 'PL016', MESSAGE = 'the leaves are not the hashes of these entries',
                DETAIL = json_build_object('size', p_size)::text;
        END IF;
        v_leaf := v_leaf + v_leaves;
    END LOOP;
    IF current_setting('synchronous_commit') IN ('off', 'local') THEN
        PERFORM set_config('synchronous_commit', 'on', true);
    END IF;
    RETURN v_sealed_at;
END
$body$;

REVOKE ALL ON FUNCTION public.ledger_lock_sealing(), public.ledger_seal(
    bigint, bytea, bigint, bytea, text, text, bytea, integer[], bigint[], bigint[]) FROM PUBLIC;
