"""What is printed: a round, a session, stiff sheets; whole, readable alone, and the same each time."""

import re
import uuid
from datetime import UTC, date
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from audit.printing.paper import page
from audit.printing.round import round_paper, rounds_to_print
from audit.services.reconciliation import session_reconcile
from ledger.checkpoints.publish import Folder
from ledger.checkpoints.seal import seal
from ledger.models import Checkpoint, Entry
from ledger.selectors import balances
from tables.admin.text import card_text
from tables.models import CardSource, Role, Round, Table, TableSession
from tables.services import freezes, office, rounds
from tables.services.corrections import correction_post
from tests import floor
from tests.admin.house import HOSTILE, logged_in, page_address
from tests.admin.test_pages import Inline
from tests.audit import support
from tests.audit.paper import Sections, facts, filed, on_paper, read
from tests.room import Room, make_room
from tests.tables import life

pytestmark = pytest.mark.django_db
CARD_ROOM = ("high_card_pool", "burning_card", "banking")


def sealed(tmp_path: Path) -> Checkpoint:
    """A checkpoint over everything there is."""
    seal(folder=Folder(tmp_path / "checkpoints"))
    return Checkpoint.objects.latest("size")


def test_a_round_is_printed_with_all_that_a_recall_must_show(house: floor.House, tmp_path: Path) -> None:
    """GLI-19 2.8.2; the page stands alone, in the house's time and in UTC, and names its checkpoint."""
    table, _ = support.open_scanned(house)
    office.player_create(
        casino_id=house.casino.id, reference=HOSTILE[:40], description="tall", command=house.office()
    )
    played = support.play_with_raise(house, table, support.LOSE, {1: 1000})
    first = sealed(tmp_path)
    Round.objects.filter(pk=played.pk).update(
        players={"1": str(house.casino.players.get(reference=HOSTILE[:40]).id), "2": None}
    )
    text = filed(tmp_path, "print_round", played.id)
    support.everybody_leaves(house, table)
    sealed(tmp_path)
    assert filed(tmp_path, "print_round", played.id) == text, "what came later changes nothing"
    assert HOSTILE[:8] not in text
    assert "tall" not in text, "a player is printed by reference, never by a description"
    assert not re.search(r"<(?:link|img|script)|url\(|https?:", text), "nothing is fetched"

    said = read(text)
    told = facts(said, "Round")
    began = played.started_at.astimezone(ZoneInfo(house.casino.time_zone)).isoformat(" ", "microseconds")
    assert began.endswith(("-05:00", "-04:00"))
    assert told["Began"] == f"{began} = {played.started_at.astimezone(UTC):%Y-%m-%d %H:%M:%S.%f} UTC"
    assert (told["Status"], told["Outcome"]) == ("Complete", "Lose: the third card does not lie between")
    assert (told["Staked"], told["House result"]) == ("45.00 USD", "45.00 USD")
    rules = facts(said, "Rules and pay table")
    assert str(played.rules_id) in rules["Rule set and pay table"]
    assert rules["Pay table"].startswith("spread 1: 5 to 1, spread 2: 4 to 1, spread 3: 2 to 1, spread 4: 1")
    assert rules["Pay table"].endswith("trips: 11 to 1")
    assert rules["Max bet"] == "1,000.00 USD"
    where = facts(said, "Where and by whom")
    assert where["Dealer"] == house.staff[Role.DEALER].badge
    assert str(played.shoe_id) in where["Shoe"]
    assert [row[1:3] for row in said["Cards in order"][1:]] == [
        ["5♠", "board, first card"],
        ["Q♥", "board, second card"],
        ["K♦", "board, third card"],
    ]
    assert [row[2:] for row in said["Players"][1:]] == [
        ["10.00", "10.00", "0.00", "-20.00"],
        ["25.00", "0.00", "0.00", "-25.00"],
    ]
    assert said["Players"][1][1] == HOSTILE[:40]
    assert said["Course of play"][1][1] == told["Began"].replace(" = ", "\n")
    assert [row[2:] for row in said["Effect on balances"][1:-1]] == [
        ["2,000.00", "1,980.00", "-20.00"],
        ["2,000.00", "1,975.00", "-25.00"],
    ]
    assert [row[2:] for row in said["Course of play"][1:]] == [
        ["Seat 1 bets 10.00 USD", "betting"],
        ["Seat 2 bets 25.00 USD", "betting"],
        ["5♠: board, first card", "first card"],
        ["Q♥: board, second card", "raising"],
        ["A spread of 6 is announced", "raising"],
        ["Seat 1 raises by 10.00 USD", "raising"],
        ["K♦: board, third card", "paying"],
        ["The round is settled", "over"],
    ]
    entries = Entry.objects.filter(
        stream__name=table.stream, seq__gte=played.first_seq, seq__lte=played.last_seq
    ).order_by("seq")
    assert [(row[0], row[1], row[4]) for row in said["Journal entries"][1:]] == [
        (str(one.seq), one.kind, bytes(one.hash).hex()) for one in entries
    ]
    assert [str(played.last_seq), "wager:1", "tray", "20.00", "chips:USD"] in said["Movements"]
    for empty in ("Corrections", "Signatures", "Findings of the audit"):
        assert said[empty] == [["No Activity"]]
    seal_told = facts(said, "Checkpoint")
    assert seal_told["Root"] == bytes(first.root).hex()
    assert seal_told["Signed note"] == first.note.rstrip("\n")


