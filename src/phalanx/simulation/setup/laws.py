"""Control laws: joint forces as functions of time and state.

A law is written over symbols and becomes part of the compiled step; a plain Python function
``control(t, q, v) -> tau`` is called between steps instead. Laws may take inputs of their own
(targets), one value a run, and have gains, which a run may replace.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, final

import casadi as ca
import numpy as np
from casadi import DM, SX
from numpy.typing import ArrayLike, NDArray

from phalanx.base.arguments import check_fields, checked
from phalanx.base.errors import InvalidInput
from phalanx.base.pickling import reduced, remembered
from phalanx.base.short_repr import short_repr
from phalanx.equations import inverse_dynamics
from phalanx.equations.loops.assembly.free_joints import motor_velocities
from phalanx.equations.loops.methods.motor_forces import motor_forces
from phalanx.equations.tree.model import Model
from phalanx.mechanism import Planar

LawFunction = Callable[..., SX]


@short_repr
@final
@dataclass(frozen=True)
class Law:
    """A control law over symbols.

    Attributes:
        function: ``function(model, t, q, v, **inputs, **gains) -> tau`` over CasADi symbols. The
            model is nominal: of the mechanism as the setup has it, whatever a run and its events
            make of the plant.
        inputs: Sizes of further inputs by name, ``"q"`` or ``"v"`` for as many as the machine has
            of those; their values are given to ``simulate`` or ``rollout`` as
            ``inputs={name: values}``.
        gains: Numbers of the law by name. With ``control.<name>`` among the parameters of a setup
            they may differ between runs.
        true_model: Whether the function gets the model of the plant instead; see
            :func:`with_true_model`.
    """

    function: LawFunction
    inputs: Mapping[str, int | Literal["q", "v"]] = field(default_factory=dict)
    gains: Mapping[str, ArrayLike] = field(default_factory=dict)
    true_model: bool = False

    def __post_init__(self) -> None:
        check_fields(self)

    def __call__(
        self,
        model: Model,
        t: SX,
        q: SX,
        v: SX,
        inputs: Mapping[str, SX],
        symbols: Mapping[str, SX] | None = None,
    ) -> SX:
        """Joint forces, shape (nv,), or commands of an actuation; gains may be symbols by name."""
        gains = {name: DM(np.asarray(value, dtype=float)) for name, value in self.gains.items()}
        law_inputs = {name: inputs[name] for name in self.inputs}
        return SX(self.function(model, t, q, v, **law_inputs, **gains | dict(symbols or {})))

    def __reduce__(self) -> tuple[Any, ...]:
        """How it was made, where one of ours made it."""
        return reduced(self, self.function, self.inputs, self.gains, self.true_model)


@remembered
@checked
def proportional_derivative(
    target: ArrayLike | None = None, *, stiffness: ArrayLike, damping: ArrayLike
) -> Law:
    """PD control: tau = stiffness (target - q) - damping v.

    In a machine with loops only joints that can exert a force do; numbers of others are ignored.

    Args:
        target: Positions to hold [rad or m]; an input named ``target`` when not given.
        stiffness: [N·m/rad or N/m], one number or one a joint.
        damping: [N·m·s/rad or N·s/m], one number or one a joint.
    """
    gains, goal = _spring_gains(stiffness, damping), _positions(target)

    def law(model: Model, t: SX, q: SX, v: SX, target: SX | DM | None = goal, **gains: SX) -> SX:
        return _spring_and_damper(model, gains, target, q, v)

    return Law(law, {"target": "q"} if target is None else {}, gains)


@remembered
@checked
def computed_torque(
    target: ArrayLike | None = None,
    *,
    stiffness: ArrayLike,
    damping: ArrayLike,
) -> Law:
    """Computed torque: inverse dynamics of the acceleration that PD control asks for.

    The closed loop is that of unit masses: a = stiffness (target - q) - damping v, with gains in
    1/s² and 1/s. In a machine with loops that holds for its motors, which carry all the rest.

    Args:
        target: Positions to go to; an input named ``target`` when not given.
        stiffness: [1/s²], one number or one a joint.
        damping: [1/s], one number or one a joint.
    """
    gains, goal = _spring_gains(stiffness, damping), _positions(target)

    def law(model: Model, t: SX, q: SX, v: SX, target: SX | DM | None = goal, **gains: SX) -> SX:
        wanted = _spring_and_damper(model, gains, target, q, v)
        if model.mechanism.loops:
            motors = [joint.name for joint in model.mechanism.actuated_joints]
            rates = motor_velocities(model.mechanism, motors)
            return motor_forces(model, q, v, wanted[rates], motors=motors)
        return inverse_dynamics.recursive(model, q, v, wanted)

    return Law(law, {"target": "q"} if target is None else {}, gains)


def as_law(control: Any) -> Law | None:
    """A Law from a Law or a ``casadi.Function`` (t, q, v) -> tau; None for anything else."""
    if isinstance(control, Law):
        return control
    if isinstance(control, ca.Function):
        if control.n_in() != 3 or control.n_out() != 1:
            raise InvalidInput(
                f"the control function '{control.name()}' must take (t, q, v) and return tau."
            )
        return Law(lambda model, t, q, v: _called(control, t, q, v))
    return None


def _called(control: ca.Function, t: SX, q: SX, v: SX) -> SX:
    sizes = [control.numel_in(k) for k in range(3)]
    if sizes != [1, q.numel(), v.numel()]:
        raise InvalidInput(
            f"the control function '{control.name()}' takes (t, q, v) of sizes {sizes}; expected "
            f"[1, {q.numel()}, {v.numel()}]."
        )
    return SX(control(t, q, v))


def _positions(target: ArrayLike | None) -> DM | None:
    """A target as it is now: what is done to the caller's array later does not change the law."""
    if target is None:
        return None
    positions = np.asarray(target, dtype=float)
    if positions.ndim > 2:  # what CasADi does not hold
        raise InvalidInput(f"the target has shape {positions.shape}; expected a list of numbers.")
    return DM(positions)


