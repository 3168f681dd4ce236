"""Options of runs: control law, integrator, joint forces, initial state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from phalanx.base.errors import InvalidInput, UnknownName
from phalanx.cli.choices import OneOf
from phalanx.cli.metavariables import LIST

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from phalanx.mechanism import Mechanism
    from phalanx.simulation.setup.forces.joint_forces import JointForce
    from phalanx.simulation.setup.laws import Law

Control = Annotated[
    str | None,
    OneOf("phalanx.simulation.scenario.control:LAWS", beside=("none",)),
    typer.Option(
        help="Control law. pd: tau = stiffness (target - q) - damping v. computed-torque: that "
        "acceleration, through inverse dynamics. Default: none.",
        show_default=False,
    ),
]
Target = Annotated[
    str | None,
    typer.Option(
        help="Target positions [rad or m], one for each coordinate or one for all. Default: 0.",
        show_default=False,
        metavar=LIST,
    ),
]
Stiffness = Annotated[
    str | None,
    typer.Option(
        help="Position gains [N·m/rad]; [1/s²] for computed-torque. Default: 100.",
        show_default=False,
        metavar=LIST,
    ),
]
Damping = Annotated[
    str | None,
    typer.Option(
        help="Velocity gains [N·m·s/rad]; [1/s] for computed-torque. Default: 20.",
        show_default=False,
        metavar=LIST,
    ),
]
OWN_STEPS = dict.fromkeys(("dormand-prince", "cvodes"), "adaptive step")
IMPLICIT = {"euler": "semi-implicit", "rosenbrock": "linearly implicit"}
Integrator = Annotated[
    str | None,
    OneOf("phalanx.simulation.integrators.integrators:INTEGRATORS", words=IMPLICIT | OWN_STEPS),
    typer.Option(
        help="Integrator: {names}. Default: rk4; rosenbrock if subsystems are stiff.",
        show_default=False,
    ),
]
FixedIntegrator = Annotated[
    str,
    OneOf("phalanx.simulation.integrators.integrators:FIXED_STEP", words=IMPLICIT),
    typer.Option(help="Integrator: {names}."),
]


@dataclass(frozen=True)
class ControlOptions:
    """A control law given by options."""

    panel: ClassVar = "Control"

    control: Control = None
    target: Target = None
    stiffness: Stiffness = None
    damping: Damping = None

    def law(self, mechanism: Mechanism) -> Law | None:
        """Return the control law of the options, None without one.

        Raises:
            InvalidInput: When options are given that belong to no law, or are no numbers.
        """
        if self.control is None or self.control == "none":
            for name in ("target", "stiffness", "damping"):
                if getattr(self, name) is not None:
                    raise InvalidInput(f"--{name} needs --control pd or --control computed-torque.")
            return None
        import numpy as np

        from phalanx.simulation.scenario.control import LAWS

        goal = one_each("target", self.target, mechanism.nq)
        return LAWS[self.control](
            np.zeros(mechanism.nq) if goal is None else goal,
            stiffness=one_each("stiffness", self.stiffness or "100", mechanism.nv),
            damping=one_each("damping", self.damping or "20", mechanism.nv),
        )


@dataclass(frozen=True)
class ForceOptions:
    """The passive forces of a model that act in its joints."""

    forces: Annotated[
        str | None,
        typer.Option(
            help="Forces in joints, separated by commas: damping, friction, stops, effort-limits, "
            "fluid; or none. Default: all, or those of the scenario.",
            metavar="LIST|none",
            show_default=False,
        ),
    ] = None

    def chosen(self, otherwise: Sequence[JointForce]) -> Sequence[JointForce]:
        """Return the forces of the option, or ``otherwise`` without it.

        Raises:
            UnknownName: When there is no such force.
        """
        from phalanx.simulation.setup.setup import FORCES

        if self.forces is None:
            return otherwise
        names = [name.strip() for name in self.forces.split(",") if name.strip()]
        for name in names:
            if name not in FORCES and names != ["none"]:
                raise UnknownName("--forces", "force", name, [*FORCES, "none"])
        return tuple(force for name, force in FORCES.items() if name in names)


@dataclass(frozen=True)
class StartOptions:
    """Initial state of runs."""

    q0: Annotated[
        str | None,
        typer.Option(
            help="Initial positions [rad or m], one for each coordinate or one for all.",
            show_default=False,
            metavar=LIST,
        ),
    ] = None
    v0: Annotated[
        str | None,
        typer.Option(
            help="Initial velocities [rad/s or m/s], likewise. Default: 0.",
            show_default=False,
            metavar=LIST,
        ),
    ] = None

    def of(self, mechanism: Mechanism) -> tuple[NDArray[Any] | None, NDArray[Any] | None]:
        """Return initial positions and velocities, None where not given.

        Raises:
            InvalidInput: When they are no numbers, or another number of them.
        """
        return one_each("q0", self.q0, mechanism.nq), one_each("v0", self.v0, mechanism.nv)


def chosen_integrator(name: str | None) -> Any:
    """Return the integrator of a name, None for None."""
    from phalanx.simulation.integrators.integrators import INTEGRATORS

    return None if name is None else INTEGRATORS[name]()


def one_each(name: str, text: str | None, size: int) -> NDArray[Any] | None:
    """Return the ``size`` numbers of an option; a single number stands for all.

    Raises:
        InvalidInput: When they are no numbers, or another number of them.
    """
    from phalanx.cli.states import numbers

    if text is None:
        return None
    alone = "," not in text and "[" not in text
    return numbers(name, ",".join([text] * size) if alone else text, size)
