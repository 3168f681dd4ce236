"""Setup: a machine with everything that acts on it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, final

import casadi as ca
import numpy as np

from phalanx.actuators.subsystem import Actuation, SampledControl, Surroundings
from phalanx.base.arguments import check_fields
from phalanx.base.errors import InvalidInput
from phalanx.base.short_repr import short
from phalanx.mechanism import Mechanism
from phalanx.simulation.integrators.integrators import FixedStep, Integrator
from phalanx.simulation.run.joint_release import keeps_other_coordinates
from phalanx.simulation.setup.content_hash import NoContent, content
from phalanx.simulation.setup.forces.effort_limits import EffortLimits
from phalanx.simulation.setup.forces.fluid import ModelFluid
from phalanx.simulation.setup.forces.joint_forces import NOMINAL_STEP, Damping, Friction, JointForce
from phalanx.simulation.setup.forces.stops import Stops
from phalanx.simulation.setup.laws import Law
from phalanx.simulation.setup.profile import Profile

FORCES: dict[str, JointForce] = {
    "damping": Damping(),
    "friction": Friction(),
    "stops": Stops(),
    "effort-limits": EffortLimits(),
    "fluid": ModelFluid(),
}
"""Forces that a machine's file states, by the name that each has on the command line."""
DEFAULT_FORCES: tuple[JointForce, ...] = tuple(FORCES.values())
"""What acts in every run, unless ``forces=`` says otherwise."""


