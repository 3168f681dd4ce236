"""The option --method: methods of a quantity, by name in kebab-case."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Any

import typer

from phalanx.base.errors import InvalidInput, UnknownName
from phalanx.cli.completion import METHODS, offering, words
from phalanx.cli.quantities import kebab

if TYPE_CHECKING:
    from phalanx.dynamics import Dynamics

Equation = Callable[..., Any]

MethodName = Annotated[
    str | None,
    typer.Option(
        "--method",
        metavar="METHOD",
        autocompletion=offering(lambda: words()[METHODS]),
        help="Method that computes the quantity: modified, conventional, articulated-body, …; an "
        "unknown name lists all. Default: that of px.Dynamics.",
        show_default=False,
    ),
]


def methods(*, with_loops: bool = False) -> dict[str, dict[str, Equation]]:
    """Return methods by quantity and name, in the order of their modules.

    Machines with loops have other methods for forward dynamics.
    """
    from phalanx.equations import forward_dynamics, inverse_dynamics, loops, mass_matrix

    return {
        "inverse_dynamics": _methods(inverse_dynamics, "tau"),
        "forward_dynamics": _methods(loops if with_loops else forward_dynamics, "a"),
        "mass_matrix": _methods(mass_matrix, "M"),
    }


def _methods(module: ModuleType, output: str) -> dict[str, Equation]:
    """Return the equations of a module and its submodules that compute ``output`` alone."""
    found: dict[str, Equation] = {}
    for name in module.__all__:
        member = getattr(module, name)
        if isinstance(member, ModuleType):
            inner = _methods(member, output)
            found |= {f"{kebab(name)}-{method}": equation for method, equation in inner.items()}
        elif getattr(member, "outputs", None) == (output,):
            found[kebab(name)] = member
    return found


def find_method(dynamics: Dynamics, quantity: str, method: str | None) -> Equation:
    """Return the equation of a method; without a method, that of ``dynamics``.

    Raises:
        UnknownName: When the quantity has no such method.
        InvalidInput: When the quantity has only one method.
    """
    if method is None:
        return dynamics.quantities[quantity].equation
    known = methods(with_loops=bool(dynamics.mechanism.loops)).get(quantity)
    if known is None:
        choices = ", ".join(kebab(name) for name in methods())
        raise InvalidInput(f"{kebab(quantity)} has one method; --method is for {choices}.")
    if kebab(method) not in known:
        raise UnknownName(kebab(quantity), "method", kebab(method), known)
    return known[kebab(method)]


def check_names(equation: Equation) -> None:
    """Fail if an equation has no names for its intermediates.

    Raises:
        InvalidInput: With the methods that have.
    """
    if names_intermediates(equation):
        return
    able = [
        f"{kebab(quantity)} --method {name}"
        for quantity, known in methods().items()
        for name, candidate in known.items()
        if names_intermediates(candidate)
    ]
    raise InvalidInput(
        f"{kebab(equation.__name__)} names no intermediates; --named is for {', '.join(able)}."
    )


def names_intermediates(equation: Equation) -> bool:
    """Return whether an equation can name its intermediate values."""
    return "names" in inspect.signature(equation).parameters
