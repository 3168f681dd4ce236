"""Errors of runs that could not go on, with the cause."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from phalanx.base.errors import PhalanxError
from phalanx.mechanism import Mechanism
from phalanx.simulation.record.recording import Recording
from phalanx.simulation.record.rows import TakesRows
from phalanx.simulation.run.adaptive import IntegrationFailed
from phalanx.simulation.run.singularity_handling import NEVER, singularity_state_size, why_stopped

Array = NDArray[np.float64]


class SimulationError(PhalanxError):
    """A run that could not go on; ``recording`` holds what was recorded until then."""

    def __init__(self, message: str, recording: Recording) -> None:
        super().__init__(message)
        self.recording = recording


class SingularPosture(SimulationError):
    """A run that came to a posture from which its motion is not determined.

    Attributes:
        time: When [s].
        q: The last posture before it, shape (nq,).
    """

    def __init__(self, mechanism: Mechanism, q: Array, time: float, recording: Recording) -> None:
        """Say when and where, and which loop."""
        super().__init__(why_stopped(mechanism, q, time), recording)
        self.time, self.q = time, q


def gave_up(
    mechanism: Mechanism, failure: IntegrationFailed, recorder: TakesRows | None
) -> SimulationError:
    """Build the error for an adaptive method that failed."""
    if not failure.is_singular:
        return SimulationError(f"{failure}.", _recorded(recorder))
    x = failure.x
    return SingularPosture(mechanism, x[: mechanism.nq], float(x[-1]), _recorded(recorder))


def stopped(
    mechanism: Mechanism,
    reached: Array,
    x: Array,
    times: tuple[float, float],
    step: float,
    recorder: TakesRows | None,
    tau: Array | None = None,
) -> SimulationError:
    """Build the error for a run that became non-finite.

    Args:
        mechanism: The machine.
        reached: That state.
        x: The state that has none.
        times: Of both [s].
        step: Of the method [s].
        recorder: What has been recorded.
        tau: Joint forces at the last state, where they are known.
    """
    before, after = times
    if singularity_state_size(mechanism) and x[-2] < NEVER:
        return SingularPosture(mechanism, reached[: mechanism.nq], after, _recorded(recorder))
    return SimulationError(
        f"the state of '{mechanism.name}' left finite numbers between "
        f"t = {before:.6g} s and {after:.6g} s. {_suspect(mechanism, reached, tau)} Shorten the "
        f"step ({step:g} s), check gains and initial state.",
        _recorded(recorder),
    )


def _suspect(mechanism: Mechanism, reached: Array, tau: Array | None) -> str:
    """Where to look: a joint force that is no number, or the joint that moved fastest."""
    freedoms = [joint.name for joint in mechanism.moving_joints for _ in range(joint.motion.nv)]
    if tau is not None and not np.isfinite(tau).all():
        first = int(np.argmin(np.isfinite(tau)))
        return f"The force on joint '{freedoms[first]}' was {tau[first]:g}."
    v = reached[mechanism.nq : mechanism.nq + mechanism.nv]
    if not np.isfinite(v).all():
        return "The initial state was not finite."
    fastest = int(np.argmax(np.abs(v)))
    return f"Joint '{freedoms[fastest]}' moved fastest before, at {v[fastest]:.3g}."


def _recorded(recorder: TakesRows | None) -> Recording:
    return recorder.recording() if recorder else Recording([], [])
