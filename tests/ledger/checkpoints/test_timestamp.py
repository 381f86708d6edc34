"""Timestamps by a real authority: a good one is verified by openssl too, and no lie is believed.

RFC 3161: the answer is for what was asked (imprint, nonce), signed, by a certificate made for stamping
that leads to a root we believe and was valid at the time stamped.
"""

import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from config import env
from config.commands import FAILED, FOUND
from ledger.checkpoints import timestamp
from ledger.checkpoints.note import Checkpoint, SignerKey
from ledger.checkpoints.timestamp import (
    Timestamp,
    TimestampError,
    read_certificates,
    request_timestamp,
    verify_timestamp,
)
from tests.ledger.checkpoints.authority import Authority, openssl, serving

NOTE = SignerKey("casino.example/journal", bytes(32)).sign(
    Checkpoint("casino.example/journal", 3, bytes(32)).text
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Authority]:
    """The authority with its certificates, serving."""
    authority = Authority(tmp_path_factory.mktemp("tsa"))
    authority.make()
    with serving(authority, NOTE):
        yield authority


@pytest.fixture
def authority(made: Authority) -> Authority:
    """The authority, honest again."""
    made.lie, made.signer = "", "tsa"
    return made


def ask(authority: Authority, patience: float = 10.0) -> Timestamp:
    """Have the note stamped."""
    roots = read_certificates(authority.root)
    return request_timestamp(note=NOTE, url=authority.url, roots=roots, patience=patience)


def test_a_timestamp_is_what_openssl_takes_it_for(authority: Authority) -> None:
    stamp = ask(authority)
    assert abs(datetime.now(UTC) - stamp.at) < timedelta(minutes=1)
    (authority.folder / "note").write_text(NOTE)
    (authority.folder / "note.tsr").write_bytes(stamp.der)
    (authority.folder / "asked.tsq").write_bytes(authority.queries[-1])
    for against in (("-data", "note"), ("-queryfile", "asked.tsq")):
        done = openssl(authority.folder, "ts", "-verify", *against, "-in", "note.tsr", "-CAfile", "ca.pem")
        assert b"Verification: OK" in done.stdout
    (authority.folder / "note").write_text(NOTE + " ")
    with pytest.raises(subprocess.CalledProcessError):
        openssl(authority.folder, "ts", "-verify", "-data", "note", "-in", "note.tsr", "-CAfile", "ca.pem")


@pytest.mark.parametrize(
    ("lie", "signer", "why"),
    [
        ("garbage", "tsa", "not good"),
        ("refusal", "tsa", "not good"),
        ("other imprint", "tsa", "not good"),
        ("other nonce", "tsa", "Nonce mismatch"),
        ("wrong signature", "tsa", "not good"),
        ("", "expired", "certificate"),
        ("", "strange", "certificate"),
        ("other purpose", "tsa", "purpose"),  # RFC 3161, 2.3: for stamping, and for nothing else
        ("too long", "tsa", "too long"),
        ("down", "tsa", "answered 503"),
        ("other type", "tsa", "no timestamp"),
    ],
)
def test_no_lie_is_believed(authority: Authority, lie: str, signer: str, why: str) -> None:
    authority.lie, authority.signer = lie, signer
    with pytest.raises(TimestampError, match=why):
        ask(authority)


def test_an_authority_that_trickles_or_is_away_is_given_up(authority: Authority) -> None:
    authority.lie = "trickle"
    with pytest.raises(TimestampError, match="in time"):
        ask(authority, patience=0.3)
    with pytest.raises(TimestampError, match="does not answer: ConnectError"):
        request_timestamp(note=NOTE, url="http://127.0.0.1:9/", roots=read_certificates(authority.root))


def test_an_authority_whose_clock_is_off_is_not_believed(
    authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timestamp, "CLOCK_SLACK", timedelta(seconds=-1))
    with pytest.raises(TimestampError, match="not that of its making"):
        ask(authority)


def test_a_timestamp_is_of_its_note_alone_and_of_whom_we_believe(authority: Authority) -> None:
    stamp = ask(authority)
    roots = read_certificates(authority.root)
    assert verify_timestamp(note=NOTE, der=stamp.der, roots=roots) == stamp.at
    with pytest.raises(TimestampError):
        verify_timestamp(note=NOTE.replace("3", "4", 1), der=stamp.der, roots=roots)
    others = read_certificates(authority.folder / "other.pem")
    with pytest.raises(TimestampError):
        verify_timestamp(note=NOTE, der=stamp.der, roots=others)
    for place in range(0, len(stamp.der), 97):
        bad = stamp.der[:place] + bytes([stamp.der[place] ^ 1]) + stamp.der[place + 1 :]
        try:
            at = verify_timestamp(note=NOTE, der=bad, roots=roots)
        except TimestampError:
            continue
        assert at == stamp.at, "what no signature covers says nothing of the time"


def test_the_command_says_when_and_by_its_exit_code_whether(
    authority: Authority, capsys: pytest.CaptureFixture[str]
) -> None:
    """0 stamped, 1 not, 2 when it could not be found out."""
    files = {name: authority.folder / name for name in ("cli", "cli.tsr", "ca.pem")}
    stamp = ask(authority)
    files["cli"].write_text(NOTE)
    files["cli.tsr"].write_bytes(stamp.der)

    def run() -> None:
        call_command(
            "verify_timestamp",
            checkpoint=files["cli"],
            timestamp=files["cli.tsr"],
            tsa_certificate=files["ca.pem"],
        )

    run()
    assert capsys.readouterr().out == f"stamped at {stamp.at:%Y-%m-%d %H:%M:%S} UTC\n"
    files["cli"].write_text(NOTE + "\n")
    with pytest.raises(SystemExit) as found:
        run()
    assert found.value.code == FOUND
    files["ca.pem"] = files["cli"]
    with pytest.raises(CommandError) as failed:
        run()
    assert failed.value.returncode == FAILED


def test_an_authority_is_configured_whole_or_not_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PITLEDGER_TSA_URL", raising=False)
    assert env.time_authority() is None
    monkeypatch.setenv("PITLEDGER_TSA_URL", "https://tsa.example/")
    monkeypatch.delenv("PITLEDGER_TSA_CERTIFICATE", raising=False)
    with pytest.raises(env.MissingSetting):
        env.time_authority()
    monkeypatch.setenv("PITLEDGER_TSA_CERTIFICATE", "/etc/tsa.pem")
    assert env.time_authority() == ("https://tsa.example/", Path("/etc/tsa.pem"))
    monkeypatch.setenv("PITLEDGER_TSA_URL", "file:///etc/passwd")
    with pytest.raises(env.MissingSetting):
        env.time_authority()
