"""Cockpit server: a page that operates a machine."""

from __future__ import annotations

from typing import final

from phalanx.mechanism import Mechanism
from phalanx.view.cockpit.cab_view import CabView
from phalanx.view.cockpit.cockpit_session import CockpitSession
from phalanx.view.cockpit.machine import CockpitMachine
from phalanx.view.web.address import LOCAL
from phalanx.view.web.beside_view import PageBesideView
from phalanx.view.web.server import PageServer

SEND_BUFFER = 1 << 14  # [bytes] under way to a page; what is newer replaces what waits


@final
class Cockpit:
    """A server whose page operates a machine.

    Several pages may be open; one drives, the others watch. On an address that other machines
    can reach, driving needs a token; watching does not.

    >>> with Cockpit(machine) as cockpit:
    ...     webbrowser.open(cockpit.url)
    """

    def __init__(
        self,
        machine: CockpitMachine,
        *,
        host: str = LOCAL,
        port: int = 8080,
        token: str | None = None,
        rate: float = 30.0,
    ) -> None:
        """Start the servers of the page and of its 3-D view; the page is at :attr:`url`.

        Args:
            machine: What is operated.
            host: Address to listen on; only this machine reaches the default.
            port: The page's port, or the next free one; any when 0. The 3-D view takes the next
                free one after it.
            token: What a page has to know before it may drive. Where other machines can reach
                the page one is made up unless it is given; on this machine none is needed.
            rate: Telemetry and postures a second [Hz].

        Raises:
            MissingExtra: When the packages behind the page are not installed.
            InvalidInput: When the address is not this machine's, no port near is free, the rate is
                not positive or the token no word of 8 to 128 letters, digits, ``-`` and ``_``.
        """
        place = PageBesideView.open(
            "the cockpit",
            __package__,
            machine.mechanism,
            host=host,
            port=port,
            token=token,
            rate=rate,
        )
        self.host, self.port, self.token, self.url = place.host, place.port, place.token, place.url
        self.viewer = place.viewer
        # layers are for who looks closely: a bar that opens, instead of a panel on the machine
        self.viewer.gui.set_panel_label("Layers")
        self.viewer.gui.main_panel.minimize()
        views = CabView(self.viewer)
        self._server = PageServer(
            "cockpit",
            lambda: CockpitSession(machine, self.token, self.viewer.show, views),
            place.listener,
            place.handler,
            period=1.0 / rate,
            send_buffer=SEND_BUFFER,
        )

    @property
    def mechanism(self) -> Mechanism:
        """What is operated."""
        return self.viewer.mechanism

    @property
    def clients(self) -> int:
        """How many pages are open."""
        return len(self._server.session.pages)

    def close(self) -> None:
        """Centre the machine and stop both servers; open pages lose their connection."""
        self._server.close()
        self.viewer.close()

    def __enter__(self) -> Cockpit:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
