"""``phalanx view``: a model in the browser."""

from __future__ import annotations

import warnings

from phalanx.cli import console
from phalanx.cli.models import FloatingBase, Model, PackagePath, find_model
from phalanx.cli.serving import Host, Open, Port, serve


def view(
    model: Model,
    floating_base: FloatingBase = False,
    package_path: PackagePath = None,
    host: Host = "127.0.0.1",
    port: Port = 8080,
    opened: Open = True,
) -> None:
    """Show a model in the browser, with a slider a joint.

    phalanx view puma560

    phalanx view robot:ur5_robot --port 9000 --no-open
    """
    from phalanx.view.viewer import Viewer

    mechanism = find_model(model, floating_base, package_path)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        viewer = Viewer(mechanism, host=host, port=port)
    for warning in caught:
        console.say_warning(str(warning.message))
    with viewer:
        serve(viewer, opened)
