"""A machine with loops divided into branches, its motors and their control."""

from __future__ import annotations

from dataclasses import dataclass, field

from casadi import SX

from phalanx.base.errors import InvalidInput, InvalidModel
from phalanx.distribute.job_data import plain_data
from phalanx.distribute.programs.platforms.branches import Branch, branches
from phalanx.equations.loops.assembly.independent import independent_rows
from phalanx.equations.loops.closure.equations import rows_of_loops
from phalanx.equations.loops.methods.elimination import solve_by_loops
from phalanx.equations.model_of import model_of
from phalanx.equations.quantities.declared_forces import declared_forces
from phalanx.equations.tree.model import Model
from phalanx.mechanism import Mechanism


@plain_data
@dataclass(frozen=True)
class Feedback:
    """Torque of a motor: tau = tau_ref + stiffness (q_ref - q) + damping (v_ref - v).

    Attributes:
        stiffness: [N·m/rad or N/m].
        damping: [N·m·s/rad or N·s/m].
    """

    stiffness: float = 2500.0
    damping: float = 100.0

    def __post_init__(self) -> None:
        """Check the gains."""
        if not (0 <= self.stiffness < float("inf") and 0 <= self.damping < float("inf")):
            raise InvalidInput(
                f"gains of the feedback must not be negative, got {self.stiffness} and "
                f"{self.damping}."
            )


@dataclass(frozen=True)
class DividedMachine:
    """A machine with loops, divided into branches.

    Attributes:
        mechanism: The machine.
        feedback: Of its motors, besides the torques of a reference.
        branches: What it is divided into.
        motors: Numbers of the velocities of driven joints, as many as the machine has freedoms.
        motor_positions: Numbers of their positions.
    """

    mechanism: Mechanism
    feedback: Feedback = field(default_factory=Feedback)
    model: Model = field(init=False, repr=False)
    branches: tuple[Branch, ...] = field(init=False)
    motors: tuple[int, ...] = field(init=False)
    motor_positions: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        """Divide the machine and check its motors."""
        m = self.mechanism
        parts = branches(m)
        driven = m.actuated_joints
        motors = tuple(k for joint in driven for k in _range(m.v_slices[joint.name]))
        positions = tuple(k for joint in driven for k in _range(m.q_slices[joint.name]))
        freedoms = m.nv - len(independent_rows(m))
        if len(motors) != freedoms or len(positions) != len(motors):
            raise InvalidModel(
                f"mechanism '{m.name}' has {freedoms} freedoms with its loops closed and "
                f"{len(motors)} driven ones; a co-simulation follows a motion of the driven "
                "joints, which have to be as many (set effort limits to 0 for joints without a "
                "motor)."
            )
        object.__setattr__(self, "model", model_of(m))
        object.__setattr__(self, "branches", parts)
        object.__setattr__(self, "motors", motors)
        object.__setattr__(self, "motor_positions", positions)

    @property
    def samples(self) -> int:
        """How many numbers a sample of control has: torque, position and rate of each motor."""
        return 3 * len(self.motors)

    def torque(self, q: SX, v: SX, u: SX) -> SX:
        """Return joint forces of the motors at a state, for a sample of control, shape (nv,)."""
        n = len(self.motors)
        positions, rates = q[list(self.motor_positions)], v[list(self.motors)]
        tau = SX(self.model.nv, 1)
        tau[list(self.motors)] = (
            u[:n]
            + self.feedback.stiffness * (u[n : 2 * n] - positions)
            + self.feedback.damping * (u[2 * n :] - rates)
        )
        return tau

    def own_forces(self, q: SX, v: SX) -> SX:
        """Return joint forces of springs, damping, dry friction and the fluid, shape (nv,)."""
        return declared_forces(self.model, q, v)

    def across(self, A: SX, right: SX) -> SX:
        """Return the X with A X = right in which motors stand still, shape (nv, columns)."""
        loops = rows_of_loops(self.model)
        names = [loops[row] for row in self.rows]
        X = SX(self.model.nv, right.shape[1])
        X[list(self.passive), :] = solve_by_loops(A[:, list(self.passive)], right, names)
        return X

    def directions(self, A: SX) -> SX:
        """Return T: velocities of all joints, loops closed, for unit rates of the motors."""
        T = -self.across(A, A[:, list(self.motors)])
        for column, motor in enumerate(self.motors):
            T[motor, column] = 1
        return T

    @property
    def rows(self) -> tuple[int, ...]:
        """Numbers of the closure equations that count."""
        return independent_rows(self.mechanism)

    @property
    def passive(self) -> tuple[int, ...]:
        """Numbers of the velocities without motors."""
        return tuple(k for k in range(self.model.nv) if k not in self.motors)

    @property
    def motor_names(self) -> list[str]:
        """Names of the driven joints."""
        return [joint.name for joint in self.mechanism.actuated_joints]

    def motors_of(self, branch: Branch) -> list[int]:
        """Return the places among the motors of those that a branch owns."""
        return [k for k, motor in enumerate(self.motors) if motor in branch.v]


def _range(part: slice) -> range:
    return range(part.start, part.stop)
