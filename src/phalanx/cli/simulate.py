"""``phalanx simulate``: one run of a model or of a scenario."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from phalanx.base.errors import InvalidInput, UnknownName, WriteError
from phalanx.base.facts import duration
from phalanx.base.robots import SUFFIXES
from phalanx.cli import console
from phalanx.cli.changes import Changes
from phalanx.cli.choices import OneOf
from phalanx.cli.completion import offering
from phalanx.cli.extras import need
from phalanx.cli.models import Loading, find_model, model_names, model_reference
from phalanx.cli.outputs import Overwrite, Writes, check_output, check_report

if TYPE_CHECKING:
    from phalanx.simulation.record.recording import Recording
    from phalanx.simulation.scenario.scenario import Scenario

SCENARIO = OneOf("phalanx.simulation.scenario.shipped:SCENARIOS", checked=False)


def source_names() -> list[str]:
    """Return names of scenarios, machines and robots."""
    return [*SCENARIO.offered(), *model_names()]


Source = Annotated[
    str,
    SCENARIO,
    typer.Argument(
        metavar="MODEL|SCENARIO",
        autocompletion=offering(source_names, *SUFFIXES, ".toml"),
        help="Model (puma560, arm.urdf, robot:NAME), scenario file (.toml), or one of the "
        "scenarios {names}.",
        show_default=False,
    ),
]


@dataclass(frozen=True)
class ViewOptions:
    """View, animation and real time."""

    view: Annotated[bool, typer.Option("--view", help="Replay the run in the browser.")] = False
    animation: Annotated[
        Path | None,
        Writes((".gif", ".webp")),
        typer.Option(help="Write an animation: .gif or .webp.", show_default=False),
    ] = None
    realtime: Annotated[
        bool, typer.Option("--realtime", help="Run in real time and print the timing errors.")
    ] = False
    speed: Annotated[float, typer.Option(help="Simulated seconds per second of --realtime.")] = 1.0


def simulate(
    source: Source,
    *,
    changes: Changes,
    viewing: ViewOptions,
    force: Overwrite = False,
    loading: Loading,
) -> None:
    """Simulate a model and print the final state and the energy balance.

    A scenario is a run described in a file: model, control, events, duration. Options replace its
    settings.

    Examples:
        phalanx simulate double_pendulum --q0 1.5,0 --duration 5
        phalanx simulate puma560 --control pd --target 0.5 --record run.mcap

        # a scenario, with a page of plots in the folder out
        phalanx simulate puma-pd --report out

        # in real time, shown in the browser
        phalanx simulate puma-pd --realtime --view
    """
    _check_options(viewing)
    scenario = changes.of(_scenario(source, loading))
    _check_outputs(scenario, force)
    _check_size(scenario)
    if scenario.description:
        console.print_note(scenario.description)

    with console.print_warnings():
        if viewing.realtime:
            from phalanx.cli.realtime import run_realtime

            recording = run_realtime(scenario, viewing.speed, viewing.view)
        else:
            recording = _run(scenario)
    _show(scenario, recording)
    _save(scenario, recording)
    if viewing.animation is not None:
        _animate(scenario, recording, viewing.animation)
    if viewing.view and not viewing.realtime:
        _replay(scenario, recording)


def _check_options(viewing: ViewOptions) -> None:
    """Fail before the work, not after it.

    Raises:
        MissingExtra: When there is no viewer.
        InvalidInput: When options do not go together.
    """
    need("--view", "view", wanted=viewing.view)
    if viewing.speed != 1 and not viewing.realtime:
        raise InvalidInput(f"--speed {viewing.speed:g} needs --realtime.")


def _check_outputs(scenario: Scenario, force: bool) -> None:
    """Apply the rule for existing files to those that the scenario names."""
    if scenario.record is not None:
        check_output(Path(scenario.record), [".mcap"], force=force)
    if scenario.report is not None:
        check_report(Path(scenario.report), "report.html", force=force)


def _scenario(source: str, loading: Loading) -> Scenario:
    """Return the scenario of a name or file, or a scenario of a model without control."""
    from phalanx.simulation.scenario.reader import read_scenario
    from phalanx.simulation.scenario.scenario import Scenario
    from phalanx.simulation.scenario.shipped import SCENARIOS

    if source.endswith(".toml") or source in SCENARIOS:
        if loading.floating_base:
            raise InvalidInput("--floating-base is for models; in a scenario it is a key.")
        return read_scenario(
            source,
            lambda name: find_model(name, False, loading.package_path, loading.no_closures),
        )
    try:
        mechanism = loading.find(source)
    except UnknownName:
        if get_close_matches(source, SCENARIOS):
            raise UnknownName("phalanx", "scenario", source, SCENARIOS) from None
        raise
    settings = {"model": model_reference(source), "floating_base": loading.floating_base}
    return Scenario(mechanism.name, mechanism, settings=settings)


def _check_size(scenario: Scenario) -> None:
    """Refuse a run whose recording would not fit into memory.

    Raises:
        InvalidInput: When it would not, or its steps do not fill its duration.
    """
    from phalanx.base.memory import check_memory
    from phalanx.simulation.run.steps import whole_steps

    m = scenario.mechanism
    samples = whole_steps(scenario.duration, scenario.step) // max(1, scenario.every)
    kept = m.nq + 2 * m.nv
    if scenario.joints is not None:
        kept = sum(
            m.joint(name).motion.nq + 2 * m.joint(name).motion.nv for name in scenario.joints
        )
    # time, energy, work, loss; of a body ten numbers; subsystems have more
    row = 8 * (4 + kept + 10 * len(scenario.bodies or ()))
    check_memory(
        f"{samples:,} samples of this run",
        2.0 * samples * row,  # while it runs, and as the arrays of the recording
        "Shorten --duration, record with --every 10 or more, or choose --joints and --bodies.",
        samples,
    )


def _run(scenario: Scenario) -> Recording:
    """Run; after a failure, print and save what was recorded before it."""
    from phalanx.simulation.run.failures import SimulationError

    try:
        return scenario.run()
    except SimulationError as error:
        if len(error.recording):
            _save(scenario, error.recording)
        raise
    except WriteError as error:
        if error.recording is not None:
            _show(scenario, error.recording)
            _rescue(error.recording)
        raise


def _show(scenario: Scenario, recording: Recording) -> None:
    """Print the summary of the run and its wall time."""
    from phalanx.simulation.record.facts import recording_facts

    steps = round(recording.duration / scenario.step)
    wall, factor = (recording.settings.get(k) for k in ("wall_time", "real_time_factor"))
    if isinstance(wall, float) and isinstance(factor, float):
        console.print_note(
            f"{recording.duration:g} s in {steps:,} steps took {duration(wall)}: "
            f"{factor:.3g} times real time."
        )
    console.print_facts(recording_facts(recording))


def _rescue(recording: Recording) -> None:
    """Write a recording to the temporary folder after its own file could not be written."""
    import tempfile

    path = Path(tempfile.mkdtemp(prefix="phalanx-")) / "rescued.mcap"
    try:
        console.print_note(f"All samples are rescued in {recording.write(path)}.")
    except WriteError as error:
        console.print_note(f"They cannot be rescued either: {error}")


def _save(scenario: Scenario, recording: Recording) -> None:
    if scenario.record is not None:
        console.print_written("Recording", scenario.record)
    if scenario.report is not None:
        from phalanx.view.reports.report import write_report

        console.print_written("Report", write_report(recording, scenario.report))


def _animate(scenario: Scenario, recording: Recording, path: Path) -> None:
    from phalanx.simulation.run.joint_release import machine_at_end
    from phalanx.view.plots.animation import animate

    machine = machine_at_end(scenario.mechanism, scenario.events)
    console.print_written("Animation", animate(machine, recording, path))


def _replay(scenario: Scenario, recording: Recording) -> None:
    from phalanx.cli.serving import serve
    from phalanx.simulation.run.joint_release import machine_at_end
    from phalanx.view.replay.replay import Replay
    from phalanx.view.viewer.viewer import Viewer

    with (
        Viewer(machine_at_end(scenario.mechanism, scenario.events), sliders=False) as viewer,
        Replay(viewer, recording, loop=True) as player,
    ):
        player.playback.play()
        serve(viewer, opened=True)
