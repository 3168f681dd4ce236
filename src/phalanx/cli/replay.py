"""``phalanx replay``: playback of a recording in the browser."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from phalanx.base.errors import InvalidInput
from phalanx.cli.extras import need
from phalanx.cli.models import Loading, find_model, model_words
from phalanx.cli.serving import Serving, serve


@dataclass(frozen=True)
class PlaybackOptions:
    """Signals and speed of the playback."""

    plot: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SIGNAL",
            help="Signal to plot. May be repeated. Default: q and tau.",
            show_default=False,
        ),
    ] = None
    speed: Annotated[float, typer.Option(help="Recorded seconds per second of playback.")] = 1.0
    loop: Annotated[bool, typer.Option("--loop", help="Repeat from the start.")] = False


def replay(
    run: Annotated[
        Path, typer.Argument(metavar="RUN", help="Recording (.mcap).", show_default=False)
    ],
    *,
    model: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL",
            autocompletion=model_words,
            help="Model of the recording. Default: the one it was recorded with.",
            show_default=False,
        ),
    ] = None,
    playback: PlaybackOptions,
    serving: Serving,
    loading: Loading,
) -> None:
    """Play a recording in the browser, with plots of its signals.

    Examples:
        phalanx replay run.mcap
        phalanx replay run.mcap --plot q --plot energy --speed 0.25 --loop
    """
    need("phalanx replay", "view")
    from phalanx.simulation.record.recording import Recording
    from phalanx.view.replay.recorded import seen_in
    from phalanx.view.replay.replay import Replay, check_recording
    from phalanx.view.viewer.viewer import Viewer

    recording = Recording.read(run)
    name = model or recording.settings.get("model")
    if not isinstance(name, str):
        raise InvalidInput(f"{run} does not say which model it is of; name it with --model.")
    floating = loading.floating_base or bool(recording.settings.get("floating_base"))
    mechanism = find_model(name, floating, loading.package_path, loading.no_closures)
    mechanism, recording = seen_in(mechanism, recording)
    check_recording(mechanism, recording)
    with (
        Viewer(mechanism, host=serving.host, port=serving.port, sliders=False) as viewer,
        Replay(
            viewer, recording, plots=playback.plot, speed=playback.speed, loop=playback.loop
        ) as player,
    ):
        player.playback.play()
        serve(viewer, serving.opened)
