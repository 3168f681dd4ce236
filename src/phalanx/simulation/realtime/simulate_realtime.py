"""One run of one machine by the clock, in one call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

from numpy.typing import ArrayLike

from phalanx.actuators.subsystem import Actuation, Surroundings
from phalanx.base.arguments import checked
from phalanx.mechanism import Mechanism
from phalanx.simulation.integrators.integrators import Integrator
from phalanx.simulation.realtime.latest import Latest, Snapshot
from phalanx.simulation.realtime.live import LiveRun
from phalanx.simulation.realtime.pacing import Clock, Pacing, Policy
from phalanx.simulation.realtime.timing import LoopTiming
from phalanx.simulation.setup.events import Event
from phalanx.simulation.setup.forces.joint_forces import JointForce
from phalanx.simulation.setup.setup import DEFAULT_FORCES, Setup


@checked
def simulate_realtime(
    mechanism: Mechanism | Setup,
    q0: ArrayLike | None = None,
    v0: ArrayLike | None = None,
    *,
    duration: float | None = None,
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
    speed: float = 1.0,
    policy: Policy | None = None,
    clock: Clock | None = None,
    pacing: Pacing | None = None,
    latest: Latest[Snapshot] | None = None,
    record: bool = False,
    every: int = 1,
    rates: bool = False,
    path: str | PathLike[str] | None = None,
    settings: Mapping[str, Any] | None = None,
) -> LoopTiming:
    """Let a machine run in real time, in this thread; see :class:`LiveRun` for the options.

    Returns:
        How well time was kept.
    """
    live = LiveRun(
        mechanism,
        q0,
        v0,
        duration=duration,
        step=step,
        control=control,
        forces=forces,
        actuation=actuation,
        surroundings=surroundings,
        integrator=integrator,
        wrenches=wrenches,
        inputs=inputs,
        parameters=parameters,
        events=events,
        states=states,
        speed=speed,
        policy=policy,
        clock=clock,
        pacing=pacing,
        latest=latest,
        record=record,
        every=every,
        rates=rates,
        path=path,
        settings=settings,
    )
    return live.run()
