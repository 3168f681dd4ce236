"""Client authentication: tokens, hosts and origins.

A foreign web site can make a visitor's browser call a server on the visitor's
machine. Two things tell it from the server's own page: the page that a socket is opened from
(``Origin``), and the name by which the server was called (``Host``), since a site can point its own
name at any machine.
"""

from __future__ import annotations

import hmac
import http
import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

if TYPE_CHECKING:
    from websockets.http11 import Request, Response

HOST = re.compile(r"(?P<name>[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::(?P<port>\d{1,5}))?")


@final
@dataclass(frozen=True)
class Caller:
    """Origin and host of a request.

    Attributes:
        host: What the server was called, with the port if one was named.
        name: The same without the port.
        origin: The page that sent the request; None from programs, browsers always say it when
            they open a socket.
        wants_socket: Whether a socket is to be opened.
    """

    host: str
    name: str
    origin: str | None
    wants_socket: bool

    @property
    def is_own_page(self) -> bool:
        """Whether it comes from a page that this server served, or from no page."""
        return self.origin is None or self.origin == f"http://{self.host}"

    @property
    def named_by_address(self) -> bool:
        """Whether no name server had a say in the name, so that no attacker can have made it up."""
        return self.name == "localhost" or _address(self.name) is not None

    @property
    def is_local(self) -> bool:
        """Whether the name is one that every machine has for itself."""
        address = _address(self.name)
        return self.name == "localhost" or (address is not None and address.is_loopback)

    def named_by_owner(self, bound_to: str) -> bool:
        """Whether the name is this machine's own, or the address that the server listens on."""
        return self.is_local or self.name in (bound_to, f"[{bound_to}]")


def caller_of(request: Request) -> Caller | None:
    """Return the caller of a request; None when it has no host."""
    called = HOST.fullmatch(request.headers.get("Host", ""))
    if called is None:
        return None
    return Caller(
        called[0],
        called["name"],
        request.headers.get("Origin"),
        request.headers.get("Upgrade", "").lower() == "websocket",
    )


def is_token(said: str, token: str) -> bool:
    """Compare the token in constant time."""
    # half a character, which JSON may hold, has no encoding of its own
    return hmac.compare_digest(said.encode(errors="surrogatepass"), token.encode())


def refusal(status: http.HTTPStatus, text: str) -> Response:
    """Return the response to a refused request."""
    kind = "text/plain; charset=utf-8"
    return response(status, kind, f"{text}\n".encode(), {"X-Frame-Options": "DENY"})


def response(
    status: http.HTTPStatus,
    kind: str,
    body: bytes,
    headers: Mapping[str, str],
    policy: str = "default-src 'none'",
) -> Response:
    """An answer with the headers that keep a page to itself."""
    from websockets.datastructures import Headers
    from websockets.http11 import Response

    always = {
        "Content-Type": kind,
        "Content-Length": str(len(body)),
        "Content-Security-Policy": policy,
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cache-Control": "no-store",
        "Connection": "close",
    }
    return Response(status.value, status.phrase, Headers(always | dict(headers)), body)


def _address(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return None
