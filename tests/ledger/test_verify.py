"""The verifier as people and tasks use it: its report, its command, and what it does not trip over."""

import json
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command, get_commands, load_command_class
from django.db import connection, connections, transaction
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.test.utils import CaptureQueriesContext

from config import env
from config.commands import FAILED, NOT_MIGRATED, HouseCommand
from ledger import errors
from ledger.checkpoints.keys import KeyStore
from ledger.verify import Finding
from ledger.verify_journal import verify_journal
from tests.ledger.support import FLOAT, as_owner, filled_stream, new_stream, post

pytestmark = [
    pytest.mark.usefixtures("own_database"),  # the whole journal is verified now and then
    pytest.mark.django_db(transaction=True, databases=["default", "owner"]),
]

SPOIL = (
    "ALTER TABLE ledger_account DISABLE TRIGGER USER;"
    "UPDATE ledger_account SET balance = balance + 1 WHERE stream_id ="
    " (SELECT id FROM ledger_stream WHERE name = %s)"
)


class Terminal(StringIO):
    """Error output that is a person's."""

    def isatty(self) -> bool:
        """It is."""
        return True


def _run(*arguments: str) -> tuple[str, str, int]:
    """Run the command; answer its output, its error output and its exit code."""
    out, err = StringIO(), Terminal()
    try:
        call_command("verify_journal", *arguments, stdout=out, stderr=err)
    except SystemExit as exit_:
        return out.getvalue(), err.getvalue(), int(exit_.code or 0)
    return out.getvalue(), err.getvalue(), 0


def test_report_counts_what_was_read() -> None:
    stream, other = filled_stream(), new_stream()
    post(stream, ("tray", "seat:1", 1), ("tray", "seat:2", 1))
    report = verify_journal()
    results = {result.stream: result for result in report.streams}
    assert (results[stream].entries, results[stream].movements, results[stream].findings) == (3, 3, 0)
    assert (results[other].entries, results[other].movements) == (1, 0)
    assert report.entries == sum(result.entries for result in report.streams)
    assert report.movements == sum(result.movements for result in report.streams)
    assert report.ok


def test_command_prints_a_summary_and_shows_progress() -> None:
    stream = filled_stream()
    out, err, code = _run("--stream", stream)
    assert (out, code) == ("1 streams, 2 entries, 1 movements: verified\n", 0)
    assert err == f"{stream}: 2 of 2 entries\n", "where error output is a terminal"
    with redirect_stderr(StringIO()) as quiet:
        call_command("verify_journal", "--stream", stream, stdout=StringIO())
    assert quiet.getvalue() == ""


def test_command_answers_json() -> None:
    stream = filled_stream()
    out, _, code = _run("--json", "--stream", stream)
    assert (json.loads(out), code) == (
        {
            "ok": True,
            "entries": 2,
            "movements": 1,
            "finding_count": 0,
            "findings": [],
            "streams": [{"stream": stream, "entries": 2, "movements": 1, "findings": 0}],
        },
        0,
    )


