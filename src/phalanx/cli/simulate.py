"""``phalanx simulate``: a run of a model, or of a scenario in a file."""

from __future__ import annotations

from dataclasses import replace
from difflib import get_close_matches
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from phalanx.cli import console
from phalanx.cli.controls import Control, Damping, Integrator, Numbers, Stiffness, Target
from phalanx.cli.models import FloatingBase, PackagePath, find_model, model_reference
from phalanx.cli.options import check_writable
from phalanx.errors import InvalidInput, MissingExtra, UnknownName, WriteError

if TYPE_CHECKING:
    from phalanx.simulation.record.recording import Recording
    from phalanx.simulation.scenario.scenario import Scenario


def simulate(
    source: Annotated[
        str,
        typer.Argument(
            metavar="MODEL|SCENARIO",
            help="A model (puma560, arm.urdf, robot:NAME), a scenario file (.toml), or a scenario "
            "by name: dhanaraj-friction, dhanaraj-puma560, excavator-joint, excavator-resolved, "
            "excavator-trench, falling-chain, four-bar-crank, khan-3rrr, puma-pd, stewart-sway, "
            "wong-puma600, wong-torso.",
            show_default=False,
        ),
    ],
    floating_base: FloatingBase = False,
    package_path: PackagePath = None,
    duration: Annotated[
        float | None, typer.Option(help="Length of the run [s]; 10.", show_default=False)
    ] = None,
    step: Annotated[
        float | None,
        typer.Option(help="Control period and integration step [s]; 1e-3.", show_default=False),
    ] = None,
    control: Control = None,
    target: Target = None,
    stiffness: Stiffness = None,
    damping: Damping = None,
    integrator: Integrator = None,
    q0: Numbers = None,
    v0: Numbers = None,
    record: Annotated[
        Path | None, typer.Option(help="Write the run to an .mcap file.", show_default=False)
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(help="Write a page with plots into this folder.", show_default=False),
    ] = None,
    every: Annotated[
        int | None,
        typer.Option(min=1, help="Record every so many steps; 1.", show_default=False),
    ] = None,
    rates: Annotated[
        bool | None,
        typer.Option(
            "--rates",
            help="Record accelerations and rates of pressures too.",
            show_default=False,
        ),
    ] = None,
    view: Annotated[bool, typer.Option("--view", help="Show it in the browser.")] = False,
    realtime: Annotated[
        bool, typer.Option("--realtime", help="Step by the clock, and say how well that went.")
    ] = False,
    speed: Annotated[
        float, typer.Option(help="Machine time over clock time, with --realtime.")
    ] = 1.0,
    force: Annotated[bool, typer.Option("--force", help="Overwrite files.")] = False,
) -> None:
    """Let a machine run; say where it ended and what became of its energy.

    Options given beside a scenario replace what it says.

    phalanx simulate double_pendulum --q0 1.5,0 --duration 5 --report out

    phalanx simulate puma560 --control pd --target 0.5 --stiffness 400 --damping 40

    phalanx simulate wong-puma600 --record run.mcap

    phalanx simulate excavator-resolved --report out

    phalanx simulate puma-pd --realtime --view
    """
    from phalanx.cli.controls import chosen_integrator, chosen_law, one_each

    if view and find_spec("viser") is None:
        raise MissingExtra("--view", "view")
    if record is not None:
        check_writable(record, ".mcap", force=force)
    if report is not None and report.exists() and not report.is_dir():
        raise InvalidInput(f"--report {report} is a file; name a folder.")
    if speed != 1 and not realtime:
        raise InvalidInput(f"--speed {speed:g} needs --realtime.")
    scenario = _scenario(source, floating_base, package_path)
    if control is not None and scenario.actuation is not None:
        raise InvalidInput(
            "--control gives joint forces; the machine of this scenario is moved by its actuation, "
            "whose commands come from the scenario's own control."
        )
    m = scenario.mechanism
    law = chosen_law(m, control, target, stiffness, damping)
    given: dict[str, Any] = {
        "duration": duration,
        "step": step,
        "control": law,
        "integrator": chosen_integrator(integrator),
        "q0": one_each("q0", q0, m.nq),
        "v0": one_each("v0", v0, m.nv),
        "every": every,
        "rates": rates,
        "record": record,
        "report": report,
    }
    scenario = replace(
        scenario, **{key: value for key, value in given.items() if value is not None}
    )
    if control is not None and law is None:
        scenario = replace(scenario, control=None)
    _check_size(scenario)
    if scenario.description:
        console.err().print(scenario.description, soft_wrap=True)

    if realtime:
        from phalanx.cli.realtime import run_realtime

        recording = run_realtime(scenario, speed, view)
    else:
        recording = _run(scenario)
    show(scenario, recording)
    _save(scenario, recording)
    if view and not realtime:
        _replay(scenario, recording)


