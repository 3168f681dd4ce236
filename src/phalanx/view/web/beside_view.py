"""Ports of a page and of its 3-D view."""

from __future__ import annotations

import secrets
import socket
from dataclasses import dataclass
from typing import final

from phalanx.base.errors import MissingExtra
from phalanx.mechanism import Mechanism
from phalanx.view.viewer.viewer import Viewer
from phalanx.view.web.access_control import check_token
from phalanx.view.web.address import is_local, listening_socket, url_of
from phalanx.view.web.http_handler import HttpHandler, page_files


@final
@dataclass(frozen=True)
class PageBesideView:
    """Ports that are open, before the page is served.

    Attributes:
        host: Address of both.
        port: Of the page.
        token: What a page has to know before it may change anything; None where it need not.
        viewer: The 3-D view.
        listener: Where the page's server is to listen.
        handler: What it answers.
    """

    host: str
    port: int
    token: str | None
    viewer: Viewer
    listener: socket.socket
    handler: HttpHandler

    @staticmethod
    def open(
        what: str,
        package: str,
        mechanism: Mechanism,
        *,
        host: str,
        port: int,
        token: str | None,
        rate: float,
    ) -> PageBesideView:
        """Take a port for the page, and start the view on the next free one.

        Args:
            what: Display name of the page.
            package: Where its files lie.
            mechanism: What the view shows.
            host: Address to listen on.
            port: The page's port, or the next free one; any when 0.
            token: As given; where other machines can reach the page, one is made up for none.
            rate: Postures a second [Hz].

        Raises:
            MissingExtra: When the packages behind pages are not installed.
            InvalidInput: When the address is not this machine's, no port near is free, or the token
                no word of 8 to 128 letters, digits, ``-`` and ``_``.
        """
        try:
            import websockets  # noqa: F401
        except ImportError as error:
            raise MissingExtra(what, "view") from error

        if token is not None:
            check_token(token)
        listener = listening_socket(host, port)
        taken = int(listener.getsockname()[1])
        if token is None and not is_local(host):
            token = secrets.token_urlsafe(16)
        try:
            viewer = Viewer(
                mechanism,
                host=host,
                port=taken + 1 if taken < 65535 else 0,
                rate=rate,
                sliders=False,
                embedded=True,
                token=token,
            )
        except BaseException:
            listener.close()
            raise
        handler = HttpHandler(page_files(package), host, token is not None, viewer.port)
        return PageBesideView(host, taken, token, viewer, listener, handler)

    @property
    def url(self) -> str:
        """Where the page is, with the token if there is one: for who may change anything."""
        fragment = "" if self.token is None else f"/#token={self.token}"
        return url_of(self.host, self.port) + fragment
