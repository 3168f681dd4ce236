"""viser's server behind access control.

viser answers every page that reaches its port, and does what the page says. It has no place to put
a check, but it opens its port through one function of another library. While a server starts, this
function is ours: it asks access control before a request is answered, and reads along what pages
send. A version of viser that opens its port in another way is refused, not left open.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import logging
from collections.abc import Iterator
from contextvars import ContextVar
from importlib import import_module
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, final

from phalanx.base.cached import ForkSafeLock
from phalanx.base.errors import MissingExtra, PhalanxError
from phalanx.view.web.access_control import AccessControl, passes
from phalanx.view.web.page_theme import dress
from phalanx.view.web.rate_limit import RateLimit, Verdict

if TYPE_CHECKING:
    from viser import ViserServer

MOST_PAGES = 32  # pages at a time
LONGEST = 1 << 16  # [bytes] of a message
LONGEST_END = 30.0  # [s] of a server's thread
_STARTING = ForkSafeLock()
# path and query with which a page opened its socket, for what the server calls because of it
CALLED_BY: ContextVar[str] = ContextVar("CALLED_BY", default="")

log = logging.getLogger(__name__)
log.addHandler(logging.NullHandler())  # refused clients are logged only where a handler is set


def guarded_server(access: AccessControl, host: str, port: int, label: str) -> ViserServer:
    """Start viser's server behind access control.

    Raises:
        MissingExtra: When viser is not installed.
        PhalanxError: When this version of viser cannot be guarded.
    """
    try:
        import viser
    except ImportError as error:
        raise MissingExtra("the web view", "view") from error

    class Server(viser.ViserServer):
        def request_share_url(self, verbose: bool = True) -> str | None:
            """Nothing: any page could otherwise ask for a public address of this machine."""
            return None

    guard = _Guard(access, label)
    with _STARTING, silent(), _opening_ports_by(guard):
        server = Server(host=host, port=port, label=label, verbose=False)
    controls = getattr(server.gui, "_gui_input_handle_from_uuid", None)
    if not guard.asked or controls is None:
        end(server)
        raise PhalanxError(
            f"viser {viser.__version__} cannot be guarded against other pages; install a version "
            "that Phalanx was tested with: pip install 'viser>=1.1,<1.2'."
        )
    guard.controls = controls
    return server


def end(server: ViserServer) -> None:
    """Stop a server and wait for its thread, without output."""
    with silent():
        server.stop()  # waits a second, which on a busy machine is too short
        thread = getattr(server._websock_server, "_server_thread", None)
        if thread is not None:
            thread.join(LONGEST_END)


@contextlib.contextmanager
def silent() -> Iterator[None]:
    """Keeps greetings off standard output, where results of commands go, and out of notebooks."""
    notebook: Any = import_module("rich.jupyter")
    display = notebook.display
    notebook.display = lambda *_: None  # where rich does not print, but shows
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            yield
    finally:
        notebook.display = display


@contextlib.contextmanager
def _opening_ports_by(guard: _Guard) -> Iterator[None]:
    """Let viser alone open its ports through a guard."""
    opening: Any = import_module("viser.infra._infra")
    library = opening.websockets
    server = _Instead(library.asyncio.server, serve=guard.serve)
    opening.websockets = _Instead(library, asyncio=SimpleNamespace(server=server))
    try:
        yield
    finally:
        opening.websockets = library


@final
class _Instead:
    """A module with other functions in some places."""

    def __init__(self, module: Any, **others: Any) -> None:
        self._module = module
        self.__dict__.update(others)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)


@final
class _Guard:
    """Stands between the port and viser."""

    def __init__(self, access: AccessControl, name: str) -> None:
        self.access, self.name = access, name
        self.asked = False
        self.controls: dict[str, Any] | None = None  # that all pages see; none before they are made
        self._pages = 0

    def serve(self, handler: Any, *place: Any, process_request: Any, **options: Any) -> Any:
        """Open a port, as ``websockets.asyncio.server.serve`` does."""
        from websockets.asyncio.server import serve

        def answer(connection: Any, request: Any) -> Any:
            refused = self.access.answer(request)
            if refused is not None:
                return refused
            page = process_request(connection, request)
            if page is not None:
                dress(page, self.name)
                for name, value in self.access.headers(request).items():
                    page.headers[name] = value
            return page

        async def sit(connection: Any) -> None:
            if self._pages >= MOST_PAGES:
                await connection.close(1013, f"The view is full: {MOST_PAGES} pages are open.")
                return
            self._pages += 1
            CALLED_BY.set(connection.request.path)
            try:
                await handler(_Page(connection, self))
            finally:
                self._pages -= 1

        self.asked = True
        limits = {"max_size": LONGEST, "close_timeout": 1.0, "logger": log, "server_header": None}
        return serve(sit, *place, process_request=answer, **(options | limits))

    def lets_pass(self, raw: Any, may_touch: bool) -> bool:
        """Whether viser is to hear a message."""
        controls = self.controls
        return passes(raw, may_touch, lambda uuid: controls is None or uuid in controls)


@final
class _Page:
    """A connection from which only such messages come as the view's page may send."""

    def __init__(self, connection: Any, guard: _Guard) -> None:
        self._connection, self._guard = connection, guard
        self._may_touch = guard.access.may_touch(connection.request)
        self._allowance = RateLimit()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    async def recv(self) -> bytes:
        """The next message that may pass; what comes faster than a page sends is thrown away."""
        while True:
            raw = await self._connection.recv()
            verdict = self._allowance.judge(asyncio.get_running_loop().time())
            if verdict is Verdict.CUT:
                await self._connection.close(1008, "Too many messages.")
            elif verdict is Verdict.HANDLE and self._guard.lets_pass(raw, self._may_touch):
                return bytes(raw)