def _scenario(source: str, floating_base: bool, package_path: list[Path] | None) -> Scenario:
    """The scenario a user means, or one with a model alone."""
    from phalanx.simulation.scenario.reader import read_scenario, scenario_names
    from phalanx.simulation.scenario.scenario import Scenario

    if source.endswith(".toml") or source in scenario_names():
        if floating_base:
            raise InvalidInput("--floating-base is for models; in a scenario it is a key.")
        return read_scenario(source, lambda name: find_model(name, False, package_path))
    try:
        mechanism = find_model(source, floating_base, package_path)
    except UnknownName:
        if get_close_matches(source, scenario_names()):
            raise UnknownName("phalanx", "scenario", source, scenario_names()) from None
        raise
    settings = {"model": model_reference(source), "floating_base": floating_base}
    return Scenario(mechanism.name, mechanism, settings=settings)


def _check_size(scenario: Scenario) -> None:
    """Refuse a run whose recording would not fit into memory.

    Raises:
        InvalidInput: When it would not, or its steps do not fill its duration.
    """
    from phalanx.cli.states import check_memory
    from phalanx.simulation.run import whole_steps

    m = scenario.mechanism
    samples = whole_steps(scenario.duration, scenario.step) // max(1, scenario.every)
    row = 8 * (4 + m.nq + 2 * m.nv)  # time, energy, work, loss; subsystems have more
    check_memory(
        f"{samples:,} samples of this run",
        2.0 * samples * row,  # while it runs, and as the arrays of the recording
        "Shorten --duration, or record with --every 10 or more.",
    )


def _run(scenario: Scenario) -> Recording:
    """Run; what was recorded before a failure is shown and saved too."""
    from phalanx.simulation.run import SimulationError

    try:
        return scenario.run()
    except SimulationError as error:
        if len(error.recording):
            _save(scenario, error.recording)
        raise
    except WriteError as error:
        if error.recording is not None:
            show(scenario, error.recording)
            _rescue(error.recording)
        raise


def _rescue(recording: Recording) -> None:
    """Keep a recording for which there was no room, before it is lost with this process."""
    import tempfile

    path = Path(tempfile.mkdtemp(prefix="phalanx-")) / "rescued.mcap"
    try:
        console.err().print(f"All samples are rescued in {recording.write(path)}.", soft_wrap=True)
    except WriteError as error:
        console.err().print(f"They cannot be rescued either: {error}", soft_wrap=True)


def show(scenario: Scenario, recording: Recording) -> None:
    """The run in a few numbers."""
    import numpy as np

    from phalanx.simulation.extensions import trends_of

    steps = round(recording.duration / scenario.step)
    wall, factor = (recording.settings.get(k) for k in ("wall_time", "real_time_factor"))
    if isinstance(wall, float) and isinstance(factor, float):
        console.err().print(
            f"{recording.duration:g} s in {steps:,} steps took {console.duration(wall)}: "
            f"{factor:.3g} times real time.",
            soft_wrap=True,
        )
    out = console.out()
    for name in ("q", "v"):
        signal = recording.signal(name)
        text = np.array2string(signal.values[-1], precision=6, max_line_width=100)
        out.print(f"[bold]{name}[/] \\[{signal.unit}] at {recording.time[-1]:g} s")
        out.print(text, markup=False, soft_wrap=True)
    energy, work, loss = (recording[name] for name in ("energy", "work", "loss"))
    balance = ""
    # a payload brings energy of its own, and takes some along; so do surroundings
    if not scenario.events and scenario.surroundings is None:
        unexplained = energy - energy[0] - (work - work[0]) + (loss - loss[0])
        balance = f"; {np.abs(unexplained).max():.2g} J unexplained at most"
    out.print(
        f"[bold]energy[/] {energy[0]:.6g} J at first, {energy[-1]:.6g} J at last; drives did "
        f"{work[-1]:.6g} J, joints lost {loss[-1]:.3g} J{balance}",
        soft_wrap=True,
    )
    for what, text in trends_of(recording).items():
        out.print(f"[bold]{what}[/]: {text}", soft_wrap=True)


def _save(scenario: Scenario, recording: Recording) -> None:
    if scenario.record is not None:
        console.err().print(f"Recording in {scenario.record}.", soft_wrap=True)
    if scenario.report is not None:
        from phalanx.view.report import write_report

        console.err().print(f"Report in {write_report(recording, scenario.report)}.")


def _replay(scenario: Scenario, recording: Recording) -> None:
    from phalanx.cli.serving import serve
    from phalanx.view.replay import Replay
    from phalanx.view.viewer import Viewer

    with (
        Viewer(scenario.mechanism, sliders=False) as viewer,
        Replay(viewer, recording, loop=True) as player,
    ):
        player.play()
        serve(viewer, opened=True)
