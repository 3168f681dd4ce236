"""``phalanx view``: 3-D view of a model in the browser."""

from __future__ import annotations

from typing import Annotated

import typer

from phalanx.cli import console
from phalanx.cli.extras import need
from phalanx.cli.models import Loading, Model
from phalanx.cli.serving import Serving, serve


def view(
    model: Model,
    *,
    serving: Serving,
    drag: Annotated[
        str | None,
        typer.Option(
            metavar="FRAME",
            help="Frame to drag with the mouse; the machine follows by inverse kinematics.",
            show_default=False,
        ),
    ] = None,
    loading: Loading,
) -> None:
    """Show a model in the browser, with a slider for each joint.

    Examples:
        phalanx view puma560
        phalanx view robot:panda --drag panda_hand
        phalanx view chain:10000,alternate=true
        phalanx view robot:ur5_robot --port 9000 --no-open
    """
    need("phalanx view", "view")
    from phalanx.view.viewer.viewer import Viewer

    mechanism = loading.find(model)
    with console.print_warnings():
        viewer = Viewer(mechanism, host=serving.host, port=serving.port, drag=drag)
    with viewer:
        serve(viewer, serving.opened)
