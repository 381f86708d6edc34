"""A terminal as an HTTP client: it keeps the last ETag it was given, as a real one does."""

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.test import Client

API = "/api/v1/"
DIGEST = 64  # characters of a file's or a printed page's ETag, which is no version


@dataclass
class Reply:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    body: Any

    @property
    def code(self) -> str:
        """The code of a problem."""
        return str(self.body["code"])


@dataclass
class Desk:
    """A terminal with its credential; `version` is what its next command is based on."""

    credential: str | None
    version: int = 0
    address: str = "127.0.0.1"
    http: Client = field(default_factory=lambda: Client(raise_request_exception=False))

    def get(self, path: str, **headers: str) -> Reply:
        """Read, and remember the ETag."""
        return self.send("GET", path, None, headers)

    def post(self, path: str, body: Any = None, **headers: str) -> Reply:
        """Send a command with a fresh key, based on the last version seen; `headers` replace those."""
        return self.send("POST", path, {} if body is None else body, self.command_headers(headers))

    def delete(self, path: str, **headers: str) -> Reply:
        """Send a DELETE command, as `post` does."""
        return self.send("DELETE", path, None, self.command_headers(headers))

    def command_headers(self, given: Mapping[str, str]) -> dict[str, str]:
        """A command's headers, with those given in place of ours; an empty one is left out."""
        ours = {"idempotency_key": str(uuid.uuid4()), "if_match": f'"{self.version}"'}
        return {name: value for name, value in (ours | dict(given)).items() if value}

    def send(self, method: str, path: str, body: Any, headers: Mapping[str, str]) -> Reply:
        """One request; a body that is text goes out as it is."""
        given = {name.replace("_", "-").title(): value for name, value in headers.items()}
        if self.credential is not None:
            given.setdefault("Authorization", f"Terminal {self.credential}")
        data = body if isinstance(body, str | bytes) else json.dumps(body)
        response = self.http.generic(
            method,
            path if path.startswith("/") else API + path,
            "" if body is None else data,
            content_type=given.pop("Content-Type", "application/json"),
            headers=given,
            REMOTE_ADDR=self.address,
        )
        reply = Reply(response.status_code, dict(response.headers), _body(response.content))
        etag = reply.headers.get("ETag", "").strip('"')
        if etag.isdigit() and len(etag) < DIGEST:
            self.version = int(etag)
        return reply


def _body(content: bytes) -> Any:
    try:
        return json.loads(content)
    except ValueError:
        return content.decode()
