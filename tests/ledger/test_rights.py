"""Who may do what: the application reads and calls, the owner is held back by guards, nobody else."""

from io import StringIO
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import call_command, load_command_class
from django.db import DatabaseError, connection, connections

from config.grants import app_role, apply_grants, listed_tables
from ledger.verify_journal import verify_journal
from tests.ledger.support import TABLES, as_owner, everything, filled_stream, post, sqlstate_of

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner"])

DENIED = "42501"
GUARDED = "PL013"
PRIVILEGES = ("SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER", "MAINTAIN")

CALLED = ["ledger_lock_sealing", "ledger_open_accounts", "ledger_open_stream", "ledger_post", "ledger_seal"]
SEALED = ("ledger_checkpoint", "ledger_checkpoint_range")

ON_EVERY_TABLE = [
    "INSERT INTO {0} OVERRIDING SYSTEM VALUE SELECT * FROM {0}",
    "INSERT INTO {0} DEFAULT VALUES",
    "UPDATE {0} SET stream_id = stream_id",
    "DELETE FROM {0}",
    "TRUNCATE {0}",
    "TRUNCATE {0} CASCADE",
    "MERGE INTO {0} t USING (SELECT 1) s ON false WHEN NOT MATCHED THEN DO NOTHING WHEN MATCHED THEN DELETE",
    "COPY {0} FROM STDIN",
    "SELECT * FROM {0} FOR UPDATE",
    "SELECT * FROM {0} FOR SHARE",
    "LOCK TABLE {0} IN ACCESS EXCLUSIVE MODE",
    "ALTER TABLE {0} ADD COLUMN x integer",
    "ALTER TABLE {0} DISABLE TRIGGER ALL",
    "ALTER TABLE {0} DISABLE TRIGGER ledger_no_delete",
    "ALTER TABLE {0} ENABLE REPLICA TRIGGER ledger_no_delete",
    "ALTER TABLE {0} OWNER TO CURRENT_USER",
    "ALTER TABLE {0} RENAME TO gone",
    "ALTER TABLE {0} ENABLE ROW LEVEL SECURITY",
    "DROP TRIGGER ledger_no_delete ON {0}",
    "DROP TABLE {0} CASCADE",
    "CREATE RULE away AS ON INSERT TO {0} DO INSTEAD NOTHING",
    "CREATE INDEX extra ON {0} ((1))",
]

APPEND = "SELECT ledger_append(1, 'x', 0, '', now(), 'k', '', NULL, NULL, NULL, NULL, NULL, NULL, 0, '')"
OF_EVERY_KIND = [
    "SET session_replication_role = replica",
    "SET ROLE {owner}",
    "SET SESSION AUTHORIZATION {owner}",
    "CREATE TEMP TABLE ledger_head (x integer)",
    "CREATE TABLE public.extra (x integer)",
    "CREATE SCHEMA extra",
    "CREATE FUNCTION public.extra() RETURNS integer LANGUAGE sql RETURN 1",
    "CREATE OR REPLACE FUNCTION public.ledger_refuse() RETURNS trigger LANGUAGE plpgsql"
    " AS 'BEGIN RETURN NULL; END'",
    "DROP FUNCTION public.ledger_post",
    "ALTER FUNCTION public.ledger_post SECURITY INVOKER",
    "ALTER FUNCTION public.ledger_post RESET search_path",
    "ALTER ROLE CURRENT_USER CREATEDB",
    "CREATE ROLE extra",
    "SELECT setval('ledger_account_id_seq', 1)",
    "SELECT nextval('ledger_stream_id_seq')",
    APPEND,
    "SELECT ledger_lock_head('x', NULL)",
    "SELECT ledger_make_accounts(1, 'x', 1, '{{}}', '{{}}', '{{}}')",
    "SELECT ledger_check_reversal(1, NULL)",
    "SELECT ledger_rebuild('x', 'why', NULL)",
    "SELECT ledger_rebuild_snapshots(1, 1)",
    "SELECT ledger_text_bytes('x')",
    "SELECT pg_read_file('postgresql.conf')",
    "SELECT lo_import('/etc/hostname')",
]


@pytest.mark.parametrize("table", [*TABLES, *SEALED])
def test_application_can_only_read_the_journals_tables(table: str) -> None:
    filled_stream()
    before = everything()
    with connection.cursor() as cursor:
        assert sqlstate_of(cursor, f"TABLE {table}") is None
        for template in ON_EVERY_TABLE:
            statement = template.format(table)
            if table == "ledger_stream":
                statement = statement.replace("stream_id = stream_id", "name = name")
            if table == "ledger_checkpoint":
                statement = statement.replace("stream_id = stream_id", "size = size")
            assert sqlstate_of(cursor, statement) == DENIED, statement
    assert everything() == before


