-- The two roles and the database, made by a superuser; what is there already is left as it is:
--
--     sudo -u postgres psql -X -v ON_ERROR_STOP=1 -f deploy/postgresql.sql
--
-- Neither role has a password: on this machine they are the accounts of the same names (`local all all peer` in
-- pg_hba.conf, as Debian has it). All that the application may do comes from config/sql/grants.sql with each migrate.

DO $roles$
DECLARE
    v_role text;
BEGIN
    FOREACH v_role IN ARRAY ARRAY['pitledger_owner', 'pitledger'] LOOP
        IF to_regrole(v_role) IS NULL THEN
            EXECUTE format('CREATE ROLE %I LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION', v_role);
        END IF;
    END LOOP;
END
$roles$;

-- Sorted by bytes, so that no update of the system's libraries changes the order of an index.
CREATE DATABASE pitledger OWNER pitledger_owner TEMPLATE template0 ENCODING 'UTF8'
    LOCALE_PROVIDER builtin BUILTIN_LOCALE 'C.UTF-8' LOCALE 'C.UTF-8';

REVOKE ALL ON DATABASE pitledger FROM PUBLIC;
GRANT CONNECT ON DATABASE pitledger TO pitledger;
