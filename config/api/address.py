"""Where a request comes from."""

import ipaddress

from django.http import HttpRequest
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle


def client_address(request: Request | HttpRequest) -> str:
    """The caller's IP address: behind NUM_PROXIES proxies of ours, the one the outermost of them saw."""
    return str(BaseThrottle().get_ident(request))  # type: ignore[arg-type]  # it reads what both have


def known_address(request: Request | HttpRequest) -> str | None:
    """The caller's IP address as it is kept with signatures; None where what is said is none."""
    try:
        return str(ipaddress.ip_address(client_address(request)))
    except ValueError:
        return None