@pytest.mark.parametrize("statement", OF_EVERY_KIND)
def test_application_cannot_go_around_them(statement: str) -> None:
    filled_stream()
    before = everything()
    owner = connections["owner"].settings_dict["USER"]
    with connection.cursor() as cursor:
        assert sqlstate_of(cursor, statement.format(owner=owner)) == DENIED
    assert everything() == before


def test_application_does_not_run_as_the_owner() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT current_user, rolsuper, rolcreaterole, rolbypassrls, rolreplication"
            " FROM pg_roles WHERE rolname = current_user"
        )
        assert cursor.fetchone() == (app_role(), False, False, False, False)
        cursor.execute("SELECT count(*) FROM pg_class WHERE relowner = current_user::regrole")
        assert cursor.fetchone() == (0,)
        cursor.execute("SELECT count(*) FROM pg_auth_members m WHERE m.member = current_user::regrole")
        assert cursor.fetchone() == (0,)


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize(
    "template",
    [
        "DELETE FROM {0}",
        "TRUNCATE {0} CASCADE",
        "UPDATE {0} SET {1} = {1}",
        "INSERT INTO {0} OVERRIDING SYSTEM VALUE SELECT * FROM {0} LIMIT 1",
        "INSERT INTO {0} OVERRIDING SYSTEM VALUE SELECT * FROM {0} LIMIT 0",
        "MERGE INTO {0} t USING (SELECT 1) s ON true WHEN MATCHED THEN DELETE",
        "MERGE INTO {0} t USING (SELECT 1) s ON true WHEN MATCHED THEN UPDATE SET {1} = {1}",
    ],
)
def test_owner_is_refused_by_the_guards(table: str, template: str) -> None:
    filled_stream()
    before = everything()
    column = "name" if table == "ledger_stream" else "balance" if table == "ledger_account" else "seq"
    with as_owner() as cursor:
        assert sqlstate_of(cursor, template.format(table, column)) == GUARDED
    assert everything() == before


def test_owner_cannot_switch_the_guards_off_by_a_setting() -> None:
    with as_owner() as cursor:
        assert sqlstate_of(cursor, "SET session_replication_role = replica") == DENIED
        cursor.execute(
            "SELECT count(*), count(*) FILTER (WHERE tgenabled = 'A') FROM pg_trigger"
            " WHERE NOT tgisinternal AND tgrelid::regclass::text LIKE 'ledger\\_%'"
        )
        assert cursor.fetchone() == (36, 36)


def test_head_and_balance_change_only_inside_the_posting_functions() -> None:
    """Neither a function of another name, nor one that calls itself so in another schema, gets through."""
    stream = filled_stream()
    body = "BEGIN UPDATE public.ledger_account SET balance = balance; END"
    with as_owner() as cursor:
        cursor.execute("CREATE SCHEMA evil")
        for name in ("public.ledger_poster", "evil.ledger_post", 'evil."x ledger_post("'):
            cursor.execute(f"CREATE FUNCTION {name}() RETURNS void LANGUAGE plpgsql AS '{body}'")
            assert sqlstate_of(cursor, f"SELECT {name}()") == GUARDED
    assert verify_journal(stream=stream).ok


def test_only_balances_change_and_heads_only_go_forwards() -> None:
    """What the row guards hold against a posting function that were changed for the worse."""
    filled_stream()
    changes = [
        "UPDATE public.ledger_account SET name = name || ''x''",
        "UPDATE public.ledger_account SET floor = NULL, asset = ''chips:EUR''",
        "UPDATE public.ledger_head SET seq = seq + 2",
        "UPDATE public.ledger_head SET seq = seq + 1",
        "UPDATE public.ledger_head SET seq = seq - 1, recorded_at = recorded_at + interval ''1 s''"
        " WHERE seq > 1",
    ]
    for change in changes:
        with as_owner() as cursor:
            cursor.execute(
                f"CREATE FUNCTION public.ledger_post() RETURNS void LANGUAGE plpgsql AS 'BEGIN {change}; END'"
            )
            assert sqlstate_of(cursor, "SELECT public.ledger_post()") == GUARDED, change


