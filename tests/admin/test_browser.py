"""A pit boss at work in a real browser: what is on the screen, by keyboard too, and a silent console."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from pytest_django import DjangoDbBlocker
from pytest_django.live_server_helper import LiveServer
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.chrome.webdriver import WebDriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support import expected_conditions as until
from selenium.webdriver.support.ui import Select, WebDriverWait

from ledger.models import Entry
from tables.models import Role
from tables.services import rounds, seats
from tests import floor
from tests.admin import house as at

FLAGS = (
    *("headless=new", "no-sandbox", "disable-gpu", "disable-quic", "no-first-run", "disable-sync"),
    *("disable-background-networking", "disable-component-update"),
)
PATIENCE = 20  # seconds until a page that does not come is a failure
DESK, TABLET = (1366, 900), (820, 1180)
REVERSAL = 'a[href$="/reverse/"]'
MARKER = 'a[href$="/issue_marker/"]'
PRINT = 'a[href$="/print/"]'


@pytest.fixture(scope="module")
def _chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebDriver]:
    """Chromium with a profile of its own and its console kept."""
    options = webdriver.ChromeOptions()
    for flag in (*FLAGS, f"user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(f"--{flag}")
    options.binary_location = "/usr/bin/chromium"
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
    yield driver
    driver.quit()


@pytest.fixture
def browser(_chromium: WebDriver) -> WebDriver:
    """It, with nobody logged in and a silent console."""
    _chromium.execute_cdp_cmd("Network.clearBrowserCookies", {})
    complaints(_chromium)
    return _chromium


@pytest.fixture(scope="module")
def shown(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> at.Shown:
    """A furnished casino whose people work in it; who only looks comes first."""
    with django_db_blocker.unblock():
        return at.furnished()


def text_of(browser: WebDriver) -> str:
    """What a person can read on the page."""
    return browser.find_element(By.ID, "container").text


@contextmanager
def another_page(browser: WebDriver) -> Iterator[None]:
    """What is done inside leads to another page; it is there afterwards."""
    here = browser.find_element(By.TAG_NAME, "html")
    yield
    waiting = WebDriverWait(browser, PATIENCE)
    waiting.until(until.staleness_of(here))
    waiting.until(until.presence_of_element_located((By.ID, "footer")))


def complaints(browser: WebDriver) -> list[str]:
    """What the console complained of: refused scripts and styles, missing files, errors."""
    said = browser.get_log("browser")  # type: ignore[no-untyped-call]
    return [line["message"] for line in said if line["level"] in ("SEVERE", "WARNING")]


def follow(browser: WebDriver, text: str) -> None:
    """Follow a link."""
    with another_page(browser):
        browser.find_element(By.LINK_TEXT, text).click()


def log_in(browser: WebDriver, server: LiveServer, shown: at.Shown) -> None:
    """Log the pit boss in with the keyboard alone."""
    browser.get(f"{server.url}/admin/")
    field = browser.switch_to.active_element
    field.send_keys(shown.house.staff[Role.PIT_BOSS].badge, Keys.TAB)
    with another_page(browser):
        browser.switch_to.active_element.send_keys(f"correct horse {shown.house.tag}", Keys.ENTER)


def take_a_buy_in_back(server: LiveServer, browser: WebDriver, shown: at.Shown) -> None:
    """A buy-in entered twice: from its page to its reversal, signed by the supervisor beside the pit boss."""
    house, dealer = shown.house, shown.house.command
    rounds.round_void(
        round_id=shown.running.id,
        reason="misdeal",
        second=house.badge(Role.SUPERVISOR),
        command=dealer(Role.DEALER),
    )
    seats.seat_buy_in(table_id=shown.table.id, seat=1, cash=5_000, command=dealer(Role.DEALER))
    entry = Entry.objects.filter(stream__name=shown.table.stream).latest("seq")
    browser.get(server.url + at.page_address(entry))
    with another_page(browser):
        browser.find_element(By.CSS_SELECTOR, REVERSAL).click()
    Select(browser.find_element(By.ID, "id_reason")).select_by_visible_text("Entered twice")
    browser.find_element(By.ID, "id_badge").send_keys(house.staff[Role.SUPERVISOR].badge)
    browser.find_element(By.ID, "id_pin").send_keys(floor.PIN)
    with another_page(browser):
        browser.find_element(By.CSS_SELECTOR, ".submit-row input").click()
    for text in (f"Reversed: entry {entry.seq + 1} of table rd-open.", f"entry {entry.seq} (seat.buy_in)"):
        assert text in text_of(browser)
    follow(browser, f"{entry.seq} seat.buy_in")
    assert f"{entry.seq + 1} entry.reverse" in text_of(browser)
    assert browser.find_elements(By.CSS_SELECTOR, REVERSAL) == []


def issue_a_marker(server: LiveServer, browser: WebDriver, shown: at.Shown) -> None:
    """From the table's page: the seat by who sits there, the amount as people write it, signed by two."""
    house = shown.house
    seats.seat_take(
        table_id=shown.table.id,
        seat=3,
        player_id=shown.player_id,
        cash=0,
        chips=0,
        command=house.command(Role.DEALER),
    )
    browser.get(server.url + at.page_address(shown.table))
    with another_page(browser):
        browser.find_element(By.CSS_SELECTOR, MARKER).click()
    Select(browser.find_element(By.ID, "id_seat")).select_by_visible_text("Seat 3: P-1, 0.00 USD")
    browser.find_element(By.ID, "id_amount").send_keys("1,000", Keys.TAB)
    browser.switch_to.active_element.send_keys(house.staff[Role.SUPERVISOR].badge, Keys.TAB)
    with another_page(browser):
        browser.switch_to.active_element.send_keys(floor.PIN, Keys.ENTER)
    assert "more than the player's limit leaves" in text_of(browser)
    amount = browser.find_element(By.ID, "id_amount")
    amount.clear()
    amount.send_keys("300")
    browser.find_element(By.ID, "id_pin").send_keys(floor.PIN)
    with another_page(browser):
        browser.find_element(By.CSS_SELECTOR, ".submit-row input").click()
    for text in ("Marker rd-open-M1 of 300.00 USD was issued to seat 3.", "Outstanding"):
        assert text in text_of(browser)


