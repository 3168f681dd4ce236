"""``phalanx view``: a model in the browser."""

from __future__ import annotations

import warnings

from phalanx.cli import console
from phalanx.cli.extras import need
from phalanx.cli.models import Loading, Model
from phalanx.cli.serving import Serving, serve


def view(
    model: Model,
    loading: Loading,
    serving: Serving,
) -> None:
    """Show a model in the browser, with a slider a joint.

    phalanx view puma560

    phalanx view robot:ur5_robot --port 9000 --no-open

    phalanx view chain:10000,alternate=true
    """
    need("phalanx view", "view")
    from phalanx.view.viewer import Viewer

    mechanism = loading.find(model)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        viewer = Viewer(mechanism, host=serving.host, port=serving.port)
    for warning in caught:
        console.say_warning(str(warning.message))
    with viewer:
        serve(viewer, serving.opened)
