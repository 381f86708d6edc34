"""``python -m tables.engine.odds`` and what it says."""

from __future__ import annotations

import json
import subprocess
import sys
from fractions import Fraction

import pytest

from tables.engine.odds.__main__ import main, parse_pay, percent
from tables.engine.rules import DEFAULT_PAY_TABLE
from tests.engine.helpers import load_cases


def test_as_a_module() -> None:
    """It runs as documented and prints the published fraction."""
    command = [sys.executable, "-m", "tables.engine.odds", "--packs", "8"]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "House edge per initial bet:   30721/1116765 = 2.7509 %" in answer.stdout
    assert "spread 7 +" in answer.stdout
    assert answer.stderr == ""


@pytest.mark.parametrize("packs", range(1, 9))
def test_json(packs: int, capsys: pytest.CaptureFixture[str]) -> None:
    """Every figure as a fraction and in percent; the published edges among them."""
    assert main(["--packs", str(packs), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    published = {case["packs"]: case["house_edge"] for case in load_cases("house_edge.json")}
    edge = answer["house_edge_per_initial_bet"]["fraction"]
    assert edge == published.get(packs, edge)
    assert [row["spread"] for row in answer["spreads"]] == list(range(1, 12))
    assert sum(Fraction(row["probability"]["fraction"]) for row in answer["spreads"]) < 1
    assert answer["pay_table"] == DEFAULT_PAY_TABLE.to_dict()
    assert answer["raising_rule"] == "raise by the bet on spread 7 and above"


@pytest.mark.parametrize(
    ("rule", "words", "edge"),
    [
        ("never", "never raise", "7.9681"),
        ("always", "always raise", "21.7094"),
        ("7", "spread 7 and above", "2.7978"),
    ],
)
def test_raising_rules(rule: str, words: str, edge: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The rule is stated with the figures it gives."""
    assert main(["--packs", "6", "--raise-from", rule]) == 0
    text = capsys.readouterr().out
    assert words in text
    assert f"= {edge} %" in text


def test_another_pay_table(capsys: pytest.CaptureFixture[str]) -> None:
    """Any pay table, with ranges."""
    assert main(["--packs", "6", "--json", "--pay", "1:9,2..3:3,4..11:1,trips:20"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["pay_table"]["1"] == 9
    assert answer["pay_table"]["3"] == 3
    assert answer["pair_edge"]["fraction"] == str(Fraction(22, 310) * 20)
    assert parse_pay("1:5,2:4,3:2,4..11:1,trips:11") == DEFAULT_PAY_TABLE


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "--packs"),
        (["--packs", "0"], "invalid choice"),
        (["--packs", "9"], "invalid choice"),
        (["--packs", "six"], "invalid int value"),
        (["--packs", "6", "--pay", "1:5"], "missing: 2, 3"),
        (["--packs", "6", "--pay", "1..11:1"], "missing: trips"),
        (["--packs", "6", "--pay", "1..11:1,3:2,trips:11"], "3 is given twice"),
        (["--packs", "6", "--pay", "0..11:1,trips:11"], "spreads 1 to 11"),
        (["--packs", "6", "--pay", "1..11:0,trips:11"], "from 1 to 1000"),
        (["--packs", "6", "--pay", "1..11:1.5,trips:11"], "is not like"),
        (["--packs", "6", "--pay", ""], "is not like"),
        (["--packs", "6", "--raise-from", "0"], "is not a spread"),
        (["--packs", "6", "--raise-from", "12"], "is not a spread"),
        (["--packs", "6", "--raise-from", "sometimes"], "is not a spread"),
    ],
)
def test_errors_are_clear(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Status 2, nothing on stdout, and the argument that makes no sense is named."""
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert message in output.err


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(523, 16575), "3.1554"),
        (Fraction(-1, 3), "-33.3333"),
        (Fraction(2, 3), "66.6667"),
        (Fraction(1, 2_000_000), "0.0001"),
        (Fraction(-1, 3_000_000), "0.0000"),
        (Fraction(0), "0.0000"),
        (Fraction(1), "100.0000"),
    ],
)
def test_percent(value: Fraction, text: str) -> None:
    """Four digits, rounded half away from zero, without floats."""
    assert percent(value) == text
