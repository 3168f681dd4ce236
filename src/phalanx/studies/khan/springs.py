"""Springs in loops: loaded start states, and stable steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from phalanx.base.errors import InvalidInput
from phalanx.equations import expression, loops
from phalanx.equations.loops.assembly.independent import independent_rows
from phalanx.equations.loops.numbers.bases import pseudo_inverse
from phalanx.kernel import compile
from phalanx.mechanism import Mechanism
from phalanx.simulation.formulations import Accelerations, Steps, run
from phalanx.simulation.formulations.projected import terms_of
from phalanx.studies.khan.bench import in_base_axes, replay
from phalanx.studies.khan.prescribed import PrescribedMotion

Array = NDArray[np.float64]

STIFFNESSES = (1e3, 1e4, 1e5, 1e6)  # [N/m]
STEPS = (0.01, 0.001)  # [s]
_NEWTON_STEPS = 20


def loaded_start(
    mechanism: Mechanism, q: Array, v: Array, tau: Array, stiffness: float
) -> tuple[Array, Array]:
    """The state near a closed one whose springs bear the load that the loops bear there.

    Springs that start without load let the machine drop until they bear it, which shows as a
    transient that the machine itself does not have. Openings c = lambda / k take it away.

    Args:
        mechanism: The machine.
        q: Positions that close the loops, shape (nq,).
        v: Velocities that keep them closed, shape (nv,).
        tau: Joint forces that act there, shape (nv,).
        stiffness: Of the springs [N/m or N·m/rad].

    Returns:
        Positions with loops open by lambda / k, and velocities that keep them so.

    Raises:
        InvalidInput: The springs are too soft for their load.
    """
    rows = list(independent_rows(mechanism))
    _, force = compile(expression(loops.constrained, mechanism))(q, v, tau)
    terms = terms_of(mechanism)
    wanted = force[rows] / stiffness
    x = np.array(q, dtype=np.float64)
    for _ in range(_NEWTON_STEPS):
        _, c, A = terms.place(x)
        x = x + terms.motion(x, pseudo_inverse(A) @ (wanted - c))[2]
    _, c, A = terms.place(x)
    if not np.abs(c - wanted).max(initial=0.0) < 1e-9:
        raise InvalidInput(
            f"springs of {stiffness:g} N/m would give way by {np.abs(wanted).max():.3g} m under "
            "their load, more than the machine can move. Take stiffer ones."
        )
    closed = pseudo_inverse(A)
    return x, v - closed @ (A @ v)


@dataclass(frozen=True)
class SpringSurvival:
    """Which springs a fixed step survives.

    Attributes:
        steps: Lengths of steps [s], one a row.
        stiffnesses: [N/m], one a column.
        survives: Whether the run reached its end.
    """

    steps: tuple[float, ...]
    stiffnesses: tuple[float, ...]
    survives: NDArray[np.bool_]


def survival(
    motion: PrescribedMotion,
    method: Callable[[float], Steps],
    steps: Sequence[float] = STEPS,
    stiffnesses: Sequence[float] = STIFFNESSES,
) -> SpringSurvival:
    """Replay a motion with springs of every stiffness, in steps of every length.

    Reference:
        Khan (2002), sec. 4.1.
    """
    machine = in_base_axes(motion.mechanism)
    found = np.zeros((len(steps), len(stiffnesses)), dtype=bool)
    for column, k in enumerate(stiffnesses):
        formulation = Accelerations(machine, loops.penalty, stiffness=k)
        for row, step in enumerate(steps):
            history = run(
                formulation,
                motion.q[0],
                motion.v[0],
                replay(motion),
                duration=motion.duration,
                steps=method(step),
                partial=True,
            )
            found[row, column] = not history.stopped
    return SpringSurvival(tuple(steps), tuple(stiffnesses), found)