@final
@dataclass(frozen=True, eq=False)
class Setup:
    """A machine and what acts on it, to be run: by ``simulate``, ``rollout``, ``LiveRun``.

    It says what is compiled; values (initial states, wrenches, parameters, inputs of laws) are
    given to a run. Setups with equal content are equal, and what was compiled for one serves the
    other.

    >>> setup = px.Setup(px.library.puma560(), control=law)
    >>> px.simulate(setup, q0, duration=2.0)
    >>> px.rollout(setup, starts, np.zeros(6), steps=100)

    Attributes:
        mechanism: The machine.
        forces: Forces of the joints on themselves; by default all that the machine states: damping,
            dry friction, stops at limits, effort limits, drag of its fluid. ``()`` for none.
        control: A Python function ``control(t, q, v) -> tau`` (single runs only), a :class:`Law`
            or ``casadi.Function``, a :class:`Profile`, a :class:`SampledControl`; nothing for no
            torque, or for torques that are given to a rollout.
        actuation: What turns commands into joint forces, such as hydraulics.
        surroundings: What the machine meets, such as ground.
        wrenches: Frames on which external wrenches act.
        parameters: Numbers that are given to each run: of the machine (``link_3.mass``), of its
            forces (``elbow.damping``) and of its law (``control.stiffness``).
        nominal: The machine as control laws know it, with the same coordinates; ``mechanism`` when
            not given.
    """

    mechanism: Mechanism
    forces: Sequence[JointForce] = DEFAULT_FORCES
    control: Any = None
    actuation: Actuation | None = None
    surroundings: Surroundings | None = None
    wrenches: Sequence[str] = ()
    parameters: Sequence[str] = ()
    nominal: Mechanism | None = None

    def __post_init__(self) -> None:
        """Check the types, and keep lists as they are now."""
        check_fields(self)
        for name in ("forces", "wrenches", "parameters"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        known = isinstance(self.control, Law | ca.Function | Profile | SampledControl)
        if self.control is not None and not known and not callable(self.control):
            raise InvalidInput(
                f"control is a {type(self.control).__name__}; expected a function (t, q, v) -> "
                "tau, a Law, a casadi.Function or a Profile."
            )
        if self.nominal is not None and not keeps_other_coordinates(self.nominal, self.mechanism):
            raise InvalidInput(
                f"the nominal machine '{self.nominal.name}' has {self.nominal.nq} positions and "
                f"{self.nominal.nv} velocities; expected those of '{self.mechanism.name}': "
                f"{self.mechanism.nq} and {self.mechanism.nv}."
            )

    def __repr__(self) -> str:
        acting = {
            "forces": self.forces,
            "control": self.control,
            "actuation": self.actuation,
            "surroundings": self.surroundings,
            "wrenches": self.wrenches,
            "parameters": self.parameters,
            "nominal": self.nominal,
        }
        said = [f"{name} {short(value)}" for name, value in acting.items() if value]
        return f"<Setup of '{self.mechanism.name}': {', '.join(said) or 'nothing acts on it'}>"

    def __eq__(self, other: object) -> bool:
        """Whether both describe the same run; one that cannot be looked into is itself alone."""
        if self is other or not isinstance(other, Setup):
            return self is other
        try:
            return content(self) == content(other)
        except NoContent:
            return False

    def __hash__(self) -> int:
        try:
            return hash(content(self))
        except NoContent:
            return id(self)


def fitted(setup: Setup, integrator: Integrator, step: float) -> Setup:
    """The setup with the numbers that its forces have for a step [s] of a method."""
    h = step if isinstance(integrator, FixedStep) else NOMINAL_STEP
    machine = _with_friction(setup.mechanism, setup.parameters)
    return replace(setup, forces=tuple(force.fitted(machine, h) for force in setup.forces))


def _with_friction(mechanism: Mechanism, parameters: Sequence[str]) -> Mechanism:
    """The machine with some dry friction where that is a per-run parameter."""
    names = {name.removesuffix(".friction") for name in parameters if name.endswith(".friction")}
    joints = tuple(
        replace(j, friction=1.0) if j.name in names and not np.any(j.friction) else j
        for j in mechanism.joints
    )
    return replace(mechanism, joints=joints) if names else mechanism


def setup_of(
    mechanism: Mechanism | Setup,
    *,
    control: Any = None,
    forces: Sequence[JointForce] = DEFAULT_FORCES,
    actuation: Actuation | None = None,
    surroundings: Surroundings | None = None,
    wrenches: Iterable[str] = (),
    parameters: Iterable[str] = (),
) -> Setup:
    """The setup that a call means: the one it gives, or one of its mechanism and keywords.

    Args:
        mechanism: What the call is about.
        control: As for :class:`Setup`, and so the next three.
        forces: Of the joints on themselves.
        actuation: What turns commands into joint forces.
        surroundings: What the machine meets.
        wrenches: Frames for which it has wrenches.
        parameters: Numbers of the machine for which it has values.

    Raises:
        InvalidInput: When a setup is given and something that it says is too.
    """
    if not isinstance(mechanism, Setup):
        return Setup(
            mechanism,
            forces=forces,
            control=control,
            actuation=actuation,
            surroundings=surroundings,
            wrenches=tuple(wrenches),
            parameters=tuple(parameters),
        )
    said = {
        "control": control is not None,
        "forces": forces is not DEFAULT_FORCES,
        "actuation": actuation is not None,
        "surroundings": surroundings is not None,
    }
    for name in (name for name, is_said in said.items() if is_said):
        raise InvalidInput(
            f"{name}= comes beside a Setup, which says that itself. Leave it out, or give "
            f"dataclasses.replace(setup, {name}=...)."
        )
    _check_listed("wrenches", "frame", wrenches, mechanism.wrenches)
    _check_listed("parameters", "number of the machine", parameters, mechanism.parameters)
    return mechanism


def _check_listed(keyword: str, what: str, given: Iterable[str], wanted: Sequence[str]) -> None:
    for name in given:
        if name not in wanted:
            have = ", ".join(wanted) if wanted else "none"
            raise InvalidInput(
                f"{keyword}= has {what} '{name}', which the Setup does not have; its {keyword} "
                f"are: {have}. Give dataclasses.replace(setup, {keyword}=(..., '{name}'))."
            )