def test_shadowing_by_search_path_and_pg_temp_has_no_effect() -> None:
    stream = filled_stream()
    fakes = """
        CREATE SCHEMA evil;
        CREATE FUNCTION evil.sha256(bytea) RETURNS bytea LANGUAGE sql AS 'SELECT ''\\x00''::bytea';
        CREATE FUNCTION evil.clock_timestamp() RETURNS timestamptz LANGUAGE sql
            AS 'SELECT ''2000-01-01''::timestamptz';
        CREATE FUNCTION evil.array_position(text[], text) RETURNS integer LANGUAGE sql AS 'SELECT 1';
        CREATE FUNCTION evil.less(bigint, bigint) RETURNS boolean LANGUAGE sql AS 'SELECT false';
        CREATE OPERATOR evil.< (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = evil.less);
        SET LOCAL search_path = evil, pg_temp, public, pg_catalog;
    """
    with as_owner() as cursor:
        for table in TABLES:
            cursor.execute(f"CREATE TEMP TABLE {table} (LIKE public.{table})")
        cursor.execute(fakes)
        arguments: list[Any] = [stream, "{tray}", "{seat:1}", uuid4(), uuid4()]
        call = (
            "SELECT o_seq FROM public.ledger_post(%s, 'test.moved', '{}', %s, %s, '{7}', %s, NULL, %s,"
            " NULL, NULL, NULL)"
        )
        cursor.execute(call, arguments)
        assert cursor.fetchone() == (3,)
        broken = "SELECT public.ledger_post(%s, 'k', '{}', %s, %s, '{8}', %s, NULL, %s, NULL, NULL, NULL)"
        reversed_arguments: list[Any] = [stream, "{seat:1}", "{tray}", uuid4(), uuid4()]
        assert sqlstate_of(cursor, broken, reversed_arguments) == "PL008"
        for table in TABLES:
            cursor.execute(f"TABLE pg_temp.{table}")
            assert cursor.fetchall() == []
        cursor.execute("SET LOCAL search_path = public")
        for table in TABLES:
            cursor.execute(f"DROP TABLE pg_temp.{table}")
        report = verify_journal(stream=stream, using="owner")
        assert (report.ok, report.entries, report.movements) == (True, 3, 2)


def test_every_security_definer_has_a_fixed_search_path() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT proname, prosecdef, proconfig FROM pg_proc"
            " WHERE pronamespace = 'public'::regnamespace AND prolang <> 14 ORDER BY proname"
        )
        functions = {name: (definer, config) for name, definer, config in cursor.fetchall()}
    assert {name for name, (definer, _) in functions.items() if definer} == set(CALLED)
    path = "search_path=pg_catalog, public, pg_temp"
    assert all(path in (config or ()) for _, config in functions.values())


def _actual_rights() -> dict[str, str]:
    """Every relation outside the catalogues, with the application's rights on it."""
    found: dict[str, str] = {}
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT c.oid, n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
            " WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')"
            " AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')"
        )
        for oid, schema, name in cursor.fetchall():
            rights = []
            for privilege in PRIVILEGES:
                cursor.execute("SELECT has_table_privilege(%s::oid, %s)", [oid, privilege])
                rights += [privilege] if cursor.fetchone()[0] else []
            found[name if schema == "public" else f"{schema}.{name}"] = ", ".join(rights)
    return found


def test_every_table_is_listed_with_exactly_its_rights() -> None:
    """A new table needs a line in config/sql/grants.sql; a line without a table is a mistake as well."""
    assert _actual_rights() == listed_tables()


def test_application_may_call_these_functions_alone() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace"
            " AND has_function_privilege(oid, 'EXECUTE') ORDER BY proname"
        )
        assert [name for (name,) in cursor.fetchall()] == CALLED


def test_migrate_restores_the_rights() -> None:
    """Whatever was granted by hand is gone after the next migrate, which runs as owner by itself."""
    with connections["owner"].cursor() as cursor:
        cursor.execute(f"GRANT ALL ON ledger_entry TO {app_role()}")
        cursor.execute(f"GRANT EXECUTE ON FUNCTION ledger_append TO {app_role()}, PUBLIC")
    call_command("migrate", verbosity=0, stdout=StringIO())
    assert _actual_rights() == listed_tables()
    with connection.cursor() as cursor:
        assert sqlstate_of(cursor, APPEND) == DENIED


def test_dry_runs_of_migrate_change_no_right() -> None:
    with connections["owner"].cursor() as cursor:
        cursor.execute(f"GRANT DELETE ON ledger_entry TO {app_role()}")
        try:
            call_command("migrate", plan=True, verbosity=0, stdout=StringIO())
            assert _actual_rights()["ledger_entry"] == "SELECT, DELETE"
        finally:
            apply_grants("owner")
    assert _actual_rights()["ledger_entry"] == "SELECT"


def test_migrate_runs_as_owner_unless_told_otherwise() -> None:
    command: Any = load_command_class("ledger", "migrate")
    parser = command.create_parser("manage.py", "migrate")
    assert parser.parse_args([]).database == "owner"
    assert parser.parse_args(["--database", "default"]).database == "default"


def test_grants_refuse_an_application_that_is_the_owner(monkeypatch: pytest.MonkeyPatch) -> None:
    owner = str(connections["owner"].settings_dict["USER"])
    monkeypatch.setattr("config.grants.app_role", lambda: owner)
    with pytest.raises(DatabaseError, match="must not run as the owner"):
        apply_grants("owner")
    assert _actual_rights() == listed_tables()


def test_posting_needs_no_right_but_the_function() -> None:
    stream = filled_stream()
    assert post(stream, ("tray", "seat:1", 1)).seq == 3
