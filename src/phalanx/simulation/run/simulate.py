"""Simulate one run of a machine: any controller, any integrator, events, recording."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

from numpy.typing import ArrayLike

from phalanx.actuators.subsystem import Actuation, Surroundings
from phalanx.base.arguments import checked
from phalanx.mechanism import Mechanism
from phalanx.simulation.integrators.integrators import Integrator
from phalanx.simulation.record.channels import check_recording_size, run_channels
from phalanx.simulation.record.energy_balance import OF_EVENTS
from phalanx.simulation.record.recorder import Recorder
from phalanx.simulation.record.recording import Recording
from phalanx.simulation.record.selection import Selecting, Selection
from phalanx.simulation.run.progress import ProgressBar
from phalanx.simulation.run.run import Run
from phalanx.simulation.run.step_warning import warn_of_step
from phalanx.simulation.run.steps import count_of_steps
from phalanx.simulation.setup.events import Event
from phalanx.simulation.setup.forces.joint_forces import JointForce
from phalanx.simulation.setup.setup import DEFAULT_FORCES, Setup, setup_of


@checked
def simulate(
    mechanism: Mechanism | Setup,
    q0: ArrayLike | None = None,
    v0: ArrayLike | None = None,
    *,
    duration: float | None = None,
    steps: int | None = None,
    step: float = 1e-3,
    control: Any = None,
    forces: Sequence[JointForce] = DEFAULT_FORCES,
    actuation: Actuation | None = None,
    surroundings: Surroundings | None = None,
    integrator: Integrator | None = None,
    wrenches: Mapping[str, Any] | None = None,
    inputs: Mapping[str, Any] | None = None,
    parameters: Mapping[str, ArrayLike] | None = None,
    events: Sequence[Event] = (),
    states: Mapping[str, ArrayLike] | None = None,
    every: int = 1,
    rates: bool = False,
    joints: Sequence[str] | None = None,
    bodies: Sequence[str] | None = None,
    path: str | PathLike[str] | None = None,
    settings: Mapping[str, Any] | None = None,
    progress: bool | None = None,
) -> Recording:
    """Simulate a machine and record it.

    Args:
        mechanism: The machine; or a :class:`Setup`, which has control, forces, actuation and
            surroundings itself.
        q0: Initial positions, shape (nq,). All joints at zero when not given; where
            that leaves loops open, a posture near it that closes them.
        v0: Initial velocities, shape (nv,); at rest when not given.
        duration: Length of the run [s]; or steps.
        steps: How many steps it takes; or a duration.
        step: Control period, and step of fixed-step integrators [s].
        control: A Python function ``control(t, q, v) -> tau``, called once a step and held; a
            :class:`Law` or ``casadi.Function``, compiled in and evaluated within steps; a
            :class:`Profile` of torques, held over each step or followed on a line through it; a
            :class:`SampledControl`, which has a memory; nothing for no torque. With an actuation,
            commands take the place of torques.
        integrator: The method; ``RungeKutta4()`` by default, ``Rosenbrock2()`` with a subsystem
            that is stiff.
        forces: Forces of the joints on themselves and of the machine's fluid; damping and drag by
            default.
        wrenches: Frame to external wrench (force, moment) in the frame's axes: six numbers, a
            Profile, or a function of time, both looked up once a step and held.
        inputs: Values of the inputs of a law or of the surroundings, by name: numbers, a Profile, a
            function of time, or a :class:`FeedbackInput` of the state, looked up once a step
            and held.
        parameters: Numbers of the machine that are this run's own: name to values.
        events: Changes of the machine on the way: :func:`pick_up`, :func:`drop`, :func:`cut`.
        actuation: What turns commands into joint forces, such as hydraulics.
        surroundings: What the machine meets, such as ground.
        states: Where states of control, actuation and surroundings begin, by name.
        every: Record every so many steps.
        rates: Also record accelerations ``a`` and the rates of subsystems' states, such as
            ``pressure_rate``, as the equations have them at the recorded moment.
        joints: Record q, v and tau of these joints alone; none of them when empty.
        bodies: Also record where these bodies (or frames) are: ``position`` [m], ``orientation`` (a
            quaternion), and ``velocity`` of their origin [m/s], in root axes.
        path: An ``.mcap`` file to write while running.
        progress: Show a bar when the run takes over two seconds; by default on a terminal.
        settings: Further facts to keep with the recording.

    Returns:
        At the start, after each ``every`` steps and at the end: time, q, v, tau, energy [J], work
        of the drives [J], loss in the joints [J]; lines of the energy balance (see
        :meth:`Recording.energy_balance`); commands of an actuation, and the states of all
        subsystems; rates if asked for. Where a joint is cut on the way, in the coordinates of the
        machine at the end.

    Raises:
        SimulationError: When the state leaves finite numbers, or an adaptive method gives up; it
            carries the recording so far. A :class:`SingularPosture` when loops come to a posture
            from which the motion is not determined.
        InvalidInput: When shapes, times or options do not fit.
        UnknownName: When a frame or an input does not exist.

    Warns:
        StepWarning: When the energy balance shows that the step is too long for the machine.
    """
    setup = setup_of(
        mechanism,
        control=control,
        forces=forces,
        actuation=actuation,
        surroundings=surroundings,
        wrenches=wrenches or (),
        parameters=parameters or (),
    )
    run = Run(
        setup,
        steps=count_of_steps(duration, steps, step),
        step=step,
        integrator=integrator,
        events=events,
        every=every,
        rates=rates,
        wrenches=wrenches,
        inputs=inputs,
        parameters=parameters,
    )
    if duration is None:
        duration = run.steps * step
    x = run.initial(q0, v0, states)
    facts = run.facts() | {"duration": duration, **(settings or {})}
    channels = run_channels(run.machine_at_end, run.layout, run.rates)
    selection = None
    if joints is not None or bodies is not None:
        places = run.segments[-1].advance.places
        selection = Selection(run.machine_at_end, channels, joints, bodies, places)
    kept = selection.channels if selection else channels
    check_recording_size(kept, run.steps / run.every)
    with Recorder(kept, facts, path) as recorder:
        bar = ProgressBar(run.mechanism.name, duration, progress)
        pieces = run.chunks_of(x, Selecting(recorder, selection) if selection else recorder)
        started, t = time.perf_counter(), 0.0
        try:
            with bar:
                for t, _ in pieces:
                    bar.reach(t)
        finally:
            elapsed = time.perf_counter() - started
            recorder.note(wall_time=elapsed, real_time_factor=t / elapsed if elapsed else 0.0)
            if run.event_energies:
                recorder.note(**{OF_EVENTS: run.event_energies})
    recording = recorder.recording()
    warn_of_step(recording, run, stacklevel=4)
    return recording
