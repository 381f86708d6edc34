"""Errors that never reach a view take the shape of problem documents too."""

import json
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from config.api.problems import MEDIA_TYPE, problem

PREFIX = "/api/"
_CODES = {
    400: "bad_request",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    413: "body_too_large",
    503: "unavailable",
}


class ProblemMiddleware:
    """Reshapes bare error pages below /api/, and lets nothing there be cached.

    It stands outermost, because Django turns whatever the inner layers raise (a wrong host, a failed
    CSRF check, an unknown path, a fault nobody foresaw) into a page before it gets here.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer a request."""
        response = self.get_response(request)
        if not request.path_info.startswith(PREFIX):
            return response
        response.headers.setdefault("Cache-Control", "no-store")
        is_problem = response.headers.get("Content-Type") == MEDIA_TYPE
        if response.status_code >= 400 and isinstance(response, HttpResponse) and not is_problem:
            _reshape(response)
        return response


def _reshape(response: HttpResponse) -> None:
    status = response.status_code
    code = _CODES.get(status, "bad_request" if status < 500 else "internal_error")
    response.content = json.dumps(problem(status, code)).encode()
    response.headers["Content-Type"] = MEDIA_TYPE
    response.headers["Content-Length"] = str(len(response.content))
