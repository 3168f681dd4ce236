"""``phalanx simulate``: a run of a model, or of a scenario in a file."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from phalanx.base.errors import InvalidInput, UnknownName, WriteError
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
    """Scenarios, machines and robots."""
    return [*SCENARIO.offered(), *model_names()]


Source = Annotated[
    str,
    SCENARIO,
    typer.Argument(
        metavar="MODEL|SCENARIO",
        autocompletion=offering(source_names, *SUFFIXES, ".toml"),
        help="A model (puma560, arm.urdf, robot:NAME), a scenario file (.toml), or a scenario "
        "by name: {names}.",
        show_default=False,
    ),
]


@dataclass(frozen=True)
class ViewOptions:
    """How a person sees the run."""

    view: Annotated[bool, typer.Option("--view", help="Show it in the browser.")] = False
    animation: Annotated[
        Path | None,
        Writes((".gif", ".webp")),
        typer.Option(help="Draw it as a moving picture: run.gif or run.webp.", show_default=False),
    ] = None
    realtime: Annotated[
        bool, typer.Option("--realtime", help="Step by the clock, and say how well that went.")
    ] = False
    speed: Annotated[float, typer.Option(help="Machine time over clock time, with --realtime.")] = (
        1.0
    )


def simulate(
    source: Source,
    *,
    loading: Loading,
    changes: Changes,
    watched: ViewOptions,
    force: Overwrite = False,
) -> None:
    """Let a machine run; say where it ended and what became of its energy.

    Options given beside a scenario replace what it says.

    phalanx simulate double_pendulum --q0 1.5,0 --duration 5 --report out

    phalanx simulate puma560 --control pd --target 0.5 --stiffness 400 --damping 40

    phalanx simulate wong-puma600 --record run.mcap

    phalanx simulate excavator-resolved --report excavator

    phalanx simulate puma-pd --animation puma.gif

    phalanx simulate puma-pd --realtime --view
    """
    _check_options(watched)
    scenario = changes.of(_scenario(source, loading))
    _check_outputs(scenario, force)
    _check_size(scenario)
    if scenario.description:
        console.err().print(scenario.description, soft_wrap=True)

    with console.saying_warnings():
        if watched.realtime:
            from phalanx.cli.realtime import run_realtime

            recording = run_realtime(scenario, watched.speed, watched.view)
        else:
            recording = _run(scenario)
    _show(scenario, recording)
    _save(scenario, recording)
    if watched.animation is not None:
        _animate(scenario, recording, watched.animation)
    if watched.view and not watched.realtime:
        _replay(scenario, recording)


def _check_options(watched: ViewOptions) -> None:
    """Fail before the work, not after it.

    Raises:
        MissingExtra: When there is no viewer.
        InvalidInput: When options do not go together.
    """
    need("--view", "view", wanted=watched.view)
    if watched.speed != 1 and not watched.realtime:
        raise InvalidInput(f"--speed {watched.speed:g} needs --realtime.")


def _check_outputs(scenario: Scenario, force: bool) -> None:
    """The same rule for files that the scenario itself names."""
    if scenario.record is not None:
        check_output(Path(scenario.record), [".mcap"], force=force)
    if scenario.report is not None:
        check_report(Path(scenario.report), "report.html", force=force)


def _scenario(source: str, loading: Loading) -> Scenario:
    """The scenario a user means, or one with a model alone."""
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
    """Run; what was recorded before a failure is shown and saved too."""
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
    """The run in a few numbers, and how long it took."""
    from phalanx.simulation.record.facts import recording_facts

    steps = round(recording.duration / scenario.step)
    wall, factor = (recording.settings.get(k) for k in ("wall_time", "real_time_factor"))
    if isinstance(wall, float) and isinstance(factor, float):
        console.err().print(
            f"{recording.duration:g} s in {steps:,} steps took {console.duration(wall)}: "
            f"{factor:.3g} times real time.",
            soft_wrap=True,
        )
    console.say(recording_facts(recording))


def _rescue(recording: Recording) -> None:
    """Keep a recording for which there was no room, before it is lost with this process."""
    import tempfile

    path = Path(tempfile.mkdtemp(prefix="phalanx-")) / "rescued.mcap"
    try:
        console.err().print(f"All samples are rescued in {recording.write(path)}.", soft_wrap=True)
    except WriteError as error:
        console.err().print(f"They cannot be rescued either: {error}", soft_wrap=True)


def _save(scenario: Scenario, recording: Recording) -> None:
    if scenario.record is not None:
        console.err().print(f"Recording in {scenario.record}.", soft_wrap=True)
    if scenario.report is not None:
        from phalanx.view.reports.report import write_report

        console.err().print(f"Report in {write_report(recording, scenario.report)}.")


def _animate(scenario: Scenario, recording: Recording, path: Path) -> None:
    from phalanx.simulation.run.joint_release import machine_at_end
    from phalanx.view.plots.animation import animate

    machine = machine_at_end(scenario.mechanism, scenario.events)
    console.err().print(f"Animation in {animate(machine, recording, path)}.", soft_wrap=True)


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
