"""Control and integrator on the command line."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from phalanx.errors import InvalidInput

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from phalanx.mechanism import Mechanism
    from phalanx.simulation.laws import Law

Numbers = Annotated[
    str | None,
    typer.Option(
        help="One number a coordinate, 0.1,0.2, or one for all.",
        show_default=False,
        metavar="NUMBERS",
    ),
]


class ControlName(StrEnum):
    """Laws that need no file."""

    none = "none"
    pd = "pd"
    computed_torque = "computed-torque"


class IntegratorName(StrEnum):
    """Ways to step through time."""

    rk4 = "rk4"
    gill = "gill"
    euler = "euler"
    dormand_prince = "dormand-prince"
    cvodes = "cvodes"


class FixedIntegratorName(StrEnum):
    """Those that take steps of one length."""

    rk4 = "rk4"
    gill = "gill"
    euler = "euler"


Control = Annotated[
    ControlName | None,
    typer.Option(
        help="pd: tau = stiffness (target - q) - damping v. computed-torque: the same as an "
        "acceleration, through inverse dynamics.",
        show_default=False,
    ),
]
Target = Annotated[
    str | None,
    typer.Option(
        help="Positions to go to, one a coordinate or one for all; 0.",
        show_default=False,
        metavar="NUMBERS",
    ),
]
Stiffness = Annotated[
    str | None,
    typer.Option(
        help="Gains [N·m/rad]; [1/s²] for computed-torque; 100.",
        show_default=False,
        metavar="NUMBERS",
    ),
]
Damping = Annotated[
    str | None,
    typer.Option(
        help="Gains [N·m·s/rad]; [1/s] for computed-torque; 20.",
        show_default=False,
        metavar="NUMBERS",
    ),
]
Integrator = Annotated[
    IntegratorName | None,
    typer.Option(
        help="rk4; gill; euler (semi-implicit); dormand-prince, cvodes (own step length).",
        show_default=False,
    ),
]
FixedIntegrator = Annotated[
    FixedIntegratorName, typer.Option(help="rk4, gill or euler (semi-implicit).")
]


def chosen_law(
    mechanism: Mechanism,
    control: ControlName | None,
    target: str | None,
    stiffness: str | None,
    damping: str | None,
) -> Law | None:
    """The law that the options ask for; None for none.

    Raises:
        InvalidInput: When options are given that belong to no law, or are no numbers.
    """
    given = {"target": target, "stiffness": stiffness, "damping": damping}
    if control is None or control is ControlName.none:
        for name, text in given.items():
            if text is not None:
                raise InvalidInput(f"--{name} needs --control pd or --control computed-torque.")
        return None
    import numpy as np

    from phalanx.simulation.laws import computed_torque, proportional_derivative

    goal = one_each("target", target, mechanism.nq)
    kp = one_each("stiffness", stiffness or "100", mechanism.nv)
    kd = one_each("damping", damping or "20", mechanism.nv)
    assert kp is not None and kd is not None
    law = proportional_derivative if control is ControlName.pd else computed_torque
    return law(np.zeros(mechanism.nq) if goal is None else goal, stiffness=kp, damping=kd)


def chosen_integrator(name: IntegratorName | FixedIntegratorName | None) -> Any:
    """The method of that name; None when none is given."""
    from phalanx.simulation.scenario.reader import INTEGRATORS

    return None if name is None else INTEGRATORS[name.value]()


def one_each(name: str, text: str | None, size: int) -> NDArray[Any] | None:
    """``size`` numbers from an option; a single one stands for all.

    Raises:
        InvalidInput: When they are no numbers, or another number of them.
    """
    from phalanx.cli.states import numbers

    if text is None:
        return None
    alone = "," not in text and "[" not in text
    return numbers(name, ",".join([text] * size) if alone else text, size)
