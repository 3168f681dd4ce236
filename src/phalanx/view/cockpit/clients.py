"""Clients of a cockpit: control hand-over and requests to the machine.

What a page sends is read, judged and answered here, and nothing of it can raise out of here: a
request that cannot be fulfilled ends as a notice on the page that had it. What may take time (a
recording, say) is done by a worker, one after the other.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, final

from phalanx.base.errors import PhalanxError, UnknownName
from phalanx.view.cockpit import messages, reports
from phalanx.view.cockpit.control_handover import ControlHandover
from phalanx.view.cockpit.machine import CockpitMachine
from phalanx.view.cockpit.messages import Message
from phalanx.view.replay.playback import Play, Seek, obey
from phalanx.view.web.client_session import ClientSession, Unlock
from phalanx.view.web.rate_limit import HANDLED, Verdict
from phalanx.view.web.reading import Refused

if TYPE_CHECKING:
    from websockets.asyncio.server import ServerConnection

WRONG_TOKENS = 5  # before a page is cut off
PENDING = 8  # things asked of the machine that are not done yet

log = logging.getLogger(__name__)
log.addHandler(
    logging.NullHandler()
)  # the user sees a notice; the log is for handlers that are set


@final
class Clients:
    """Clients of a machine; lives in one event loop, which is running when it is made."""

    def __init__(
        self, machine: CockpitMachine, token: str | None, look: Callable[[str, bool], None]
    ) -> None:
        """Nobody yet.

        Args:
            machine: What is operated.
            token: What a page has to say before it may drive; None for nothing.
            look: Puts the 3-D view of some word into the cab, or out of it.
        """
        self.pages: dict[int, ClientSession] = {}
        self._machine, self._token, self._look = machine, token, look
        self._handover = ControlHandover()
        self._last_page = 0
        self._recordings: dict[str, str] = {}  # titles by name
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="phalanx-cockpit-worker")
        self._running: set[asyncio.Task[None]] = set()
        self._loop = asyncio.get_running_loop()

    def begin(self) -> None:
        """List the recordings that there are."""
        self._start_task(None, self._list_recordings)

    def dismiss(self) -> None:
        """Take the controls away from all; the machine stands still."""
        self._become(ControlHandover())

    async def finish(self) -> None:
        """Wait for what was asked."""
        if self._running:
            await asyncio.wait(self._running)

    def close(self) -> None:
        """End the worker."""
        self._worker.shutdown()

    # -- who is there ----------------------------------------------------------------------------

    def enter(self, connection: ServerConnection, view_port: int) -> ClientSession:
        """Return a session for a page that connects."""
        self._last_page += 1
        client = ClientSession(self._last_page, connection, may_drive=self._token is None)
        locked = self._token is not None
        client.post(reports.hello(self._machine, client.page, view_port, locked))
        self.pages[client.page] = client
        self._tell_state()
        return client

    def leave(self, client: ClientSession) -> None:
        """Forget a page that has disconnected."""
        del self.pages[client.page]
        self._become(self._handover.left(client.page))
        self._tell_state()

    def tick(self, now: float) -> None:
        """Take the controls from a silent client, and handle delayed messages."""
        self._become(self._handover.checked(now))
        for client in list(self.pages.values()):
            if client.held_back is not None:
                late, client.held_back = client.held_back, None
                self._hear(client, late, now)

    # -- what they ask ---------------------------------------------------------------------------

    def admit(self, client: ClientSession, text: str | bytes) -> str:
        """Handle a message within the rate limit; return why the page must go, if it must."""
        now = self._loop.time()
        verdict = client.allowance.judge(now)
        if verdict is Verdict.CUT:
            return "Too many messages."
        self._handover = self._handover.heard_from(client.page, now)
        if verdict is Verdict.HANDLE:
            client.held_back = None
            self._hear(client, text, now)
        else:
            client.held_back = text  # the latest deflections must not be lost
            client.notice(f"More than {HANDLED} messages a second: some are dropped.", now)
        return "Too many wrong tokens." if client.wrong_tokens >= WRONG_TOKENS else ""

    def _hear(self, client: ClientSession, text: str | bytes, now: float) -> None:
        try:
            self._obey(client, messages.parse(text), now)
        except PhalanxError as error:
            client.notice(str(error), now)
        except Exception as error:
            log.exception("while doing what page %d asked", client.page)
            client.notice(f"The machine could not do that: {error}", now)

    def _obey(self, client: ClientSession, message: Message, now: float) -> None:
        match message:
            case messages.Beat(sent):
                client.post(reports.beat(sent))
            case Unlock():
                client.unlock(message, self._token, "this cockpit")
            case messages.Window(key):
                client.window = key
            case messages.Camera(cab):
                self._look(client.window, cab)
            case messages.Sticks(values, clamped):
                self._handover = self._handover.moved(client.page, any(values))
                self._machine.command(values)
                if clamped:
                    client.notice("A stick was deflected beyond its end; taken for the end.", now)
            case messages.Take():
                self._check_token(client)
                self._become(self._handover.asked(client.page, now))
            case messages.HandOver(to):
                self._become(self._handover.handed_over(client.page, to, now))
            case messages.Release():
                self._become(self._handover.released(client.page))
            case Play() | Seek() | messages.ReplaySpeed():
                self._check_driving(client)
                self._wind(message)
            case _:
                self._check_driving(client)
                self._start_task(client, self._task(message))

    def _wind(self, message: Play | Seek | messages.ReplaySpeed) -> None:
        """Move on in the recording that is shown, if any."""
        playback = self._machine.playback
        match message:
            case _ if playback is None:
                return
            case messages.ReplaySpeed(speed):
                playback.set_speed(speed)
            case Play() | Seek():
                obey(message, playback)

    def _task(self, message: Message) -> Callable[[], str | None]:
        """What a worker has to do; a text it returns is shown to the person."""
        machine = self._machine
        match message:
            case messages.SetMode(mode):
                if mode not in machine.instruments.modes:
                    raise UnknownName("the machine", "mode", mode, machine.instruments.modes)
                return lambda: machine.set_mode(mode)
            case messages.Resume():
                return self._resume
            case messages.Pause():
                return machine.loop.pause
            case messages.Reset():
                return machine.reset
            case messages.Record(on):
                return lambda: self._record(on)
            case messages.ShowRecording(name):
                if name is not None and name not in self._recordings:
                    raise UnknownName("the cockpit", "recording", name, self._recordings)
                return lambda: machine.replay(name)
        raise AssertionError(message)

    def _resume(self) -> None:
        """Let the clock run; back to the machine if a recording is shown."""
        if self._machine.playback is not None:
            self._machine.replay(None)
        self._machine.loop.resume()

    def _record(self, on: bool) -> str | None:
        name = self._machine.record(on)
        self._list_recordings()
        return None if name is None else f"Recorded: {self._title(name)}."

    def _title(self, name: str) -> str:
        """Display name of a recording; a machine may have none for it."""
        said = getattr(self._machine, "recording_title", None)
        return name if said is None else str(said(name))

    def _list_recordings(self) -> None:
        self._recordings = {name: self._title(name) for name in self._machine.recordings()}
        self._loop.call_soon_threadsafe(self._tell_state)

    def _check_token(self, client: ClientSession) -> None:
        if not client.may_drive:
            raise Refused("Driving needs the token that the cockpit's owner has.")

    def _check_driving(self, client: ClientSession) -> None:
        self._check_token(client)
        if self._handover.holder != client.page:
            raise Refused("Only who holds the controls can do that. Take them first.")

    def _become(self, handover: ControlHandover) -> None:
        """Hand the controls to another client, with the machine at rest."""
        before, self._handover = self._handover, handover
        if before.holder != handover.holder:
            try:
                self._machine.centre()
            except Exception:
                log.exception("while centring")
        if (before.holder, before.wishes) != (handover.holder, handover.wishes):
            self._tell_state()

    def _tell_state(self) -> None:
        report = reports.state(self._handover, list(self.pages), self._recordings)
        for client in self.pages.values():
            client.offer("state", report)

    def _start_task(self, client: ClientSession | None, task: Callable[[], Any]) -> None:
        """Have the worker do something for a page.

        Raises:
            Refused: When too much is still to be done.
        """
        if len(self._running) >= PENDING:
            raise Refused("The machine is still busy with what was asked before.")
        running = asyncio.create_task(self._run_task(client, task))
        self._running.add(running)
        running.add_done_callback(self._running.discard)

    async def _run_task(self, client: ClientSession | None, task: Callable[[], Any]) -> None:
        try:
            said = await self._loop.run_in_executor(self._worker, task)
        except PhalanxError as error:
            said = str(error)
        except Exception as error:
            log.exception("in an running")
            said = f"The machine could not do that: {error}"
        if client is not None and isinstance(said, str):
            client.notice(said, self._loop.time())