def _spring_gains(stiffness: ArrayLike, damping: ArrayLike) -> dict[str, ArrayLike]:
    return {"stiffness": control_gains(stiffness), "damping": control_gains(damping)}


def _spring_and_damper(
    model: Model, gains: Mapping[str, SX | DM], goal: SX | DM | None, q: SX, v: SX
) -> SX:
    """The force ``kp (target - q) - kd v``, where positions are vectors and all sizes fit."""
    m, kp, kd = model.mechanism, gains["stiffness"], gains["damping"]
    assert goal is not None  # an input where the law has none
    driven = m.actuated_joints if m.loops else m.moving_joints
    for joint in driven:
        if joint.motion.nq != joint.motion.nv or isinstance(joint.motion, Planar):
            raise InvalidInput(
                f"joint '{joint.name}' is {joint.motion.kind}; this control needs joints whose "
                "positions are vectors."
            )
    for what, values in (("stiffness", kp), ("damping", kd), ("target", goal)):
        if values.numel() not in ((m.nq,) if what == "target" else (1, m.nv)):
            raise InvalidInput(
                f"{what} has {values.numel()} numbers; '{m.name}' has {m.nq} "
                f"{'positions' if m.nq != m.nv else 'joints'}."
            )
    if not m.loops:
        return kp * (goal - q) - kd * v
    force = SX.zeros(m.nv, 1)
    kp, kd = (numbers * DM.ones(m.nv) for numbers in (kp, kd))
    for joint in driven:
        where, rate = m.q_slices[joint.name], m.v_slices[joint.name]
        force[rate] = kp[rate] * (goal[where] - q[where]) - kd[rate] * v[rate]
    return force


def control_gains(values: ArrayLike) -> NDArray[np.float64]:
    """Gains that are finite and not negative."""
    gains = np.asarray(values, dtype=float)
    if not np.isfinite(gains).all() or (gains < 0).any():
        raise InvalidInput(f"control gains must be finite and not negative, got {values!r}.")
    return gains.copy()
