"""Rollouts: thousands of runs in one call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from casadi import SX
from numpy.typing import ArrayLike

from phalanx.actuators.subsystem import Actuation, Surroundings
from phalanx.base.arguments import checked_but
from phalanx.mechanism import Mechanism
from phalanx.simulation.batch.result import RolloutResult
from phalanx.simulation.batch.rollouts import CompiledRollout
from phalanx.simulation.integrators.integrators import FixedStep
from phalanx.simulation.setup.forces.joint_forces import JointForce
from phalanx.simulation.setup.setup import DEFAULT_FORCES, Setup, setup_of


@checked_but("integrator", "step", "duration", "steps", "every", "dtype", "threads")
def rollout(
    mechanism: Mechanism | Setup,
    q0: ArrayLike,
    v0: ArrayLike,
    *,
    duration: float | None = None,
    steps: int | None = None,
    step: float = 1e-3,
    tau: ArrayLike | None = None,
    control: Any = None,
    forces: Sequence[JointForce] = DEFAULT_FORCES,
    actuation: Actuation | None = None,
    surroundings: Surroundings | None = None,
    integrator: FixedStep | None = None,
    parameters: Mapping[str, ArrayLike] | None = None,
    wrenches: Mapping[str, ArrayLike] | None = None,
    inputs: Mapping[str, ArrayLike] | None = None,
    objective: Callable[..., SX] | None = None,
    states: Mapping[str, ArrayLike] | None = None,
    record: Sequence[str] = ("q", "v"),
    every: int = 1,
    dtype: Literal["float64", "float32"] = "float64",
    threads: int | None = None,
    memory_limit: float = 8e9,
    on_divergence: Literal["flag", "raise"] = "flag",
    progress: bool | Callable[[float], None] | None = None,
) -> RolloutResult:
    """Many runs at once, each of many steps, in one compiled loop.

    Args:
        mechanism: The machine; or a :class:`Setup`, which has control, forces, actuation and
            surroundings itself.
        q0: Initial positions, shape (..., nq).
        v0: Initial velocities, shape (..., nv). Leading axes are runs and broadcast together.
        duration: Length of each run [s]; or steps.
        steps: How many steps each run takes; or a duration.
        step: Their length [s].
        tau: Joint forces held during each step, shape (..., steps, nv), or (nv,) for one for all;
            commands with an actuation.
        control: A :class:`Law` or ``casadi.Function`` (t, q, v) -> tau, compiled in, for tau.
        integrator: The method; ``RungeKutta4()`` by default, ``Rosenbrock2()`` with a subsystem
            that is stiff.
        forces: Forces of the joints on themselves.
        parameters: Numbers of the machine that differ from run to run: name to values.
        wrenches: Frame to external wrench (force, moment) in the frame's axes, shape (..., 6).
        inputs: Values of the law's own inputs, one a run.
        objective: ``rate(q, v, tau)`` over symbols, integrated along each run.
        actuation: What turns commands into joint forces, such as hydraulics.
        surroundings: What the machines meet, such as ground.
        states: Where states of subsystems begin, by name, shape (..., n).
        record: What to keep of the way: "q", "v", "tau", names of subsystems' states; () keeps
            the end only.
        every: Record after every so many steps.
        dtype: "float64" or "float32".
        threads: All cores when not given.
        memory_limit: Refuse to record more than this [byte].
        on_divergence: What to do when a run leaves finite numbers: "flag" says so in
            ``diverged``, "raise" raises.
        progress: Show percentage and time left when the runs take over two seconds, by default on
            a terminal; or a function that is called with their progress, from 0 to 1.

    Returns:
        The records, of states after each ``every`` steps and not of the start, which is given; the
        final states; and which runs ended early.

    Raises:
        InvalidInput: When shapes do not fit, or memory would not; when a quaternion of q0 is not
            of length one.
        InvalidModel: When the mass matrix is singular in every posture.
        RolloutDiverged: When a run leaves finite numbers and ``on_divergence`` is "raise"; it
            carries the rollout.
        UnknownName: When a parameter, frame or input does not exist.
    """
    values = dict(inputs or {}) | dict(parameters or {})
    values |= {f"wrench_{frame}": wrench for frame, wrench in (wrenches or {}).items()}
    setup = setup_of(
        mechanism,
        control=control,
        forces=forces,
        actuation=actuation,
        surroundings=surroundings,
        wrenches=wrenches or (),
        parameters=parameters or (),
    )
    loop = CompiledRollout(
        setup,
        step=step,
        integrator=integrator,
        objective=objective,
        record=record,
        dtype=dtype,
        threads=threads,
    )
    return loop(
        q0,
        v0,
        duration=duration,
        steps=steps,
        tau=tau,
        states=states,
        every=every,
        memory_limit=memory_limit,
        on_divergence=on_divergence,
        progress=progress,
        inputs=values,
    )