def test_command_names_what_it_finds_and_exits_with_1(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = filled_stream()
    with as_owner() as cursor:
        cursor.execute(SPOIL, [stream])
        report = verify_journal(using="owner", stream=stream, finding_limit=1)
    monkeypatch.setattr("ledger.management.commands.verify_journal.verify_journal", lambda **_: report)
    out, _, code = _run()
    first = report.findings[0]
    assert code == 1
    assert out == (
        f"balance_differs  {stream} -  {first.detail}\n... and 5 more\n"
        "1 streams, 2 entries, 1 movements: 6 findings\n"
    )
    out, _, code = _run("--json")
    answer = json.loads(out)
    assert (code, answer["ok"], answer["finding_count"]) == (1, False, 6)
    assert answer["findings"] == [
        {"type": "balance_differs", "stream": stream, "seq": None, "detail": first.detail}
    ]


def test_findings_say_what_and_where() -> None:
    stream = filled_stream()
    with as_owner() as cursor:
        cursor.execute(SPOIL + " AND name = 'tray'", [stream])
        report = verify_journal(using="owner", stream=stream)
    detail = f"account tray holds {FLOAT + 1}, its movements give {FLOAT}"
    assert report.findings == [Finding("balance_differs", stream, None, detail)]
    assert report.streams[0].findings == 1


def test_unknown_stream_is_an_error_not_a_clean_bill() -> None:
    with pytest.raises(errors.StreamUnknown):
        verify_journal(stream="table:none")
    with pytest.raises(CommandError):
        _run("--stream", "table:none")


def _exit_code(*command: str) -> int | str | None:
    """The exit code of a command as the shell sees it."""
    with pytest.raises(SystemExit) as caught:
        load_command_class("ledger", command[0]).run_from_argv(["manage.py", *command])
    return caught.value.code


def test_a_database_older_than_the_program_is_told_from_a_finding(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("ledger", "tables", "audit"):
        (newest,) = {key for key in MigrationLoader(connection).graph.leaf_nodes() if key[0] == name}
        applied = MigrationRecorder(connection).applied_migrations()
        del applied[newest]
        with monkeypatch.context() as older:
            older.setattr(MigrationRecorder, "applied_migrations", lambda _, applied=applied: applied)
            assert _exit_code("verify_journal") == FAILED
        assert capsys.readouterr() == ("", f"CommandError: {NOT_MIGRATED}\n")


def test_a_failure_is_told_from_a_finding(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert _exit_code("verify_journal", "--stream", "table:none") == FAILED
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff\x00")
    key = KeyStore(env.home()).signer().verifier.text
    (tmp_path / "key").write_text(key)
    for note, public in ((binary, tmp_path / "key"), (tmp_path / "key", binary)):
        capsys.readouterr()
        assert _exit_code("verify_journal", "--checkpoint", str(note), "--key", str(public)) == FAILED
        assert f"{binary}: " in capsys.readouterr().err

    def break_down(**_: object) -> None:
        raise RuntimeError("nobody expected this")

    monkeypatch.setattr("ledger.management.commands.verify_journal.verify_journal", break_down)
    assert _exit_code("verify_journal") == FAILED
    assert "RuntimeError: nobody expected this" in capsys.readouterr().err


def test_every_command_on_the_database_sees_to_its_state_first() -> None:
    ours = {name: app for name, app in get_commands().items() if app in ("ledger", "tables", "audit")}
    others = {
        name for name, app in ours.items() if not isinstance(load_command_class(app, name), HouseCommand)
    }
    refused_always = {"changepassword", "createsuperuser"}  # Django's, which do nothing here
    assert others == {"migrate"} | refused_always


def test_stream_is_read_in_chunks_that_split_anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """More entries, and more movements, than one chunk holds; and progress along the way."""
    stream, chunk = filled_stream(), 40
    monkeypatch.setattr("ledger.verify_journal.CHUNK_ROWS", chunk)
    with transaction.atomic():
        for _ in range(chunk + 2):
            post(stream, ("tray", "seat:1", 1), ("tray", "seat:2", 1), ("seat:1", "tray", 1))
    seen: list[tuple[str, int, int]] = []
    report = verify_journal(stream=stream, progress=lambda *step: seen.append(step))
    total = chunk + 4
    assert (report.findings, report.entries, report.movements) == ([], total, 3 * (total - 2) + 1)
    assert seen == [(stream, total, total)]


def test_verification_reads_through_server_side_cursors_in_one_snapshot() -> None:
    stream = filled_stream()
    with CaptureQueriesContext(connection) as queries:
        verify_journal(stream=stream)
    statements = [query["sql"] for query in queries]
    assert any("REPEATABLE READ, READ ONLY" in statement for statement in statements)
    assert connection.get_autocommit()


def test_verification_leaves_a_callers_transaction_usable() -> None:
    stream = filled_stream()
    with transaction.atomic():
        post(stream, ("tray", "seat:1", 1))
        report = verify_journal(stream=stream)
        post(stream, ("tray", "seat:1", 1))
    assert (report.findings, report.entries) == ([], 3)


def test_posting_goes_on_while_a_stream_is_verified() -> None:
    """An entry posted after the snapshot was taken is neither seen nor a fault."""
    stream = filled_stream()
    with transaction.atomic():
        for _ in range(3):
            post(stream)

    def post_meanwhile(*_: Any) -> None:
        with connections["owner"].cursor() as cursor:
            cursor.execute(
                "SELECT ledger_post(%s, 'test.moved', '{}', '{cage}', '{tray}', '{1}', %s, NULL, %s, NULL,"
                " NULL, NULL)",
                [stream, uuid4(), uuid4()],
            )

    report = verify_journal(stream=stream, progress=post_meanwhile)
    assert (report.findings, report.entries) == ([], 5)
    assert verify_journal(stream=stream).entries == 6
