"""HTTP handler: the page's files, and requests of the page itself.

What opens a socket must be the page that this server served, and the server must have been called
by a name that only its owner can give it, or else be locked by a token.
"""

from __future__ import annotations

import http
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, final

from phalanx.view.web.client_authentication import Caller, caller_of, refusal, response

if TYPE_CHECKING:
    from websockets.http11 import Request, Response

SOCKET = "/socket"
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
HEADERS = {
    "X-Frame-Options": "DENY",
    "Origin-Agent-Cluster": "?1",  # what is dragged does not wait for the 3-D view to be drawn
}


@final
@dataclass(frozen=True)
class HttpHandler:
    """Answers requests that are not messages.

    Attributes:
        files: Of the page, by path.
        bound_to: The address that the server listens on.
        locked: Whether changing anything needs a token.
        view_port: Where the 3-D view is served, the only thing the page may embed.
    """

    files: Mapping[str, bytes]
    bound_to: str
    locked: bool
    view_port: int

    def answer(self, request: Request) -> Response | None:
        """What to answer; nothing when a page may open its socket."""
        caller = caller_of(request)
        if caller is None or not (self.locked or caller.named_by_owner(self.bound_to)):
            return refusal(http.HTTPStatus.FORBIDDEN, "This server has another name.")
        path = request.path.partition("?")[0]
        if path == SOCKET:
            if not caller.wants_socket:
                return refusal(http.HTTPStatus.UPGRADE_REQUIRED, "Open the page instead.")
            if not caller.is_own_page:
                return refusal(http.HTTPStatus.FORBIDDEN, "This is not the server's own page.")
            return None
        name = "/index.html" if path == "/" else path
        if name not in self.files:
            return refusal(http.HTTPStatus.NOT_FOUND, "There is no such page.")
        kind = TYPES[name[name.rindex(".") :]]
        body, policy = self.files[name], self._policy(caller)
        return response(http.HTTPStatus.OK, kind, body, HEADERS, policy)

    def _policy(self, caller: Caller) -> str:
        """What the page may load and embed: itself, its socket and the 3-D view."""
        return "; ".join(
            (
                "default-src 'none'",
                "script-src 'self'",
                "style-src 'self'",
                "img-src 'self'",
                f"connect-src 'self' ws://{caller.host}",
                f"frame-src http://{caller.name}:{self.view_port}",
                "frame-ancestors 'none'",
                "base-uri 'none'",
                "form-action 'none'",
            )
        )


def page_files(package: str) -> dict[str, bytes]:
    """The files of a page, by path: those that all pages share, and those of its package."""
    return {
        f"/{file.name}": file.read_bytes()
        for owner in (__package__, package)
        for file in (resources.files(owner) / "page").iterdir()
        if file.name[file.name.rfind(".") :] in TYPES
    }
