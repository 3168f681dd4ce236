"""Web server of pages: one thread with an event loop.

A page that connects becomes a client of the session, which handles its messages and may send it
some at every tick.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol, final

from phalanx.view.web.client_session import ClientSession
from phalanx.view.web.http_handler import HttpHandler
from phalanx.view.web.reading import LONGEST

if TYPE_CHECKING:
    from websockets.asyncio.server import ServerConnection
    from websockets.http11 import Request, Response

MOST_PAGES = 32  # pages at a time
LIFE_SIGN = 5.0  # [s] between checks that a page is still there

log = logging.getLogger(__name__)
log.addHandler(logging.NullHandler())  # refused clients are logged only where a handler is set


class Session(Protocol):
    """What pages share; all of it is called in the server's event loop."""

    @property
    def pages(self) -> Mapping[int, ClientSession]:
        """The pages that are there, by number."""

    def begin(self) -> None:
        """The server is up."""

    def enter(self, connection: ServerConnection, view_port: int) -> ClientSession:
        """Return a client session for a page that connects."""

    def admit(self, client: ClientSession, text: str | bytes) -> str:
        """Handle a message; return why the page must go, if it must."""

    def leave(self, client: ClientSession) -> None:
        """Forget a page that has disconnected."""

    def tick(self, now: float) -> None:
        """Send what is due, at a time of the event loop [s]."""

    def dismiss(self) -> None:
        """The server ends."""

    async def finish(self) -> None:
        """Wait for what was begun."""

    def close(self) -> None:
        """The loop has ended."""


@final
class PageServer:
    """Server of pages that share a session."""

    def __init__(
        self,
        name: str,
        session: Callable[[], Session],
        listener: socket.socket,
        handler: HttpHandler,
        *,
        period: float,
        send_buffer: int,
    ) -> None:
        """Start the thread.

        Args:
            name: Display name of what is served.
            session: Makes the session, in the running event loop.
            listener: Where pages come in.
            handler: Answers HTTP requests.
            period: Between ticks [s].
            send_buffer: What may be under way to a page [bytes]; newer reports replace those that
                wait.
        """
        self._name, self._handler, self._period, self._buffer = name, handler, period, send_buffer
        self._make_session = session
        self._session: Session
        self._loop: asyncio.AbstractEventLoop
        self._stopping: asyncio.Event
        up: Future[None] = Future()
        self._thread = threading.Thread(
            target=lambda: asyncio.run(self._serve(listener, up)),
            name=f"phalanx-{name}",
            daemon=True,
        )
        self._thread.start()
        up.result()

    @property
    def session(self) -> Session:
        """What the pages share."""
        return self._session

    def close(self) -> None:
        """Close all connections; does nothing the second time."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stopping.set)
            self._thread.join()
            self._session.close()

    async def _serve(self, listener: socket.socket, up: Future[None]) -> None:
        from websockets.asyncio.server import serve

        self._loop = asyncio.get_running_loop()
        self._stopping = asyncio.Event()
        self._session = self._make_session()
        try:
            server = await serve(
                self._serve_page,
                sock=listener,
                process_request=self._answer,
                compression=None,  # costs time that others need
                max_size=LONGEST,
                write_limit=self._buffer,
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
        self._session.begin()
        await self._stopping.wait()
        ticking.cancel()
        self._session.dismiss()
        server.close()
        await server.wait_closed()
        await self._session.finish()

    async def _tick(self) -> None:
        due = self._loop.time()
        while True:
            now = self._loop.time()
            self._session.tick(now)
            due = max(due + self._period, now)
            await asyncio.sleep(due - now)

    async def _answer(self, connection: ServerConnection, request: Request) -> Response | None:
        return self._handler.answer(request)

    async def _serve_page(self, connection: ServerConnection) -> None:
        """One page, from when it comes to when it goes."""
        from websockets.exceptions import ConnectionClosed

        if len(self._session.pages) >= MOST_PAGES:
            await connection.close(1013, f"The {self._name} is full: {MOST_PAGES} pages are open.")
            return
        # a page that does not read has little in flight, so it catches up with the present
        connection.transport.get_extra_info("socket").setsockopt(
            socket.SOL_SOCKET, socket.SO_SNDBUF, self._buffer
        )
        client = self._session.enter(connection, self._handler.view_port)
        sending = asyncio.create_task(client.send())
        enough = ""
        try:
            async for text in connection:
                enough = self._session.admit(client, text)
                if enough:
                    break
        except ConnectionClosed:
            pass
        finally:
            # before anything that has to wait for the page
            self._session.leave(client)
            sending.cancel()
            with suppress(asyncio.CancelledError, ConnectionClosed):
                await sending
        if enough:
            await connection.close(1008, enough)