@pytest.mark.django_db(transaction=True)
def test_a_tablet_shows_the_floor_without_scrolling_sideways(
    live_server: LiveServer, browser: WebDriver, shown: at.Shown
) -> None:
    browser.set_window_size(*TABLET)
    log_in(browser, live_server, shown)
    rows = (at.list_address(type(shown.table)), at.page_address(shown.running), at.page_address(shown.table))
    for address in ("/admin/", *rows, "/admin/audit/gamingdaycheck/results/"):
        browser.get(live_server.url + address)
        wide, window = browser.execute_script(
            "return [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
        )
        assert wide <= window, address
        assert browser.find_element(By.CLASS_NAME, "main-pages").is_displayed()
    skip = browser.find_element(By.CLASS_NAME, "skip-to-content-link")
    browser.find_element(By.TAG_NAME, "body").send_keys(Keys.TAB)
    assert browser.switch_to.active_element == skip
    assert complaints(browser) == []


@pytest.mark.django_db(transaction=True)
def test_a_pit_boss_looks_from_the_floor_down_to_the_journal(
    live_server: LiveServer, browser: WebDriver, shown: at.Shown
) -> None:
    browser.set_window_size(*DESK)
    log_in(browser, live_server, shown)
    assert "1 of 2 tables open" in text_of(browser)
    assert "5♣ Q♥" in text_of(browser)
    follow(browser, "Tables")
    follow(browser, "rd-open")
    assert "Session 1, gaming day" in text_of(browser)
    follow(browser, f"Session 1, gaming day {shown.session.gaming_day}")
    assert "Pending (the closer is not counted yet)" in text_of(browser)
    follow(browser, "2 rounds")
    follow(browser, "rd-open / 1 / 1")
    for text in ("8♠ 10♥ 9♦", "1 (announced 1)", "Win: the third card lies between", "125.00 USD"):
        assert text in text_of(browser)
    played = browser.current_url
    printed = browser.find_element(By.CSS_SELECTOR, PRINT).get_attribute("href")
    assert printed is not None
    browser.get(printed)
    assert browser.find_element(By.TAG_NAME, "h1").text == "Round 1 of session 1 at table rd-open"
    assert "Seat 2 bets 25.00 USD" in browser.find_element(By.TAG_NAME, "body").text
    rule = browser.find_element(By.TAG_NAME, "header").value_of_css_property("border-bottom-width")
    assert rule == "2px", "its style came as a file"
    browser.get(played)
    follow(browser, "Journal entries 8 to 11")
    assert "4 entries" in text_of(browser)
    follow(browser, "11")
    for text in ("round.deal", "wager:2", "150.00 USD", '"card": "9D"'):
        assert text in text_of(browser)
    take_a_buy_in_back(live_server, browser, shown)
    issue_a_marker(live_server, browser, shown)
    browser.get(played)
    with another_page(browser):
        browser.find_element(By.CSS_SELECTOR, "#logout-form button").click()
    assert "Logged out" in text_of(browser)
    assert complaints(browser) == []
