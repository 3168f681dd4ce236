"""METHOD on the command line: the ways to compute a quantity, by name in kebab-case."""

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
        help="How to compute it: modified, conventional, articulated-body, …; a wrong name lists "
        "those of the quantity.",
        show_default=False,
    ),
]


def methods(*, with_loops: bool = False) -> dict[str, dict[str, Equation]]:
    """Quantity to its methods, by the names that are typed; the order is that of their modules.

    Machines with loops have methods of their own for forward dynamics.
    """
    from phalanx.equations import forward_dynamics, inverse_dynamics, loops, mass_matrix

    return {
        "inverse_dynamics": _methods(inverse_dynamics, "tau"),
        "forward_dynamics": _methods(loops if with_loops else forward_dynamics, "a"),
        "mass_matrix": _methods(mass_matrix, "M"),
    }


def _methods(module: ModuleType, output: str) -> dict[str, Equation]:
    """The equations of a module, and of modules in it, that compute ``output`` alone."""
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
    """The equation that a user means: of a method, or the one ``dynamics`` has for the quantity.

    Raises:
        UnknownName: When the quantity has no such method.
        InvalidInput: When it has but one way.
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
    """Whether an equation can name what it computes on the way."""
    return "names" in inspect.signature(equation).parameters
