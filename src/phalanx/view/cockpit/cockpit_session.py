"""Cockpit session: clients of a machine, and its telemetry for all of them at every tick.

The telemetry is encoded once and queued for every page; in between messages are handled.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from math import inf
from typing import TYPE_CHECKING, final

from phalanx.view.cockpit import reports
from phalanx.view.cockpit.cab_view import CabView
from phalanx.view.cockpit.clients import Clients
from phalanx.view.cockpit.machine import Array, CockpitMachine, Telemetry
from phalanx.view.cockpit.replay_history import ReplayHistory
from phalanx.view.web.client_session import ClientSession

if TYPE_CHECKING:
    from websockets.asyncio.server import ServerConnection

RECENT = 5000  # steps whose times are shown
TIMING_PERIOD = 0.5  # [s] between two looks at step times

log = logging.getLogger(__name__)
log.addHandler(
    logging.NullHandler()
)  # the user sees a notice; the log is for handlers that are set


@final
class CockpitSession:
    """Session of all clients; lives in one event loop, which is running when it is made."""

    def __init__(
        self,
        machine: CockpitMachine,
        token: str | None,
        show: Callable[[Array], None],
        views: CabView | None = None,
    ) -> None:
        """Nobody yet.

        Args:
            machine: What is operated.
            token: What a page has to say before it may drive; None for nothing.
            show: Draws a posture.
            views: The pages' 3-D views, if they have any.
        """
        look = (lambda key, cab: None) if views is None else views.choose
        self._clients = clients = Clients(machine, token, look)
        self._machine, self._show, self._views = machine, show, views
        self._windows: dict[ClientSession, str] = {}  # the last report to each page on its view
        self._fault: str | None = None
        self._past = ReplayHistory(machine)
        self._loop = asyncio.get_running_loop()
        self._timing, self._timed = machine.loop.recent_timing(RECENT), -inf
        self.pages = clients.pages
        self.begin, self.admit = clients.begin, clients.admit
        self.dismiss, self.finish, self.close = clients.dismiss, clients.finish, clients.close

    def enter(self, connection: ServerConnection, view_port: int) -> ClientSession:
        """Return a session for a page that connects, and tell it if the machine is silent."""
        client = self._clients.enter(connection, view_port)
        self._past.forget()
        if self._fault is not None:
            client.notice(f"The machine does not answer: {self._fault}", self._loop.time())
        return client

    def leave(self, client: ClientSession) -> None:
        """Forget a page that has disconnected."""
        self._windows.pop(client, None)
        self._clients.leave(client)

    def tick(self, now: float) -> None:
        """Send telemetry to all clients."""
        self._clients.tick(now)
        if self._views is not None:
            self._tell_windows(self._views)
        try:
            latest = self._machine.telemetry()
            self._show(latest.q)
            report = self._telemetry(latest, now) if self.pages else ""
            before = self._past.of(latest, now) if self.pages else None
        except Exception as error:
            # said once: it would be the same at every tick
            if self._fault is None:
                log.exception("no telemetry")
                for client in self.pages.values():
                    client.notice(f"The machine does not answer: {error}", now)
            self._fault = str(error)
            return
        self._fault = None
        for client in self.pages.values():
            if before is not None:
                client.offer("past", before)
            client.offer("telemetry", report)

    def _telemetry(self, latest: Telemetry, now: float) -> str:
        loop = self._machine.loop
        if now - self._timed > TIMING_PERIOD:
            self._timed, self._timing = now, loop.recent_timing(RECENT)
        playback = None if latest.replaying is None else self._machine.playback
        return reports.telemetry(latest, loop, self._timing, playback)

    def _tell_windows(self, views: CabView) -> None:
        """Tell each page what became of its 3-D view, when something did."""
        for client in self.pages.values():
            report = reports.window(
                is_open=views.is_open(client.window),
                has_cab=views.has_cab,
                cab=views.rides(client.window),
            )
            if self._windows.get(client) != report:
                self._windows[client] = report
                client.offer("window", report)
