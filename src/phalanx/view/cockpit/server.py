"""The server of a cockpit: its crew's pages, and a look at the machine at every tick.

The telemetry is written once and left with every page; in between the crew does what pages ask.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING, final

from phalanx.view.cockpit import reports
from phalanx.view.cockpit.cab_view import CabView
from phalanx.view.cockpit.clients import Clients
from phalanx.view.cockpit.machine import Array, CockpitMachine
from phalanx.view.cockpit.replay_history import ReplayHistory
from phalanx.view.web.client_session import ClientSession
from phalanx.view.web.http_handler import HttpHandler
from phalanx.view.web.server import PageServer

if TYPE_CHECKING:
    from websockets.asyncio.server import ServerConnection

SEND_BUFFER = 1 << 14  # [bytes] under way to a page; what is newer replaces what waits

log = logging.getLogger(__name__)
log.addHandler(logging.NullHandler())  # the person is told; a log is for who listens


@final
class Server:
    """Pages on one side, a machine on the other."""

    def __init__(
        self,
        machine: CockpitMachine,
        listener: socket.socket,
        door: HttpHandler,
        *,
        token: str | None,
        rate: float,
        show: Callable[[Array], None],
        views: CabView | None = None,
    ) -> None:
        """Start the thread.

        Args:
            machine: What is operated.
            listener: Where pages come in.
            door: What they are answered.
            token: What a page has to say before it may drive; None for nothing.
            rate: Telemetry a second [Hz].
            show: Draws a posture.
            views: The pages' 3-D views, if they have any.
        """
        self._server = PageServer(
            "cockpit",
            lambda: _Deck(machine, token, show, views),
            listener,
            door,
            period=1.0 / rate,
            send_buffer=SEND_BUFFER,
        )

    @property
    def seats(self) -> list[ClientSession]:
        """The pages that are open."""
        return list(self._server.room.seats.values())

    @property
    def pages(self) -> int:
        """How many are open."""
        return len(self._server.room.seats)

    def close(self) -> None:
        """Send everybody away and centre the machine; does nothing the second time."""
        self._server.close()


@final
class _Deck:
    """A crew that sees the machine."""

    def __init__(
        self,
        machine: CockpitMachine,
        token: str | None,
        show: Callable[[Array], None],
        views: CabView | None,
    ) -> None:
        crew = Clients(machine, token, (lambda key, cab: None) if views is None else views.choose)
        self._machine, self._crew, self._show, self._views = machine, crew, show, views
        self._windows: dict[ClientSession, str] = {}  # what each page was told of its view
        self._fault: str | None = None
        self._past = ReplayHistory(machine)
        self._loop = asyncio.get_running_loop()
        self.seats = crew.seats
        self.begin, self.admit = crew.begin, crew.admit
        self.dismiss, self.finish, self.close = crew.dismiss, crew.finish, crew.close

    def enter(self, connection: ServerConnection, view_port: int) -> ClientSession:
        """A seat for a page that came, which hears too if the machine does not answer."""
        seat = self._crew.enter(connection, view_port)
        self._past.forget()
        if self._fault is not None:
            seat.notice(f"The machine does not answer: {self._fault}", self._loop.time())
        return seat

    def leave(self, seat: ClientSession) -> None:
        """A page that went."""
        self._windows.pop(seat, None)
        self._crew.leave(seat)

    def tick(self, now: float) -> None:
        """Show everybody the machine."""
        self._crew.tick(now)
        if self._views is not None:
            self._tell_windows(self._views)
        try:
            latest = self._machine.telemetry()
            self._show(latest.q)
            report = reports.telemetry(latest) if self.seats else ""
            before = self._past.of(latest, now) if self.seats else None
        except Exception as error:
            # said once: it would be the same at every tick
            if self._fault is None:
                log.exception("no telemetry")
                for seat in self.seats.values():
                    seat.notice(f"The machine does not answer: {error}", now)
            self._fault = str(error)
            return
        self._fault = None
        for seat in self.seats.values():
            if before is not None:
                seat.offer("past", before)
            seat.offer("telemetry", report)

    def _tell_windows(self, views: CabView) -> None:
        """Tell each page what became of its 3-D view, when something did."""
        for seat in self.seats.values():
            report = reports.window(
                is_open=views.is_open(seat.window),
                has_cab=views.has_cab,
                cab=views.rides(seat.window),
            )
            if self._windows.get(seat) != report:
                self._windows[seat] = report
                seat.offer("window", report)