def test_the_status_of_a_round_and_why(house: floor.House) -> None:
    """In progress, interrupted, cancelled in play, settled again, cancelled after it was over."""
    table, _ = support.open_scanned(house)
    played = support.raising(house, table, support.WIN[:2])
    told = facts(on_paper(played.id), "Round")
    assert (told["Status"], told["House result"], told["Ended"]) == (
        "In progress: raising",
        "pending",
        "not yet",
    )
    assert facts(on_paper(played.id), "Checkpoint")["Covered by"].startswith("none yet")
    freezes.table_freeze(table_id=table.id, reason="QH was seen twice", command=house.command(Role.DEALER))
    assert facts(on_paper(played.id), "Round")["Status"] == (
        "Interrupted: the table is frozen (QH was seen twice)"
    )
    rounds.round_void(
        round_id=played.id,
        reason="irregularity",
        second=house.badge(Role.PIT_BOSS),
        command=house.command(Role.DEALER),
    )
    said = on_paper(played.id)
    assert facts(said, "Round")["Status"] == "Cancelled: irregularity"
    assert [row[1] for row in said["Signatures"][1:]] == ["round.void"]
    badges = [house.staff[role].badge for role in (Role.DEALER, Role.PIT_BOSS)]
    named = [cell.partition("\n")[0] for cell in said["Signatures"][1][2:5:2]]
    assert named == badges, "badges; names stay in the house's rows"
    freezes.table_release(
        table_id=table.id,
        second=house.badge(Role.PIT_BOSS),
        reason="the shoe was changed",
        command=house.command(Role.DEALER),
    )

    support.new_shoe(house, table)
    lost = support.play_with_raise(house, table, support.LOSE, {})
    life.physical(house, lost.id, support.WIN)
    said = on_paper(lost.id)
    assert facts(said, "Round")["Status"].startswith("Complete; settled again on the physical cards by entry")
    assert facts(said, "On the physical cards")["Cards that lay"] == "5♠ Q♥ 9♦"
    assert [row[-1] for row in said["Players"][1:]] == ["-10.00", "-25.00"]
    assert [row[-1] for row in said["Players on the physical cards"][1:]] == ["10.00", "25.00"]
    ((_, kind, what, why, signed, _),) = said["Corrections"][1:]
    assert (kind, why) == ("round.correct", "card misread")
    assert what == "5♠ Q♥ 9♦ lay, recorded were 5♠ Q♥ K♦"
    assert signed == f"{house.staff[Role.SUPERVISOR].badge}\n{house.staff[Role.PIT_BOSS].badge}"
    life.cancel(house, lost.id)
    said = on_paper(lost.id)
    assert facts(said, "Round")["Status"].startswith("Cancelled after it was over, by entry")
    assert facts(said, "Round")["House result"] == "0.00 USD"
    assert [row[1] for row in said["Corrections"][1:]] == ["round.correct", "round.cancel"]


