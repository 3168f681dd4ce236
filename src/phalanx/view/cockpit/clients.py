"""Clients of a cockpit: control hand-over and requests to the machine.

What a page sends is read, judged and answered here, and nothing of it can raise out of here: a wish
that cannot be fulfilled ends as a notice on the page that had it. What may take time (a recording,
say) is done by a worker, one after the other.
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
from phalanx.view.replay.playback_messages import Play, Seek, obey
from phalanx.view.web.client_session import ClientSession, Unlock
from phalanx.view.web.rate_limit import HANDLED, Verdict
from phalanx.view.web.reading import Refused

if TYPE_CHECKING:
    from websockets.asyncio.server import ServerConnection

WRONG_TOKENS = 5  # before a page is cut off
PENDING = 8  # things asked of the machine that are not done yet

log = logging.getLogger(__name__)
log.addHandler(logging.NullHandler())  # the person is told; a log is for who listens


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
        self.seats: dict[int, ClientSession] = {}
        self._machine, self._token, self._look = machine, token, look
        self._authority = ControlHandover()
        self._last_page = 0
        self._recordings: dict[str, str] = {}  # titles by name
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="phalanx-cockpit-worker")
        self._errands: set[asyncio.Task[None]] = set()
        self._loop = asyncio.get_running_loop()

    def begin(self) -> None:
        """List the recordings that there are."""
        self._errand(None, self._list_recordings)

    def dismiss(self) -> None:
        """Take the controls away from all; the machine stands still."""
        self._become(ControlHandover())

    async def finish(self) -> None:
        """Wait for what was asked."""
        if self._errands:
            await asyncio.wait(self._errands)

    def close(self) -> None:
        """End the worker."""
        self._worker.shutdown()

    # -- who is there ----------------------------------------------------------------------------

    def enter(self, connection: ServerConnection, view_port: int) -> ClientSession:
        """Return a session for a page that connects."""
        self._last_page += 1
        seat = ClientSession(self._last_page, connection, may_drive=self._token is None)
        locked = self._token is not None
        seat.post(reports.hello(self._machine, seat.page, view_port, locked))
        self.seats[seat.page] = seat
        self._tell_state()
        return seat

    def leave(self, seat: ClientSession) -> None:
        """Forget a page that has disconnected."""
        del self.seats[seat.page]
        self._become(self._authority.left(seat.page))
        self._tell_state()

    def tick(self, now: float) -> None:
        """Take the controls from a silent client, and handle delayed messages."""
        self._become(self._authority.checked(now))
        for seat in list(self.seats.values()):
            if seat.held_back is not None:
                late, seat.held_back = seat.held_back, None
                self._hear(seat, late, now)

    # -- what they ask ---------------------------------------------------------------------------

    def admit(self, seat: ClientSession, text: str | bytes) -> str:
        """Handle a message within the rate limit; return why the page must go, if it must."""
        now = self._loop.time()
        verdict = seat.allowance.judge(now)
        if verdict is Verdict.CUT:
            return "Too many messages."
        self._authority = self._authority.heard_from(seat.page, now)
        if verdict is Verdict.HANDLE:
            seat.held_back = None
            self._hear(seat, text, now)
        else:
            seat.held_back = text  # the latest deflections must not be lost
            seat.notice(f"More than {HANDLED} messages a second: some are dropped.", now)
        return "Too many wrong tokens." if seat.wrong_tokens >= WRONG_TOKENS else ""

    def _hear(self, seat: ClientSession, text: str | bytes, now: float) -> None:
        try:
            self._obey(seat, messages.parse(text), now)
        except PhalanxError as error:
            seat.notice(str(error), now)
        except Exception as error:
            log.exception("while doing what page %d asked", seat.page)
            seat.notice(f"The machine could not do that: {error}", now)

    def _obey(self, seat: ClientSession, message: Message, now: float) -> None:
        match message:
            case messages.Beat(sent):
                seat.post(reports.beat(sent))
            case Unlock():
                seat.unlock(message, self._token, "this cockpit")
            case messages.Window(key):
                seat.window = key
            case messages.Camera(cab):
                self._look(seat.window, cab)
            case messages.Sticks(values, clamped):
                self._authority = self._authority.moved(seat.page, any(values))
                self._machine.command(values)
                if clamped:
                    seat.notice("A stick was deflected beyond its end; taken for the end.", now)
            case messages.Take():
                self._check_token(seat)
                self._become(self._authority.asked(seat.page, now))
            case messages.HandOver(to):
                self._become(self._authority.handed_over(seat.page, to, now))
            case messages.Release():
                self._become(self._authority.released(seat.page))
            case Play() | Seek() | messages.ReplaySpeed():
                self._check_driving(seat)
                self._wind(message)
            case _:
                self._check_driving(seat)
                self._errand(seat, self._task(message))

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

    def _check_token(self, seat: ClientSession) -> None:
        if not seat.may_drive:
            raise Refused("Driving needs the token that the cockpit's owner has.")

    def _check_driving(self, seat: ClientSession) -> None:
        self._check_token(seat)
        if self._authority.holder != seat.page:
            raise Refused("Only who holds the controls can do that. Take them first.")

    def _become(self, authority: ControlHandover) -> None:
        """Hand the controls to another client, with the machine at rest."""
        before, self._authority = self._authority, authority
        if before.holder != authority.holder:
            try:
                self._machine.centre()
            except Exception:
                log.exception("while centring")
        if (before.holder, before.wishes) != (authority.holder, authority.wishes):
            self._tell_state()

    def _tell_state(self) -> None:
        report = reports.state(self._authority, list(self.seats), self._recordings)
        for seat in self.seats.values():
            seat.offer("state", report)

    def _errand(self, seat: ClientSession | None, task: Callable[[], Any]) -> None:
        """Have the worker do something for a page.

        Raises:
            Refused: When too much is still to be done.
        """
        if len(self._errands) >= PENDING:
            raise Refused("The machine is still busy with what was asked before.")
        errand = asyncio.create_task(self._run_errand(seat, task))
        self._errands.add(errand)
        errand.add_done_callback(self._errands.discard)

    async def _run_errand(self, seat: ClientSession | None, task: Callable[[], Any]) -> None:
        try:
            said = await self._loop.run_in_executor(self._worker, task)
        except PhalanxError as error:
            said = str(error)
        except Exception as error:
            log.exception("in an errand")
            said = f"The machine could not do that: {error}"
        if seat is not None and isinstance(said, str):
            seat.notice(said, self._loop.time())
