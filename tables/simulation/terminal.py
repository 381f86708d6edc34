"""A terminal as a real one works: an HTTP client that never does a thing twice.

Every command carries an idempotency key and the version it is based on. When no answer comes, the very
same command is sent again with the same key until there is one, so a lost answer has no second effect.
"""

import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import httpx

API = "/api/v1/"
TIMEOUT_SECONDS = 10.0
# Pauses before each further attempt: about a minute in all, longer than a web process takes to restart.
PAUSES_SECONDS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 20.0)
NO_ANSWER = frozenset({502, 503, 504})
OVERTAKEN = frozenset({"stale_version", "round_in_progress"})
"""Refusals that say no more than that somebody else has acted here meanwhile: look again, and go on."""


class Refused(Exception):
    """The server refused, and nothing changed there.

    Args:
        status: HTTP status.
        problem: the problem document (RFC 9457).
    """

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        super().__init__(f"{status} {problem.get('code')}: {problem.get('detail')}")
        self.status = status
        self.problem = problem

    @property
    def code(self) -> str:
        """The stable code of the refusal."""
        return str(self.problem.get("code", ""))


class Unreachable(Exception):
    """No answer came, however often the command was sent."""


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer: its body, the version of what it shows, and whether it was given before."""

    status: int
    body: Any
    version: int | None
    replayed: bool = False


class LossyTransport(httpx.BaseTransport):
    """The network; it can lose the next answer after the server has done the work."""

    def __init__(self, inner: httpx.BaseTransport) -> None:
        self._inner = inner
        self.lose_next_answer = False
        self.lost = 0

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send the request; the answer may never arrive."""
        response = self._inner.handle_request(request)
        if self.lose_next_answer:
            self.lose_next_answer = False
            self.lost += 1
            response.read()
            response.close()
            raise httpx.ReadTimeout("the answer was lost on its way", request=request)
        return response

    def close(self) -> None:
        """Close the connections."""
        self._inner.close()


class Terminal:
    """One enrolled terminal.

    Attributes:
        version: the action counter last seen; the next command is based on it.

    Args:
        base_url: where the server is, for example ``http://127.0.0.1:8000``.
        credential: what enrolment gave.
        transport: the network; default a real one.
        sleep: waits between attempts; it may raise to give up.
    """

    def __init__(
        self,
        base_url: str,
        credential: str,
        *,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        self.network = LossyTransport(transport or httpx.HTTPTransport())
        self._base_url, self._credential = base_url, credential
        self._client = httpx.Client(
            base_url=base_url,
            timeout=TIMEOUT_SECONDS,
            transport=self.network,
            headers={"Authorization": f"Terminal {credential}"},
        )
        self._sleep = sleep
        self.version = 0

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def twin(self) -> "Terminal":
        """Another connection with the same credential, as far as this one has seen."""
        twin = Terminal(self._base_url, self._credential, sleep=self._sleep)
        twin.version = self.version
        return twin

    def sign_in(self, badge: str, pin: str) -> Reply:
        """Sign a person in."""
        return self._send("POST", "sign-ins", {"badge": badge, "pin": pin}, {})

    def sign_out(self) -> Reply:
        """Sign out whoever is signed in."""
        return self._send("DELETE", "sign-ins/current", None, {})

    def look(self, path: str) -> Any:
        """Read something that has a version, and base the next command on it."""
        reply = self._send("GET", path, None, {})
        if reply.version is not None:
            self.version = reply.version
        return reply.body

    def command(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        *,
        key: uuid.UUID | None = None,
        if_match: str | None = None,
    ) -> Reply:
        """Send one command until it is answered.

        Args:
            key: the command's identity; default a fresh one.
            if_match: the header; default the version last seen. With ``*`` the answer is about
                something else, and the version last seen stays.

        Raises:
            Refused: the server said no.
            Unreachable: nobody answered.
        """
        headers = {
            "Idempotency-Key": f'"{key or uuid.uuid4()}"',
            "If-Match": if_match or f'"{self.version}"',
        }
        reply = self._send(method, path, {} if body is None and method == "POST" else body, headers)
        if reply.version is not None and if_match != "*":
            self.version = reply.version
        return reply

    def _send(
        self, method: str, path: str, body: Mapping[str, Any] | None, headers: Mapping[str, str]
    ) -> Reply:
        trouble = ""
        for pause in (*PAUSES_SECONDS, None):
            try:
                response = self._client.request(method, API + path, json=body, headers=dict(headers))
            except httpx.TransportError as error:
                trouble = repr(error)
            else:
                if response.status_code not in NO_ANSWER and not _ask_again(response):
                    return _reply(response)
                trouble = f"status {response.status_code}"
            if pause is not None:
                self._sleep(pause)
        raise Unreachable(f"{method} {path}: {trouble}")


def enrol(base_url: str, code: str, *, transport: httpx.BaseTransport | None = None) -> Mapping[str, Any]:
    """Trade a one-time code for a terminal's credential.

    Raises:
        Refused: the code is not good.
    """
    with httpx.Client(base_url=base_url, timeout=TIMEOUT_SECONDS, transport=transport) as client:
        body: Mapping[str, Any] = _reply(client.post(f"{API}terminals/enrolments", json={"code": code})).body
        return body


def _ask_again(response: httpx.Response) -> bool:
    """Whether the server only asks for patience: something else holds the row right now."""
    return response.status_code == 409 and "Retry-After" in response.headers


def _reply(response: httpx.Response) -> Reply:
    content = response.json() if response.content and "json" in response.headers["Content-Type"] else {}
    if response.is_error:
        raise Refused(response.status_code, content)
    tag = response.headers.get("ETag", "").strip('"')
    return Reply(
        status=response.status_code,
        body=content,
        version=int(tag) if tag.isdecimal() else None,
        replayed=response.headers.get("Idempotent-Replayed") == "true",
    )
