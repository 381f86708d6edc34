-- What was sealed: checkpoints with the tree's nodes, and which entries the leaves are. Released: never edit
-- this file, write a new numbered one.
--
-- The tree is that of RFC 6962 over the entries' hashes. Its complete subtrees are kept in the order in which
-- appending leaves completes them, 32 bytes each (ledger/checkpoints/tree.py); a checkpoint carries those its
-- own leaves completed. So nothing is stored twice or ever rewritten, and a node is one index look-up and a
-- slice away: the column is neither compressed nor copied out of line in one piece.

CREATE TABLE public.ledger_checkpoint (
    size bigint NOT NULL,
    previous_size bigint NOT NULL,
    sealed_at timestamptz NOT NULL,
    root bytea NOT NULL,
    origin text NOT NULL,
    note text NOT NULL,
    nodes bytea STORAGE EXTERNAL NOT NULL,
    CONSTRAINT ledger_checkpoint_pkey PRIMARY KEY (size),
    CONSTRAINT ledger_checkpoint_no_fork UNIQUE (previous_size),
    CONSTRAINT ledger_checkpoint_grows CHECK (previous_size >= 0 AND size > previous_size),
    CONSTRAINT ledger_checkpoint_root_length CHECK (octet_length(root) = 32)
);

-- Leaves position, position + 1, ... are the entries seq_from to seq_to of a stream.
CREATE TABLE public.ledger_checkpoint_range (
    position bigint NOT NULL,
    seq_from bigint NOT NULL,
    seq_to bigint NOT NULL,
    stream_id integer NOT NULL,
    CONSTRAINT ledger_checkpoint_range_pkey PRIMARY KEY (position),
    CONSTRAINT ledger_checkpoint_range_stream_key UNIQUE (stream_id, seq_from),
    CONSTRAINT ledger_checkpoint_range_forwards CHECK (position >= 0 AND seq_from >= 1 AND seq_to >= seq_from)
);

-- As for the journal: added to by its function, changed and deleted by nobody, the owner included.
CREATE FUNCTION public.ledger_refuse_outside_sealing() RETURNS trigger
LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp
AS $body$
DECLARE
    v_stack text;
BEGIN
    GET DIAGNOSTICS v_stack = PG_CONTEXT;
    IF v_stack !~ '\nPL/pgSQL function ledger_seal\(' THEN
        RAISE EXCEPTION USING
            ERRCODE = 'PL013',
            MESSAGE = format('%s is written by the sealing function only: %s is refused', TG_TABLE_NAME, TG_OP),
            DETAIL = json_build_object('table', TG_TABLE_NAME, 'operation', TG_OP)::text;
    END IF;
    RETURN NULL;
END
$body$;

DO $guards$
DECLARE
    v_table text;
BEGIN
    FOREACH v_table IN ARRAY ARRAY['ledger_checkpoint', 'ledger_checkpoint_range'] LOOP
        EXECUTE format(
            'CREATE TRIGGER ledger_no_update BEFORE UPDATE ON public.%1$I
                 FOR EACH ROW EXECUTE FUNCTION public.ledger_refuse();
             CREATE TRIGGER ledger_no_delete BEFORE DELETE ON public.%1$I
                 FOR EACH ROW EXECUTE FUNCTION public.ledger_refuse();
             CREATE TRIGGER ledger_no_truncate BEFORE TRUNCATE ON public.%1$I
                 FOR EACH STATEMENT EXECUTE FUNCTION public.ledger_refuse();
             CREATE TRIGGER ledger_no_foreign_insert BEFORE INSERT ON public.%1$I
                 FOR EACH STATEMENT EXECUTE FUNCTION public.ledger_refuse_outside_sealing();
             ALTER TABLE public.%1$I ENABLE ALWAYS TRIGGER ledger_no_update;
             ALTER TABLE public.%1$I ENABLE ALWAYS TRIGGER ledger_no_delete;
             ALTER TABLE public.%1$I ENABLE ALWAYS TRIGGER ledger_no_truncate;
             ALTER TABLE public.%1$I ENABLE ALWAYS TRIGGER ledger_no_foreign_insert;',
            v_table
        );
    END LOOP;
END
$guards$;

REVOKE ALL ON FUNCTION public.ledger_refuse_outside_sealing() FROM PUBLIC;
