"""The pages at one trajectory: what they ask is done at once, and all of them see it.

Nothing that a page sends can raise out of here: what cannot be done ends as a notice on the page
that asked.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, final

import numpy as np
from numpy.typing import NDArray

from phalanx.errors import PhalanxError
from phalanx.trajectory.path_file import rows_as_text
from phalanx.view.callers import is_token
from phalanx.view.flood import HANDLED, Verdict
from phalanx.view.pages.reading import Refused
from phalanx.view.pages.seat import Seat
from phalanx.view.trajectory import messages, reports
from phalanx.view.trajectory.editor import Editor
from phalanx.view.trajectory.messages import Message

if TYPE_CHECKING:
    from websockets.asyncio.server import ServerConnection

WRONG_TOKENS = 5  # before a page is cut off
Array = NDArray[np.float64]

log = logging.getLogger(__name__)
log.addHandler(logging.NullHandler())  # the person is told; a log is for who listens


@final
class Desk:
    """Who edits a trajectory; lives in one event loop, which is running when it is made."""

    def __init__(
        self,
        editor: Editor,
        token: str | None,
        show: Callable[[Array], None],
        *,
        optimal: bool,
        changed: Callable[[], None],
    ) -> None:
        """Nobody yet.

        Args:
            editor: What is edited.
            token: What a page has to say before it may change anything; None for nothing.
            show: Draws a posture.
            optimal: Whether the time-optimal timing can be computed here.
            changed: Called soon after the trajectory changed, at most once a tick.
        """
        self.seats: dict[int, Seat] = {}
        self._editor, self._token, self._show = editor, token, show
        self._optimal, self._changed = optimal, changed
        self._last_page = 0
        self._news = True
        self._time, self._playing, self._ticked = 0.0, False, 0.0
        self._loop = asyncio.get_running_loop()

    def begin(self) -> None:
        """Show the machine where the trajectory begins."""
        self._show_posture()

    def dismiss(self) -> None:
        """Nothing moves any more."""
        self._playing = False

    async def finish(self) -> None:
        """Nothing is left undone."""

    def close(self) -> None:
        """Nothing is left open."""

    def enter(self, connection: ServerConnection, view_port: int) -> Seat:
        """A seat for a page that came."""
        self._last_page += 1
        seat = Seat(self._last_page, connection, may_drive=self._token is None)
        locked = self._token is not None
        seat.post(reports.hello(self._editor, view_port, locked, self._optimal))
        seat.offer("sheet", reports.sheet(self._editor, 0))
        seat.offer("place", reports.place(self._time, self._playing))
        self.seats[seat.page] = seat
        return seat

    def leave(self, seat: Seat) -> None:
        """A page that went."""
        del self.seats[seat.page]

    def tick(self, now: float) -> None:
        """Play on, and hear what pages said too fast."""
        passed, self._ticked = now - self._ticked, now
        for seat in list(self.seats.values()):
            if seat.held_back is not None:
                late, seat.held_back = seat.held_back, None
                self._hear(seat, late, now)
        if self._news:
            self._news = False
            self._changed()
        if self._playing:
            end = self._editor.register.rows.duration
            self._time = self._time + passed if self._time < end else 0.0
            self._time = min(self._time, end)
            self._show_posture()
            self._tell_place()

    def admit(self, seat: Seat, text: str | bytes) -> str:
        """Hear a message if the page has not said too much; why it must go, if it must."""
        now = self._loop.time()
        verdict = seat.allowance.judge(now)
        if verdict is Verdict.CUT:
            return "Too many messages."
        if verdict is Verdict.HANDLE:
            seat.held_back = None
            self._hear(seat, text, now)
        else:
            seat.held_back = text  # where a drag ended must not be lost
            seat.notice(f"More than {HANDLED} messages a second: some are dropped.", now)
        return "Too many wrong tokens." if seat.wrong_tokens >= WRONG_TOKENS else ""

    # -- what they ask ---------------------------------------------------------------------------

    def _hear(self, seat: Seat, text: str | bytes, now: float) -> None:
        try:
            said = self._obey(seat, messages.parse(text))
        except PhalanxError as error:
            said = str(error)
        except Exception as error:
            log.exception("while doing what page %d asked", seat.page)
            said = f"That could not be done: {error}"
        if said:
            seat.notice(said, now)

    def _obey(self, seat: Seat, message: Message) -> str:
        """Do what a page asks; what to tell the person, if anything."""
        match message:
            case messages.Unlock(token):
                self._unlock(seat, token)
                return ""
        if not seat.may_drive:
            raise Refused("Changes and files need the token that the page's owner has.")
        match message:
            case messages.Do("save"):
                name = f"{self._editor.mechanism.name}_trajectory.csv"
                seat.post(reports.saved(rows_as_text(self._editor.register), name))
                return ""
            case messages.Seek(time):
                self._time = min(max(time, 0.0), self._editor.register.rows.duration)
            case messages.Play(on):
                self._playing = on
            case _:
                return self._edit(message)
        self._show_posture()
        self._tell_place()
        return ""

    def _edit(self, message: Message) -> str:
        """Change the trajectory, and show all what became of it."""
        editor, serial, said = self._editor, 0, ""
        match message:
            case messages.Move(waypoint, joint, position, time, gesture, serial):
                said = editor.move(waypoint, joint, position, time, gesture)
            case messages.Insert(time):
                editor.insert(time)
            case messages.Remove(waypoint):
                editor.remove(waypoint)
            case messages.Do("scale"):
                said = editor.scale()
            case messages.Do("optimise"):
                said = editor.optimise()
            case messages.Do("undo"):
                editor.undo()
            case messages.Do("redo"):
                editor.redo()
            case messages.Do("reset"):
                editor.reset()
            case _:
                raise AssertionError(message)
        report = reports.sheet(editor, serial)
        for seat in self.seats.values():
            seat.offer("sheet", report)
        self._time = min(self._time, editor.register.rows.duration)
        self._show_posture()
        self._news = True
        return said

    def _unlock(self, seat: Seat, token: str) -> None:
        if self._token is None or is_token(token, self._token):
            seat.may_drive = True
            seat.post(reports.unlocked())
        else:
            seat.wrong_tokens += 1
            raise Refused("This is not the token of this page.")

    def _show_posture(self) -> None:
        register = self._editor.register
        row = min(round(self._time / register.step), len(register) - 1)
        self._show(register.q[row])

    def _tell_place(self) -> None:
        report = reports.place(self._time, self._playing)
        for seat in self.seats.values():
            seat.offer("place", report)
