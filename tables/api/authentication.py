"""Who is calling: a terminal by its credential, or a person of the admin site by their session."""

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication, SessionAuthentication
from rest_framework.request import Request

from config.api.address import client_address
from config.errors import DomainError
from tables.models import Terminal
from tables.services.terminals import authenticate

SCHEME = "Terminal"


class TerminalAuthentication(BaseAuthentication):
    """`Authorization: Terminal <credential>`; `request.auth` is then the terminal.

    A credential says which device is calling. Who acts is the person signed in there, and is found out
    by the permission class, because enrolment and signing in have to work without one.
    """

    def authenticate(self, request: Request) -> tuple[None, Terminal] | None:
        """The terminal of the credential; None when the request carries none.

        Raises:
            DomainError: `credential_refused` (401).
        """
        header = request.headers.get("Authorization")
        if header is None:
            return None
        scheme, _, credential = header.partition(" ")
        if scheme.lower() != SCHEME.lower() or not credential.isascii():
            raise DomainError("credential_refused", f"Send {SCHEME} and the credential.", status=401)
        return None, authenticate(credential=credential.strip(), address=client_address(request))

    def authenticate_header(self, request: Request) -> str:
        """What a 401 asks for."""
        return f'{SCHEME} realm="pitledger"'


def terminal_of(request: Request) -> Terminal:
    """The terminal that is calling, where a permission class has made sure of one."""
    assert isinstance(request.auth, Terminal), "asked for behind a permission that wants a terminal"
    return request.auth


class StaffSessionAuthentication(SessionAuthentication):
    """The session of the admin site, with its CSRF protection; `request.user` is then the person."""

    def authenticate_header(self, request: Request) -> str:
        """What a 401 asks for."""
        return 'Session realm="pitledger"'


class TerminalScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """How the OpenAPI document describes a terminal's credential."""

    target_class = TerminalAuthentication
    name = "terminal"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        """The security scheme."""
        return {
            "type": "apiKey",
            "in": "header",
            "name": "Authorization",
            "description": f"`{SCHEME} <credential>`, with the credential an enrolment answered with.",
        }


class StaffSessionScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """How the OpenAPI document describes a session of the admin site."""

    target_class = StaffSessionAuthentication
    name = "session"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        """The security scheme."""
        return {"type": "apiKey", "in": "cookie", "name": "sessionid"}
