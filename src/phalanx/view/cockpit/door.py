"""Who comes in: the page's files, and requests that come from the page itself.

A web site that somebody else wrote can make a visitor's browser call this server. Two checks keep
it out: what calls must be the page that this server served (``Origin``), and the server must have
been called by a name that only its owner can give it (``Host``), or else be locked by a token.
"""

from __future__ import annotations

import http
import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, final

if TYPE_CHECKING:
    from websockets.http11 import Request, Response

SOCKET = "/socket"
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
HOST = re.compile(r"(?P<name>[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::(?P<port>\d{1,5}))?")


@final
@dataclass(frozen=True)
class Door:
    """Answers requests that are not messages.

    Attributes:
        files: Of the page, by path.
        bound_to: The address that the server listens on.
        locked: Whether driving needs a token.
        view_port: Where the 3-D view is served, the only thing the page may embed.
    """

    files: Mapping[str, bytes]
    bound_to: str
    locked: bool
    view_port: int

    def answer(self, request: Request) -> Response | None:
        """What to answer; nothing when a page may open its socket."""
        called = HOST.fullmatch(request.headers.get("Host", ""))
        if called is None or not (self.locked or self._is_own(called["name"])):
            return _refusal(http.HTTPStatus.FORBIDDEN, "This server has another name.")
        path = request.path.partition("?")[0]
        if path == SOCKET:
            if request.headers.get("Upgrade", "").lower() != "websocket":
                return _refusal(http.HTTPStatus.UPGRADE_REQUIRED, "Open the page instead.")
            # programs send no origin; browsers always do
            origin = request.headers.get("Origin")
            if origin is not None and origin != f"http://{called[0]}":
                return _refusal(http.HTTPStatus.FORBIDDEN, "This is not the server's own page.")
            return None
        name = "/index.html" if path == "/" else path
        if name not in self.files:
            return _refusal(http.HTTPStatus.NOT_FOUND, "There is no such page.")
        kind = TYPES[name[name.rindex(".") :]]
        return _response(http.HTTPStatus.OK, kind, self.files[name], self._policy(called))

    def _is_own(self, name: str) -> bool:
        """Whether no name server had a say in it, so that no stranger can have made it up."""
        if name in ("localhost", self.bound_to, f"[{self.bound_to}]"):
            return True
        try:
            return ipaddress.ip_address(name.strip("[]")).is_loopback
        except ValueError:
            return False

    def _policy(self, called: re.Match[str]) -> str:
        """What the page may load and embed: itself, its socket and the 3-D view."""
        return "; ".join(
            (
                "default-src 'none'",
                "script-src 'self'",
                "style-src 'self'",
                "img-src 'self'",
                f"connect-src 'self' ws://{called[0]}",
                f"frame-src http://{called['name']}:{self.view_port}",
                "frame-ancestors 'none'",
                "base-uri 'none'",
                "form-action 'none'",
            )
        )


def page_files() -> dict[str, bytes]:
    """The files of the page, by path."""
    folder = resources.files(__package__) / "page"
    return {
        f"/{file.name}": file.read_bytes()
        for file in folder.iterdir()
        if file.name[file.name.rfind(".") :] in TYPES
    }


def _refusal(status: http.HTTPStatus, text: str) -> Response:
    return _response(
        status, "text/plain; charset=utf-8", f"{text}\n".encode(), "default-src 'none'"
    )


def _response(status: http.HTTPStatus, kind: str, body: bytes, policy: str) -> Response:
    from websockets.datastructures import Headers
    from websockets.http11 import Response

    headers = Headers(
        {
            "Content-Type": kind,
            "Content-Length": str(len(body)),
            "Content-Security-Policy": policy,
            "X-Content-Type-Options": "nosniff",
            "X-Frame-Options": "DENY",
            "Origin-Agent-Cluster": "?1",  # sticks do not wait for the 3-D view to be drawn
            "Referrer-Policy": "no-referrer",
            "Cache-Control": "no-store",
            "Connection": "close",
        }
    )
    return Response(status.value, status.phrase, headers, body)
