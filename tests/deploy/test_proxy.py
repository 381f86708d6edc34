"""What stands in front of the web processes, as it is written; what nginx does with it: test_nginx.py."""

import re
from typing import Any

import crossplane  # type: ignore[import-untyped]
import pytest
from axes.models import AccessAttempt
from django.conf import settings as django_settings
from django.test import Client

from config.floor.children import base_url
from tables.models import Role
from tests import floor
from tests.admin.test_login import log_in
from tests.deploy import files
from tests.deploy.files import DEPLOY

CONFIGURATION = DEPLOY / "nginx" / "pitledger.conf"
KIB = 1024


def said(block: list[dict[str, Any]], name: str) -> list[list[str]]:
    """The arguments of a directive, once for each time it stands in a block or below."""
    found = []
    for directive in block:
        if directive["directive"] == name:
            found.append(directive["args"])
        found += said(directive.get("block", []), name)
    return found


@pytest.fixture(scope="module")
def configuration(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """The file where it is included, each directive of which nginx knows there, with as many arguments."""
    whole = tmp_path_factory.mktemp("nginx") / "nginx.conf"
    whole.write_text(f"events {{}} http {{ include {CONFIGURATION}; }}")
    read = crossplane.parse(str(whole), combine=True, strict=True)
    assert (read["status"], read["errors"]) == ("ok", [])
    parsed: list[dict[str, Any]] = read["config"][0]["parsed"]
    return parsed


def test_it_leads_to_the_web_processes_and_ends_before_they_do(configuration: list[dict[str, Any]]) -> None:
    words = files.command(files.services()["web"])
    bind = words[words.index("--bind") + 1]
    assert said(configuration, "upstream") == [["pitledger"]]
    assert said(configuration, "server")[0] == [bind]
    assert base_url(8000) == f"http://{bind}"
    (idle,) = said(configuration, "keepalive_timeout")
    assert int(idle[0].removesuffix("s")) < int(words[words.index("--keep-alive") + 1])


def test_limits_and_headers_are_those_django_reckons_with(configuration: list[dict[str, Any]]) -> None:
    (size,) = said(configuration, "client_max_body_size")
    assert int(size[0].removesuffix("m")) * KIB * KIB > django_settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    headers = dict(said(configuration, "proxy_set_header"))
    assert headers["X-Forwarded-For"] == "$remote_addr"
    assert headers["X-Forwarded-Proto"] == "https", "SECURE_PROXY_SSL_HEADER"
    assert files.variables()["PITLEDGER_PROXIES"] == "1"
    assert said(configuration, "add_header") == [], "HSTS and the rest are Django's"
    assert said(configuration, "gzip") == [["off"]]
    names = said(configuration, "server_name")
    assert {tuple(name) for name in names} == {(files.variables()["PITLEDGER_ALLOWED_HOSTS"],)}
    redirect = said(configuration, "return")
    assert redirect == [["301", "https://$server_name$request_uri"]]
    text = (DEPLOY / "README.md").read_text()
    for path in said(configuration, "ssl_certificate") + said(configuration, "ssl_certificate_key"):
        assert re.search(rf"{re.escape(path[0])}\b", text)


@pytest.mark.django_db
def test_behind_a_proxy_a_badge_is_locked_from_one_address_and_not_from_all(settings: Any) -> None:
    """Else whoever types a pit boss' badge five times locks him out of the admin, wherever he is."""
    settings.REST_FRAMEWORK = {**settings.REST_FRAMEWORK, "NUM_PROXIES": 1}
    house = floor.make_house()
    stranger = Client(headers={"x-forwarded-for": "203.0.113.9"})
    desk = Client(headers={"x-forwarded-for": "10.1.2.3"})
    codes = [log_in(stranger, house, Role.PIT_BOSS, "wrong").status_code for _ in range(5)]
    assert codes == [200] * 4 + [429]
    assert log_in(stranger, house, Role.PIT_BOSS).status_code == 429
    assert log_in(desk, house, Role.PIT_BOSS).status_code == 302
    attempt = AccessAttempt.objects.get(username=house.staff[Role.PIT_BOSS].badge)
    assert attempt.ip_address == "203.0.113.9"
