-- Guards: they refuse what must never happen to the journal, to the owner too. Released: never edit this file.
--
-- The application's role has no rights these triggers would have to stop; they are against mistakes made as
-- owner (a data migration, a console). ENABLE ALWAYS: no session_replication_role switches them off. An owner
-- who alters the tables, and any superuser, can still remove them: that is found by verify_journal and, once
-- entries are sealed, by the signed checkpoints outside the database.

CREATE FUNCTION public.ledger_refuse() RETURNS trigger
LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp
AS $body$
BEGIN
    RAISE EXCEPTION USING
        ERRCODE = 'PL013',
        MESSAGE = format('%s is append-only: %s is refused', TG_TABLE_NAME, TG_OP),
        DETAIL = json_build_object('table', TG_TABLE_NAME, 'operation', TG_OP)::text;
END
$body$;

-- Rows are written by the posting functions only. The call stack says who writes; a session setting would
-- be a switch in anybody's hand.
CREATE FUNCTION public.ledger_refuse_outside_posting() RETURNS trigger
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
    THEN
        RAISE EXCEPTION USING
            ERRCODE = 'PL013',
            MESSAGE = format('%s is written by the posting functions only: %s is refused', TG_TABLE_NAME, TG_OP),
            DETAIL = json_build_object('table', TG_TABLE_NAME, 'operation', TG_OP)::text;
    END IF;
    RETURN NULL;
END
$body$;

DO $guards$
DECLARE
    v_table text;
BEGIN
    FOREACH v_table IN ARRAY ARRAY[
        'ledger_stream', 'ledger_head', 'ledger_account', 'ledger_entry', 'ledger_movement'
    ] LOOP
        EXECUTE format(
            'CREATE TRIGGER ledger_no_delete BEFORE DELETE ON public.%1$I
                 FOR EACH ROW EXECUTE FUNCTION public.ledger_refuse();
             CREATE TRIGGER ledger_no_truncate BEFORE TRUNCATE ON public.%1$I
                 FOR EACH STATEMENT EXECUTE FUNCTION public.ledger_refuse();
             CREATE TRIGGER ledger_no_foreign_insert BEFORE INSERT ON public.%1$I
                 FOR EACH STATEMENT EXECUTE FUNCTION public.ledger_refuse_outside_posting();
             ALTER TABLE public.%1$I ENABLE ALWAYS TRIGGER ledger_no_delete;
             ALTER TABLE public.%1$I ENABLE ALWAYS TRIGGER ledger_no_truncate;
             ALTER TABLE public.%1$I ENABLE ALWAYS TRIGGER ledger_no_foreign_insert;',
            v_table
        );
    END LOOP;
    FOREACH v_table IN ARRAY ARRAY['ledger_stream', 'ledger_entry', 'ledger_movement'] LOOP
        EXECUTE format(
            'CREATE TRIGGER ledger_no_update BEFORE UPDATE ON public.%1$I
                 FOR EACH ROW EXECUTE FUNCTION public.ledger_refuse();
             ALTER TABLE public.%1$I ENABLE ALWAYS TRIGGER ledger_no_update;',
            v_table
        );
    END LOOP;
    FOREACH v_table IN ARRAY ARRAY['ledger_head', 'ledger_account'] LOOP
        EXECUTE format(
            'CREATE TRIGGER ledger_no_foreign_update BEFORE UPDATE ON public.%1$I
                 FOR EACH STATEMENT EXECUTE FUNCTION public.ledger_refuse_outside_posting();
             ALTER TABLE public.%1$I ENABLE ALWAYS TRIGGER ledger_no_foreign_update;',
            v_table
        );
    END LOOP;
END
$guards$;

-- What may change in a changeable row: an account's balance; of a head all but whose head it is, forwards.
CREATE TRIGGER ledger_only_balance BEFORE UPDATE ON public.ledger_account
    FOR EACH ROW WHEN (
        (OLD.id, OLD.stream_id, OLD.name, OLD.asset, OLD.floor, OLD.opened_seq)
        IS DISTINCT FROM (NEW.id, NEW.stream_id, NEW.name, NEW.asset, NEW.floor, NEW.opened_seq)
    ) EXECUTE FUNCTION public.ledger_refuse();
ALTER TABLE public.ledger_account ENABLE ALWAYS TRIGGER ledger_only_balance;

CREATE TRIGGER ledger_only_forwards BEFORE UPDATE ON public.ledger_head
    FOR EACH ROW WHEN (
        NEW.stream_id <> OLD.stream_id OR NEW.seq <> OLD.seq + 1 OR NEW.recorded_at <= OLD.recorded_at
    ) EXECUTE FUNCTION public.ledger_refuse();
ALTER TABLE public.ledger_head ENABLE ALWAYS TRIGGER ledger_only_forwards;

REVOKE ALL ON FUNCTION public.ledger_refuse(), public.ledger_refuse_outside_posting() FROM PUBLIC;
