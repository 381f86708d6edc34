"""How often somebody may try to enrol or to sign in.

The counters live in each process's memory: N processes let N times as much through. That is enough,
for what they protect is the processor (a PIN costs a slow hash on purpose). What keeps secrets safe
does not depend on them: an enrolment code has 64 random bits, and a badge locks after five wrong PINs
counted in the database, for all processes together.
"""

from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle
from rest_framework.views import APIView

from config.api.address import client_address
from tables.models import Terminal


class EnrolmentThrottle(SimpleRateThrottle):
    """Enrolments per network address."""

    scope = "enrolment"

    def get_cache_key(self, request: Request, view: APIView) -> str:
        """One counter per address."""
        return f"throttle:{self.scope}:{client_address(request)}"


class SignInThrottle(SimpleRateThrottle):
    """Sign-ins per terminal."""

    scope = "sign_in"

    def get_cache_key(self, request: Request, view: APIView) -> str | None:
        """One counter per terminal; who is none is refused anyway."""
        return f"throttle:{self.scope}:{request.auth.id}" if isinstance(request.auth, Terminal) else None
