"""``phalanx view``: a model in the browser."""

from __future__ import annotations

import warnings
from typing import Annotated

import typer

from phalanx.cli import console
from phalanx.cli.extras import need
from phalanx.cli.models import Loading, Model
from phalanx.cli.serving import Serving, serve


def view(
    model: Model,
    loading: Loading,
    serving: Serving,
    drag: Annotated[
        str | None,
        typer.Option(
            metavar="FRAME",
            help="Frame with a handle: whoever drags it takes the machine along.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Show a model in the browser, with a slider a joint, and a handle on a frame to drag.

    phalanx view puma560

    phalanx view robot:panda --drag panda_hand

    phalanx view robot:ur5_robot --port 9000 --no-open

    phalanx view chain:10000,alternate=true
    """
    need("phalanx view", "view")
    from phalanx.view.viewer.viewer import Viewer

    mechanism = loading.find(model)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        viewer = Viewer(mechanism, host=serving.host, port=serving.port, drag=drag)
    for warning in caught:
        console.say_warning(str(warning.message))
    with viewer:
        serve(viewer, serving.opened)
