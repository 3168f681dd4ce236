"""The server of a cockpit: one thread with an event loop of its own.

At every tick it looks at the machine, writes the telemetry once and leaves it with every page; in
between its crew does what pages ask.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import TYPE_CHECKING, final

from phalanx.view.cockpit import messages, reports
from phalanx.view.cockpit.crew import Crew
from phalanx.view.cockpit.door import Door
from phalanx.view.cockpit.machine import Array, CockpitMachine

if TYPE_CHECKING:
    from websockets.asyncio.server import ServerConnection
    from websockets.http11 import Request, Response

SEATS = 32  # pages at a time
SEND_BUFFER = 1 << 14  # [bytes] under way to a page; what is newer replaces what waits
LIFE_SIGN = 5.0  # [s] between checks that a page is still there

log = logging.getLogger(__name__)
log.addHandler(logging.NullHandler())  # refused visitors are no news, unless somebody listens


@final
class Server:
    """Pages on one side, a machine on the other."""

    def __init__(
        self,
        machine: CockpitMachine,
        listener: socket.socket,
        door: Door,
        *,
        token: str | None,
        rate: float,
        show: Callable[[Array], None],
    ) -> None:
        """Start the thread.

        Args:
            machine: What is operated.
            listener: Where pages come in.
            door: What they are answered.
            token: What a page has to say before it may drive; None for nothing.
            rate: Telemetry a second [Hz].
            show: Draws a posture.
        """
        self._machine, self._door, self._token = machine, door, token
        self._period = 1.0 / rate
        self._show = show
        self._fault: str | None = None
        self._crew: Crew
        self._loop: asyncio.AbstractEventLoop
        self._stopping: asyncio.Event
        up: Future[None] = Future()
        self._thread = threading.Thread(
            target=lambda: asyncio.run(self._serve(listener, up)),
            name="phalanx-cockpit",
            daemon=True,
        )
        self._thread.start()
        up.result()

    @property
    def pages(self) -> int:
        """How many are open."""
        return len(self._crew.seats)

    def close(self) -> None:
        """Send everybody away and centre the machine; does nothing the second time."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stopping.set)
            self._thread.join()
            self._crew.close()

    # -- the loop --------------------------------------------------------------------------------

    async def _serve(self, listener: socket.socket, up: Future[None]) -> None:
        from websockets.asyncio.server import serve

        self._loop = asyncio.get_running_loop()
        self._stopping = asyncio.Event()
        self._crew = Crew(self._machine, self._token)
        try:
            server = await serve(
                self._sit,
                sock=listener,
                process_request=self._answer,
                compression=None,  # costs time that the machine needs
                max_size=messages.LONGEST,
                write_limit=SEND_BUFFER,
                ping_interval=LIFE_SIGN,
                ping_timeout=LIFE_SIGN,
                close_timeout=1.0,
                server_header=None,
                logger=log,
            )
        except BaseException as error:
            up.set_exception(error)
            return
        up.set_result(None)
        ticking = asyncio.create_task(self._tick())
        self._crew.begin()
        await self._stopping.wait()
        ticking.cancel()
        self._crew.dismiss()
        server.close()
        await server.wait_closed()
        await self._crew.finish()

    async def _tick(self) -> None:
        due = self._loop.time()
        while True:
            now = self._loop.time()
            self._crew.tick(now)
            self._look()
            due = max(due + self._period, now)
            await asyncio.sleep(due - now)

    def _look(self) -> None:
        """Show everybody the machine."""
        try:
            latest = self._machine.telemetry()
            self._show(latest.q)
            report = reports.telemetry(latest) if self._crew.seats else ""
        except Exception as error:
            # said once: it would be the same at every tick
            if self._fault is None:
                log.exception("no telemetry")
                for seat in self._crew.seats.values():
                    seat.notice(f"The machine does not answer: {error}", self._loop.time())
            self._fault = str(error)
            return
        self._fault = None
        for seat in self._crew.seats.values():
            seat.offer("telemetry", report)

    # -- pages -----------------------------------------------------------------------------------

    async def _answer(self, connection: ServerConnection, request: Request) -> Response | None:
        return self._door.answer(request)

    async def _sit(self, connection: ServerConnection) -> None:
        """One page, from when it comes to when it goes."""
        from websockets.exceptions import ConnectionClosed

        if len(self._crew.seats) >= SEATS:
            await connection.close(1013, f"The cockpit is full: {SEATS} pages are open.")
            return
        # a page that does not read has little in flight, so it catches up with the present
        connection.transport.get_extra_info("socket").setsockopt(
            socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER
        )
        seat = self._crew.enter(connection, self._door.view_port)
        if self._fault is not None:
            seat.notice(f"The machine does not answer: {self._fault}", self._loop.time())
        sending = asyncio.create_task(seat.send())
        enough = ""
        try:
            async for text in connection:
                enough = self._crew.admit(seat, text)
                if enough:
                    break
        except ConnectionClosed:
            pass
        finally:
            # before anything that has to wait for the page
            self._crew.leave(seat)
            sending.cancel()
            with suppress(asyncio.CancelledError, ConnectionClosed):
                await sending
        if enough:
            await connection.close(1008, enough)
