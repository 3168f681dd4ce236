"""Editor session: requests of all pages that edit one trajectory, done in turn.

The event loop only takes messages and sends reports. Changes, optimisation and files are the work
of one thread, the only one that uses the editor: of moves of one drag, and of each button whose
effect a second press would only repeat, the newest request replaces those that wait. A page has at
most ``WAITING`` requests in the queue, so that others get their turn.

Nothing that a page sends can raise out of here: what cannot be done ends as a notice on the page
that asked.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, final

import numpy as np
from numpy.typing import NDArray

from phalanx.base.errors import PhalanxError
from phalanx.planning.trajectory.table import TrajectoryTable
from phalanx.view.replay.playback import Play, Playback, Seek, obey
from phalanx.view.trajectory import messages, reports
from phalanx.view.trajectory.editor import Editor
from phalanx.view.trajectory.messages import Message
from phalanx.view.web.client_session import ClientSession, Unlock
from phalanx.view.web.rate_limit import HANDLED, Verdict
from phalanx.view.web.reading import Refused
from phalanx.view.web.task_queue import TaskQueue

if TYPE_CHECKING:
    from websockets.asyncio.server import ServerConnection

WRONG_TOKENS = 5  # before a page is cut off
WAITING = 8  # requests of one page that are not begun yet
TRAIL = "trail"  # key of the task that draws the path in the 3-D view
Array = NDArray[np.float64]

log = logging.getLogger(__name__)
log.addHandler(
    logging.NullHandler()
)  # the user sees a notice; the log is for handlers that are set


@final
@dataclass(frozen=True)
class Done:
    """Result of one request of a page.

    Attributes:
        said: Notice for the user who asked, if any.
        file: A report with a file for that person.
        sheet: The curves for all pages, where they changed.
        table: The rows behind them.
    """

    said: str = ""
    file: str | None = None
    sheet: bytes | None = None
    table: TrajectoryTable | None = None


@final
class EditorSession:
    """Clients that edit a trajectory; lives in one event loop, which is running when it is made."""

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
            changed: Called in the thread that uses the editor, soon after the trajectory changed.
        """
        self.pages: dict[int, ClientSession] = {}
        self._editor, self._token, self._show = editor, token, show
        self._optimal, self._changed = optimal, changed
        self._table, self._sheet = editor.table, reports.sheet(editor, 0)
        self._tasks = TaskQueue("phalanx-trajectory-editor")
        self._last_page = self._last_request = 0
        self._news = True
        self._loop = asyncio.get_running_loop()
        self._playback = Playback(0.0, editor.table.rows.duration, loop=True, clock=self._loop.time)

    def begin(self) -> None:
        """Show the machine where the trajectory begins."""
        self._show_posture()

    def dismiss(self) -> None:
        """Stop the playback."""
        self._playback.pause()

    async def finish(self) -> None:
        """Wait for what is being computed."""
        await asyncio.to_thread(self._tasks.close)

    def close(self) -> None:
        """Close everything that is open."""

    def enter(self, connection: ServerConnection, view_port: int) -> ClientSession:
        """Return a session for a page that connects."""
        self._last_page += 1
        client = ClientSession(self._last_page, connection, may_drive=self._token is None)
        locked = self._token is not None
        client.post(reports.hello(self._editor, view_port, locked, self._optimal))
        client.offer("sheet", self._sheet)
        client.offer("place", self._place())
        self.pages[client.page] = client
        return client

    def leave(self, client: ClientSession) -> None:
        """Forget a page that has disconnected."""
        del self.pages[client.page]

    def tick(self, now: float) -> None:
        """Advance the playback, and handle delayed messages."""
        for client in list(self.pages.values()):
            if client.held_back is not None:
                late, client.held_back = client.held_back, None
                self._hear(client, late, now)
        if self._news:
            self._news = False
            self._tasks.submit(TRAIL, self._changed)
        if self._playback.playing:
            self._show_posture()
            self._tell_place()

    def admit(self, client: ClientSession, text: str | bytes) -> str:
        """Handle a message within the rate limit; return why the page must go, if it must."""
        now = self._loop.time()
        verdict = client.allowance.judge(now)
        if verdict is Verdict.CUT:
            return "Too many messages."
        if verdict is Verdict.HANDLE:
            client.held_back = None
            self._hear(client, text, now)
        else:
            client.held_back = text  # where a drag ended must not be lost
            client.notice(f"More than {HANDLED} messages a second: some are dropped.", now)
        return "Too many wrong tokens." if client.wrong_tokens >= WRONG_TOKENS else ""

    # -- what they ask ---------------------------------------------------------------------------

    def _hear(self, client: ClientSession, text: str | bytes, now: float) -> None:
        try:
            self._obey(client, messages.parse(text))
        except PhalanxError as error:
            client.notice(str(error), now)

    def _obey(self, client: ClientSession, message: Message) -> None:
        """Do what a page asks, or leave it to the editor's thread."""
        match message:
            case Unlock():
                client.unlock(message, self._token, "this page")
                return
        if not client.may_drive:
            raise Refused("Changes and files need the token that the page's owner has.")
        match message:
            case Play() | Seek():
                obey(message, self._playback)
            case _:
                self._leave(client, message)
                return
        self._show_posture()
        self._tell_place()

    def _leave(self, client: ClientSession, message: Message) -> None:
        """Have a request done, instead of one before that it makes superfluous.

        Raises:
            Refused: When too many of this page's requests wait.
        """
        key = (client.page, self._kind(message))
        waiting = self._tasks.waiting()
        own = [one for one in waiting if isinstance(one, tuple) and one[0] == client.page]
        if key not in own and len(own) >= WAITING:
            raise Refused(f"{WAITING} requests of this page wait already: this one is dropped.")
        self._tasks.submit(key, partial(self._do, client, message))

    def _kind(self, message: Message) -> Hashable:
        """Return what requests have in common of which only the newest counts."""
        match message:
            case messages.Move(waypoint, joint, _, _, gesture, _):
                return "move", waypoint, joint, gesture
            case messages.Do("scale" | "optimise" | "reset" | "save" as what):
                return what
        self._last_request += 1
        return self._last_request

    def _do(self, client: ClientSession, message: Message) -> None:
        """Do what a page asks, in the editor's thread."""
        try:
            done = self._edited(message)
        except PhalanxError as error:
            done = Done(str(error))
        except Exception as error:
            log.exception("while doing what page %d asked", client.page)
            done = Done(f"That could not be done: {error}")
        self._loop.call_soon_threadsafe(self._tell, client, done)

    def _edited(self, message: Message) -> Done:
        """Change the trajectory, or make a file of it; in the editor's thread."""
        editor, serial, said = self._editor, 0, ""
        match message:
            case messages.Do("save"):
                name = f"{editor.mechanism.name}_trajectory.csv"
                return Done(file=reports.saved(editor.table.csv_text(), name))
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
        return Done(said, sheet=reports.sheet(editor, serial), table=editor.table)

    def _tell(self, client: ClientSession, done: Done) -> None:
        """Send what became of a request, in the event loop."""
        if done.file is not None:
            client.post(done.file)
        if done.table is not None and done.sheet is not None:
            self._table, self._sheet, self._news = done.table, done.sheet, True
            for one in self.pages.values():
                one.offer("sheet", done.sheet)
            self._playback.set_end(self._table.rows.duration)
            self._show_posture()
        if done.said:
            client.notice(done.said, self._loop.time())

    def _show_posture(self) -> None:
        table = self._table
        row = min(round(self._playback.time / table.step), len(table) - 1)
        self._show(table.q[row])

    def _tell_place(self) -> None:
        report = self._place()
        for client in self.pages.values():
            client.offer("place", report)

    def _place(self) -> str:
        return reports.place(self._playback.time, self._playback.playing)
