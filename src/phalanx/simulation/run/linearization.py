"""Linearisation of a setup about an equilibrium: natural frequencies, stability, sampling period.

Near a posture at rest that stays at rest, a displacement x along the free directions S obeys

    x'' = A_q x + A_v x',    A_q = S⁺ (∂a/∂q) S,    A_v = S⁺ (∂a/∂v) S

with control, springs, damping and gravity in the accelerations a. S is the identity where there are
no loops. Natural frequencies are those without damping: -A_q has the eigenvalues ω².
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, final

import casadi as ca
import numpy as np
from casadi import SX
from numpy.typing import ArrayLike, NDArray

from phalanx.base.arguments import checked, finite_numbers, positive
from phalanx.base.cached import cached_property
from phalanx.base.errors import InvalidInput
from phalanx.base.facts import Facts, TextTable, finite
from phalanx.dynamics.evaluators.choice import SIZES, can_be_unrolled, node_count
from phalanx.equations.loops.assembly.assemble import closed_start
from phalanx.equations.loops.assembly.checks import check_closed
from phalanx.equations.loops.assembly.numeric_jacobian import numeric_jacobian
from phalanx.equations.loops.assembly.pivoting import RANK
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.positions import positions_rate
from phalanx.mechanism import Mechanism
from phalanx.mechanism.quaternions import check_quaternions
from phalanx.simulation.run.plant import Plant
from phalanx.simulation.setup.forces.drive_friction import LoadedFriction
from phalanx.simulation.setup.forces.joint_forces import Friction, JointForce
from phalanx.simulation.setup.laws import Law, as_law
from phalanx.simulation.setup.setup import DEFAULT_FORCES, Setup, setup_of

Array = NDArray[np.float64]

SAMPLES_PER_PERIOD = 20.0
"""Samples in a period of the fastest natural frequency (Fu, Gonzalez and Lee, 1987)."""
_AT_REST = 1e-6  # [rad or m] how far from its equilibrium a posture may be
_ZERO = 1e-6  # of the largest eigenvalue: what rounding makes of a zero
_HOLD = "hold"


@final
@dataclass(frozen=True, eq=False, repr=False)
class Linearization:
    """A machine near an equilibrium: x'' = A_q x + A_v x'.

    Attributes:
        q: The posture, shape (nq,).
        directions: Free directions S, shape (nv, n): v = S x'. The identity without loops.
        stiffness: A_q, accelerations by displacements [1/s²], shape (n, n).
        damping: A_v, accelerations by velocities [1/s], shape (n, n).
        hold: Constant joint forces that were added to keep it at rest [N·m or N], shape (nv,).
    """

    q: Array
    directions: Array
    stiffness: Array
    damping: Array
    hold: Array

    def __repr__(self) -> str:
        omega = self.natural_frequencies
        between = f"{omega.min():.3g} to {omega.max():.3g} rad/s" if len(omega) else "none"
        stable = "stable" if self.is_stable else "unstable"
        return f"<Linearization of {len(omega)} directions: {between}, {stable}>"

    @cached_property
    def matrix(self) -> Array:
        """State matrix A of (x, x')' = A (x, x'), shape (2n, 2n)."""
        n = len(self.stiffness)
        return np.block([[np.zeros((n, n)), np.eye(n)], [self.stiffness, self.damping]])

    @cached_property
    def eigenvalues(self) -> NDArray[np.complex128]:
        """Of the state matrix [1/s], the largest real part first, shape (2n,)."""
        values = np.linalg.eigvals(self.matrix).astype(complex)
        return values[np.lexsort((values.imag, -values.real))]

    @cached_property
    def natural_frequencies(self) -> Array:
        """Undamped natural frequencies ω [rad/s], ascending, shape (n,).

        Zero in a direction in which nothing pulls back.
        """
        squares = np.linalg.eigvals(-self.stiffness).real
        squares[squares < _ZERO**2 * np.abs(squares).max(initial=0.0)] = 0.0
        return np.sort(np.sqrt(squares))

    @property
    def growth_rate(self) -> float:
        """Largest real part of the eigenvalues [1/s]; zero where rounding explains it."""
        if not len(self.eigenvalues):
            return 0.0
        largest = float(self.eigenvalues[0].real)
        return 0.0 if abs(largest) <= _ZERO * np.abs(self.eigenvalues).max() else largest

    @property
    def is_stable(self) -> bool:
        """Whether no small motion grows."""
        return self.growth_rate <= 0

    @checked
    def sampling_period(self, samples: float = SAMPLES_PER_PERIOD) -> float:
        """Sampling period Δt = 1/(samples f) [s], with f = ω/2π the highest natural frequency.

        Args:
            samples: Samples in a period of that frequency.

        Raises:
            InvalidInput: The equilibrium is unstable, or nothing oscillates.

        Reference:
            Dhanaraj (1990), section 1.1, after Fu, Gonzalez and Lee (1987).
        """
        positive("samples", samples)
        if not self.is_stable:
            raise InvalidInput(
                f"the equilibrium is unstable: small motions grow by e in "
                f"{1 / self.growth_rate:.3g} s, and no natural frequency bounds the sampling "
                "period. Linearize with the control that stabilises it (control=...)."
            )
        fastest = self.natural_frequencies.max(initial=0.0)
        if fastest == 0:
            raise InvalidInput(
                "nothing oscillates: no natural frequency is above zero, because neither gravity "
                "nor a spring nor control pulls back. Linearize with position control "
                "(control=px.proportional_derivative(...))."
            )
        return float(2 * np.pi / (samples * fastest))

    def facts(self) -> Facts:
        """Frequencies, eigenvalues and the sampling period as text and values."""
        omega = self.natural_frequencies
        modes = TextTable(
            "Natural frequencies",
            (),
            ("mode", "rad/s", "Hz"),
            [(str(k + 1), f"{w:.6g}", f"{w / (2 * np.pi):.6g}") for k, w in enumerate(omega)],
            values={"natural_frequencies": omega.tolist()},
        )
        poles = TextTable(
            "Eigenvalues",
            (),
            ("real [1/s]", "imaginary [rad/s]"),
            [(f"{value.real:.6g}", f"{value.imag:.6g}") for value in self.eigenvalues],
            values={"eigenvalues": [[value.real, value.imag] for value in self.eigenvalues]},
        )
        values = {
            "q": self.q.tolist(),
            "hold": self.hold.tolist(),
            "stable": self.is_stable,
            "growth_rate": finite(self.growth_rate),
        }
        return Facts([modes, "", poles], values)


@checked
def linearize(
    mechanism: Mechanism | Setup,
    q: ArrayLike | None = None,
    *,
    control: Any = None,
    forces: Sequence[JointForce] = DEFAULT_FORCES,
    hold: bool = False,
) -> Linearization:
    """Linearise a machine with its control about a posture at rest.

    Dry friction is left out: at rest it has no slope, it holds.

    Args:
        mechanism: The machine; or a :class:`Setup`, which has control and forces itself.
        q: The posture, shape (nq,). All joints at zero when not given; where that leaves loops
            open, a posture near it that closes them.
        control: A :class:`Law` or ``casadi.Function`` of positions and velocities; nothing for no
            torque.
        forces: Forces of the joints on themselves; damping and drag by default.
        hold: Add the constant joint forces that keep the posture at rest: those of the machine's
            motors where it has loops.

    Raises:
        InvalidInput: The posture does not stay at rest; the control is no function of positions and
            velocities; something acts that has states of its own.

    Example:
        >>> pd = px.proportional_derivative([0.0, 0.0], stiffness=400.0, damping=40.0)
        >>> near = px.linearize(px.library.double_pendulum(), control=pd)
        >>> near.natural_frequencies, near.sampling_period()
    """
    setup = _smooth(setup_of(mechanism, control=control, forces=forces))
    m = setup.mechanism
    posture = finite_numbers("q", closed_start(m) if q is None else q, (m.nq,))
    check_quaternions(m, posture, "q")
    if m.loops:
        check_closed(m, posture, np.zeros(m.nv))
    S = _free_directions(m, posture)
    derivatives = _derivatives(setup)

    a, A_q, A_v, B = _at(derivatives, posture, np.zeros(m.nv))
    held = np.zeros(m.nv)
    if hold:
        held = _holding(m, a, B)
        a, A_q, A_v, _ = _at(derivatives, posture, held)
    _check_at_rest(m, a, A_q, hold)
    return Linearization(posture, S, S.T @ A_q @ S, S.T @ A_v @ S, held)


def _smooth(setup: Setup) -> Setup:
    """The setup without dry friction, with a law that takes further joint forces as an input."""
    m = setup.mechanism
    states = {
        "actuation": setup.actuation,
        "surroundings": setup.surroundings,
        "parameters": setup.parameters,
        "wrenches": setup.wrenches,
    }
    for name in (name for name, value in states.items() if value):
        raise InvalidInput(
            f"the setup of '{m.name}' has {name}, whose states or values a linearization does not "
            f"have. Give dataclasses.replace(setup, {name}=...) without."
        )
    if not can_be_unrolled(m, "run"):
        raise InvalidInput(
            f"'{m.name}' has {node_count(m)} elementary joints; a linearization needs equations of "
            f"the whole machine, which are written out for up to {SIZES['run'].unrolled_up_to}."
        )
    law = as_law(setup.control)
    if law is None and setup.control is not None:
        raise InvalidInput(
            f"control is a {type(setup.control).__name__}; a linearization differentiates a Law or "
            "a casadi.Function of positions and velocities."
        )
    if law is not None and law.inputs:
        raise InvalidInput(
            f"the control has the input '{next(iter(law.inputs))}'; a linearization needs its "
            "value in the law, such as px.proportional_derivative(target, ...)."
        )

    def with_hold(model: Model, t: SX, q: SX, v: SX, hold: SX, **gains: SX) -> SX:
        return hold if law is None else hold + law(model, t, q, v, {}, gains)

    total = Law(with_hold, {_HOLD: "v"}, {}, law is not None and law.true_model)
    dry = (Friction, LoadedFriction)
    forces = tuple(force for force in setup.forces if not isinstance(force, dry))
    return replace(setup, control=total, forces=forces)


def _derivatives(setup: Setup) -> ca.Function:
    """``(q, hold) -> a, ∂a/∂q, ∂a/∂v, ∂a/∂hold`` at rest, positions along displacements."""
    m = setup.mechanism
    plant = Plant(setup)
    field, _ = plant.field()
    t, q, v = SX.sym("t"), SX.sym("q", m.nq), SX.sym("v", m.nv)
    hold = SX.sym("hold", m.nv)
    a = field(t=t, q=q, v=v, s=SX(0, 1), hold=hold)["a"]
    if ca.depends_on(a, t):
        raise InvalidInput(
            "the control depends on time; a linearization takes a law of positions and velocities."
        )
    along = ca.jacobian(positions_rate(plant.model, q, v), v)
    parts = [a, ca.jacobian(a, q) @ along, ca.jacobian(a, v), ca.jacobian(a, hold)]
    at_rest = ca.substitute(parts, [v, t], [SX.zeros(m.nv, 1), SX(0)])
    return ca.Function("derivatives", [q, hold], [ca.densify(part) for part in at_rest])


def _at(derivatives: ca.Function, q: Array, hold: Array) -> list[Array]:
    a, *matrices = (np.asarray(part, dtype=float) for part in derivatives(q, hold))
    return [a[:, 0], *matrices]


def _free_directions(mechanism: Mechanism, q: Array) -> Array:
    """Orthonormal directions that loops leave free, shape (nv, n)."""
    if not mechanism.loops:
        return np.eye(mechanism.nv)
    _, values, rows = np.linalg.svd(numeric_jacobian(mechanism, q))
    rank = int((values > RANK * values.max(initial=1e-300)).sum())
    return np.asarray(rows[rank:].T)


def _holding(mechanism: Mechanism, a: Array, B: Array) -> Array:
    """Joint forces that take an acceleration away: of all joints, of motors where there are loops.

    Accelerations of a machine with loops are along its free directions, so these are enough.
    """
    pushing = mechanism.actuated_joints if mechanism.loops else mechanism.moving_joints
    columns = [k for joint in pushing for k in range(mechanism.nv)[mechanism.v_slices[joint.name]]]
    held = np.zeros(mechanism.nv)
    held[columns] = -np.linalg.lstsq(B[:, columns], a, rcond=None)[0]
    return held


def _check_at_rest(mechanism: Mechanism, a: Array, A_q: Array, hold: bool) -> None:
    if np.abs(a).max(initial=0.0) <= _AT_REST * max(1.0, float(np.linalg.norm(A_q, 2))):
        return
    k = int(np.abs(a).argmax())
    joint = next(j.name for j in mechanism.moving_joints if k in _range(mechanism, j.name))
    instead = (
        "its motors cannot hold it within their effort limits"
        if hold
        else "give a posture at rest, or hold=True for the constant joint forces that keep it there"
    )
    raise InvalidInput(
        f"'{mechanism.name}' does not stay at rest there: joint '{joint}' accelerates by "
        f"{a[k]:.3g} rad/s² or m/s²; {instead}."
    )


def _range(mechanism: Mechanism, joint: str) -> range:
    return range(mechanism.nv)[mechanism.v_slices[joint]]