def test_a_bet_for_the_dealers_is_printed_beside_the_players(house: floor.House) -> None:
    """What is beside the bets has columns of its own, where there is any; the dealers' box is no player."""
    table, _ = support.open_scanned(house)
    rounds.round_start(
        table_id=table.id, bets={1: 1000, 2: 2500}, tokes={2: 500}, command=house.command(Role.DEALER)
    )
    played = Round.objects.get(table=table)
    rounds.round_deal(round_id=played.id, cards=("7S", "7H"), number=2, command=house.command(Role.DEALER))
    rounds.round_deal(round_id=played.id, cards=("7D",), number=1, command=house.command(Role.DEALER))
    said = on_paper(played.id)
    assert [row[2:] for row in said["Players"][1:3]] == [
        ["10.00", "0.00", "0.00", "110.00", "110.00"],
        ["25.00", "0.00", "5.00", "275.00", "270.00"],
    ]
    assert said["Players"][3] == ["The dealers' box gains 60.00 USD."]
    assert ["Seat 2 bets 5.00 USD for the dealers", "betting"] in [row[2:] for row in said["Course of play"]]
    assert [row[0] for row in said["Effect on balances"][1:-1]] == ["1", "2"]
    assert facts(said, "Round")["House result"] == "-440.00 USD"


@pytest.mark.parametrize("name", CARD_ROOM)
def test_a_hidden_hand_stays_hidden_on_paper(house: floor.House, name: str) -> None:
    """Cards of the card room: each face up with what it was; of the hands only what the rules showed."""
    room = make_room(house, name, chips={1: 500, 2: 500, 3: 500}, source=CardSource.DRAWN)
    room.deal(**({"bank": 100} if name == "banking" else {}))
    hands = {seat: room.hand(seat) for seat in room.state.order}
    assert_hidden(room, hands)
    room.play_out(bets=room.state.order[:2])
    said = assert_hidden(room, hands)
    cards = said["Cards in order"][1:]
    assert [row[2] for row in cards].count("turned for the bettor") == 2
    assert [row[2] for row in cards].count("burnt before the card that decides") == (
        2 if name == "burning_card" else 0
    )
    turned = {row[3] for row in cards if row[2] == "turned for the bettor"}
    assert turned == set(map(str, room.state.order[:2]))
    assert [row[1] for row in cards].count("5 cards") == len(hands)
    assert facts(said, "Round")["Outcome"] == "Settled"
    assert len(said["Players"][1:-1]) == 3
    assert said["Course of play"][-1][2:] == ["The round is settled", "over"]
    moved = {row[0]: row[4] for row in said["Effect on balances"][1:-1]}
    assert moved == {row[0].split()[0]: row[-1] for row in said["Players"][1:-1]}


def assert_hidden(room: Room, hands: dict[int, tuple[str, ...]]) -> Sections:
    """The newest round on paper has no card of a hand but those shown; what it says."""
    paper = round_paper(rounds_to_print(pk=room.round_id).get())
    html = page([paper], title="Round", alone=False)
    shown = {card for player in room.state.players for card in player.shown}
    for hand in hands.values():
        for card in set(hand) - shown:
            assert card_text(card) not in html
            assert f'"{card}"' not in html
    for card in shown:
        assert card_text(card) in html
    return read(html)


def a_day(house: floor.House) -> tuple[Table, uuid.UUID]:
    """A session with a fill, a credit, a void slip, a mispay and two rounds, still open."""
    table, session_id = support.open_scanned(house)
    floor.fill_table(house, table, {"500": 20})
    floor.receive_credit(house, floor.send_credit(house, table, {"100": 30}), {"100": 30})
    floor.request_fill(house, table, {"100": 7})
    support.play_with_raise(house, table, support.LOSE, {1: 1000})
    support.play_with_raise(house, table, ("4S", "JH", "7D"), {})
    correction_post(
        table_id=table.id,
        seat=2,
        amount=500,
        direction="to_seat",
        reason="mispaid",
        note="a chip short",
        second=house.badge(Role.PIT_BOSS),
        command=house.command(Role.SUPERVISOR),
    )
    return table, session_id


