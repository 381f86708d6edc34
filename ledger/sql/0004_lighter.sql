-- What a posting is spared. Released: never edit this file, write a new numbered one.
--
-- A guard that looks at both versions of a row refuses as well after the change as before it: the statement
-- fails either way. But a trigger BEFORE a row's update has PostgreSQL lock that row first and log that it
-- did, and a posting updates the head and a row for each account.

DROP TRIGGER ledger_only_balance ON public.ledger_account;
CREATE TRIGGER ledger_only_balance AFTER UPDATE ON public.ledger_account
    FOR EACH ROW WHEN (
        (OLD.id, OLD.stream_id, OLD.name, OLD.asset, OLD.floor, OLD.opened_seq)
        IS DISTINCT FROM (NEW.id, NEW.stream_id, NEW.name, NEW.asset, NEW.floor, NEW.opened_seq)
    ) EXECUTE FUNCTION public.ledger_refuse();
ALTER TABLE public.ledger_account ENABLE ALWAYS TRIGGER ledger_only_balance;

-- Names and assets never change, so their forms are looked at when an account is opened, and not with every
-- balance that is written, as a CHECK would.
ALTER TABLE public.ledger_account
    DROP CONSTRAINT ledger_account_name_form,
    DROP CONSTRAINT ledger_account_asset_form;
CREATE TRIGGER ledger_account_forms BEFORE INSERT ON public.ledger_account
    FOR EACH ROW WHEN (NOT coalesce(
        NEW.name ~ '^[a-z][a-z0-9_.:-]*$' AND octet_length(NEW.name) <= 100
        AND NEW.asset ~ '^[a-z][a-z0-9_]*:[A-Z0-9]+$'
        AND strpos(NEW.asset, ':') <= 31 AND octet_length(NEW.asset) - strpos(NEW.asset, ':') <= 12, false)
    ) EXECUTE FUNCTION public.ledger_refuse();
ALTER TABLE public.ledger_account ENABLE ALWAYS TRIGGER ledger_account_forms;
