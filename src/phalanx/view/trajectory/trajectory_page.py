"""Server of the trajectory editor's page."""

from __future__ import annotations

from typing import final

from phalanx.dynamics import Dynamics
from phalanx.mechanism import Mechanism
from phalanx.planning.paths.splines import Waypoints
from phalanx.planning.trajectory.limits import Limits
from phalanx.planning.trajectory.reachability import has_optimal
from phalanx.planning.trajectory.table import TrajectoryTable
from phalanx.view.trajectory.editor import Editor
from phalanx.view.trajectory.editor_session import EditorSession
from phalanx.view.trajectory.tool_path import ToolPath
from phalanx.view.web.address import LOCAL
from phalanx.view.web.beside_view import PageBesideView
from phalanx.view.web.server import PageServer

SEND_BUFFER = 1 << 17  # [bytes] under way to a page: the curves of one moment


@final
class TrajectoryPage:
    """A server whose page draws a trajectory: waypoints to drag, and torques in the same moment.

    Several pages may be open and show the same. On an address that other machines can reach,
    changes need a token; watching does not.

    >>> with TrajectoryPage(arm, waypoints, step=1e-3) as page:
    ...     webbrowser.open(page.url)
    """

    def __init__(
        self,
        machine: Mechanism | Dynamics,
        waypoints: Waypoints,
        step: float = 1e-3,
        limits: Limits | None = None,
        *,
        host: str = LOCAL,
        port: int = 8080,
        token: str | None = None,
        rate: float = 30.0,
    ) -> None:
        """Start the servers of the page and of its 3-D view; the page is at :attr:`url`.

        Args:
            machine: A mechanism, or its dynamics.
            waypoints: To begin with.
            step: Time between rows [s].
            limits: Of the joints; the machine's own when not given.
            host: Address to listen on; only this machine reaches the default.
            port: The page's port, or the next free one; any when 0. The 3-D view takes the next
                free one after it.
            token: What a page has to know before it may change anything. Where other machines can
                reach the page one is made up unless it is given; on this machine none is needed.
            rate: Postures a second while it plays [Hz].

        Raises:
            MissingExtra: When the packages behind the page are not installed.
            InvalidInput: When waypoints are not of this machine, the address is not this
                machine's, or no port near is free.
        """
        self._editor = Editor(machine, waypoints, step, limits)
        optimal = has_optimal()
        place = PageBesideView.open(
            "the trajectory page",
            __package__,
            self.mechanism,
            host=host,
            port=port,
            token=token,
            rate=rate,
        )
        self.host, self.port, self.token, self.url = place.host, place.port, place.token, place.url
        self.viewer = place.viewer
        trail = ToolPath(self.viewer)
        self._server = PageServer(
            "trajectory",
            lambda: EditorSession(
                self._editor,
                self.token,
                self.viewer.show,
                optimal=optimal,
                changed=lambda: trail.draw(self._editor.table),
            ),
            place.listener,
            place.handler,
            period=1.0 / rate,
            send_buffer=SEND_BUFFER,
        )

    @property
    def mechanism(self) -> Mechanism:
        """The machine."""
        return self._editor.mechanism

    @property
    def waypoints(self) -> Waypoints:
        """The waypoints as they stand, at the times at which they are passed."""
        return self._editor.draft.passed

    @property
    def table(self) -> TrajectoryTable:
        """The rows and torques as they stand."""
        return self._editor.table

    @property
    def clients(self) -> int:
        """How many pages are open."""
        return len(self._server.session.pages)

    def close(self) -> None:
        """Stop both servers; open pages lose their connection."""
        self._server.close()
        self.viewer.close()

    def __enter__(self) -> TrajectoryPage:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