def test_a_session_and_its_stiff_sheet_from_pending_to_final(house: floor.House, tmp_path: Path) -> None:
    """A missing closer and a missing drop are said to be missing, never 0; then every figure is there."""
    table, session_id = a_day(house)
    day = TableSession.objects.get(id=session_id).gaming_day
    said = read(filed(tmp_path, "print_session", session_id))
    told = facts(said, "Figures")
    assert (told["Closer"], told["Drop"], told["Win"], told["Hold"]) == (
        "not counted",
        *("pending", "pending", "pending"),
    )
    assert told["Win is"] == "pending"
    assert said["Reconciliation"] == [["Reconciled", "not yet"]]
    assert said["Drop by denomination"][0] == ["No Activity"]
    sums = read(stiff(house, tmp_path, day))["By table"]
    assert sums[1][0] == table.code
    assert (sums[1][5:], sums[2][5:]) == (["pending"] * 5, ["pending"] * 5)

    support.close(house, table, session_id, off=-1000)
    support.count_drop(house, session_id, off=-5000)
    session_reconcile(session_id=session_id)
    said = read(filed(tmp_path, "print_session", session_id))
    told = facts(said, "Figures")
    closer = balances(table.stream)["tray"]
    win = closer + 3_000 + 395_000 - 1_740_000 - 10_000
    assert told["Fills"] == "100.00 USD"
    assert told["Credits"] == "30.00 USD"
    assert told["Drop"] == "3,950.00 USD"
    assert told["Drop less insertions"] == "-50.00 USD"
    assert told["Win"] == f"-{abs(win) / 100:,.2f} USD" if win < 0 else f"{win / 100:,.2f} USD"
    assert told["Win is"] == "counted"
    assert set(told) >= {"Handle", "Expected, decisions as taken", "Expected, best decisions"}
    checks = facts(said, "Reconciliation")
    assert checks["T: counted tray less what went through it"] == "-10.00 USD"
    assert checks["B: counted box less recorded insertions"] == "-50.00 USD"
    assert {row[0] for row in said["Findings of the audit"][1:]} >= {"tray_difference", "box_difference"}
    tray = said["Tray by denomination, pieces"]
    assert ["5.00", "400", "20", "0", "0"] in tray
    assert ["1.00", "400", "0", "30", str(closer // 100)] in tray
    assert tray[-2][1:4] == ["17,400.00 USD", "100.00 USD", "30.00 USD"]
    assert tray[-1][0].startswith("No T by denomination: not every movement carries it"), "and it is no zero"
    assert [row[0] for row in said["Fills and credits"][1:]] == ["C-1", "F-2", "no number"]
    credit = said["Fills and credits"][1]
    assert credit[2] == "30 x 1.00\n= 30.00 USD"
    assert f"counted by {house.staff[Role.DEALER].badge}, {house.staff[Role.SUPERVISOR].badge}" in credit[3]
    assert house.staff[Role.SECURITY].badge in credit[3]
    assert said["Drop by denomination"][1:] == [
        ["notes", "1.00", "3950", "3,950.00"],
        ["Total", "", "", "3,950.00"],
    ]
    ((box, status, *_, booked, counted, off),) = said["Drop boxes"][1:]
    assert (box, status, booked, counted, off) == (
        f"{table.code}-1",
        "Counted",
        *("4,000.00 USD", "3,950.00 USD", "-50.00 USD"),
    )
    assert [row[4] for row in said["Rounds"][1:]] == ["5♠ Q♥ K♦", "4♠ J♥ 7♦"]
    assert [row[6] for row in said["Rounds"][1:]] == ["45.00", "-35.00"]
    assert [row[3] for row in said["Corrections"][1:]] == ["mispaid: a chip short"]
    signed = [row[1] for row in said["Signatures"][1:]]
    assert {"session.open", "session.close", "correction.post"} < set(signed)

    sheet = read(stiff(house, tmp_path, day, table=table.code))
    assert facts(sheet, "Figures") == told
    assert sheet["By table"][1][7] == told["Win"].removesuffix(" USD")
    text = stiff(house, tmp_path, day)
    for place in ("Opener: dealer", "Closer: floor supervisor", "Drop: second counter", "Pit boss"):
        assert f"<li>{place}</li>" in text


def stiff(house: floor.House, tmp_path: Path, day: date, **which: str) -> str:
    """The stiff sheets of a day as they are filed."""
    return filed(tmp_path, "stiff_sheet", gaming_day=day, casino=house.casino.code, **which)


def test_a_table_with_nothing_says_no_activity(house: floor.House, tmp_path: Path) -> None:
    table = floor.make_table(house)
    floor.fill_table(house, table)
    session_id = floor.open_table(house, table)
    said = read(filed(tmp_path, "print_session", session_id))
    for empty in ("Rounds", "Fills and credits", "Corrections", "Findings of the audit", "Stints"):
        assert said[empty][0] == ["No Activity"], empty
    assert facts(said, "Session")["Rule sets and pay tables"] == "no round was played"
    assert read(stiff(house, tmp_path, date(2001, 1, 1)))["By table"] == [["No Activity"]]


def test_what_there_is_not_is_not_printed(house: floor.House, tmp_path: Path) -> None:
    path = tmp_path / "none.html"
    with pytest.raises(CommandError, match="no such round"):
        call_command("print_round", str(uuid.uuid4()), output=path)
    with pytest.raises(CommandError, match="no such session"):
        call_command("print_session", str(uuid.uuid4()), output=path)
    about = {"gaming_day": date(2001, 1, 1), "casino": house.casino.code, "table": "none"}
    with pytest.raises(CommandError, match="no table none"):
        call_command("stiff_sheet", output=path, **about)
    assert list(tmp_path.iterdir()) == []
    table, _ = support.open_scanned(house)
    played = support.play_with_raise(house, table, support.LOSE, {})
    with pytest.raises(CommandError):
        call_command("print_round", str(played.id), output=tmp_path / "no folder" / "round.html")
    with pytest.raises(CommandError, match=f"{tmp_path} is a folder"):
        call_command("print_round", str(played.id), output=tmp_path)


def test_the_admin_prints_for_those_who_read_the_audit(house: floor.House) -> None:
    """Its pages obey the site's policy: no style and no script of their own."""
    table, session_id = support.open_scanned(house)
    played = support.play_with_raise(house, table, support.WIN, {1: 500})
    session = TableSession.objects.get(id=session_id)
    pages = {
        page_address(played): reverse("admin:audit_round_print", args=[played.id]),
        page_address(session): reverse("admin:audit_session_print", args=[session_id]),
    }
    stiff_sheets = reverse("admin:audit_stiff_print", args=[session.gaming_day])
    for role in (Role.AUDITOR, Role.SURVEILLANCE, Role.PIT_BOSS):
        client = logged_in(house, role)
        for shown, printed in pages.items():
            assert f'href="{printed}"' in client.get(shown).text
        for printed in (*pages.values(), stiff_sheets):
            answer = client.get(printed)
            assert answer.status_code == 200
            inline = Inline()
            inline.feed(answer.text)
            assert inline.found == []
            assert "/static/printing/paper.css" in answer.text
    assert f'href="{stiff_sheets}"' in client.get(reverse("admin:audit_gamingdaycheck_changelist")).text
    over_api = {
        f"rounds/{played.id}/print": f"round-{played.id}.html",
        f"sessions/{session_id}/print": f"session-{session_id}.html",
        f"stiff-sheets/{session.gaming_day}": f"stiff-sheets-{session.gaming_day}.html",
    }
    for path, name in over_api.items():
        answer = logged_in(house, Role.AUDITOR).get(f"/api/v1/{path}", headers={"accept": "text/html"})
        assert (answer.status_code, answer.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
        assert answer.headers["Content-Disposition"] == f'attachment; filename="{name}"'
        assert "<style>" in answer.text, "what is kept as a file is readable by itself"
        kept = {"if-none-match": answer.headers["ETag"]}
        again = logged_in(house, Role.AUDITOR).get(f"/api/v1/{path}", headers=kept)
        assert (again.status_code, again.content) == (304, b""), "the same records give the same page"
    for role in (Role.SUPERVISOR, Role.ADMINISTRATOR):
        client = logged_in(house, role)
        for shown, printed in pages.items():
            assert printed not in client.get(shown).text
            assert client.get(printed).status_code == 403
        assert client.get(stiff_sheets).status_code == 403
    stranger = logged_in(floor.make_house(), Role.AUDITOR)
    assert [stranger.get(printed).status_code for printed in pages.values()] == [404, 404]
    refused = [stranger.get(f"/api/v1/{path}") for path in over_api]
    assert [answer.status_code for answer in refused] == [404, 404, 200]
    assert refused[0].json()["code"] == "round_not_found"
    assert "No Activity" in stranger.get(stiff_sheets).text
