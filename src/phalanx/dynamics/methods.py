"""Default method of forward dynamics, and checks that a machine has accelerations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from phalanx.base.errors import InvalidInput, shown
from phalanx.dynamics.evaluators.choice import FACTORIZED_UP_TO, TRAVERSED
from phalanx.dynamics.evaluators.method import Method
from phalanx.equations import forward_dynamics, inverse_dynamics, loops, mass_matrix
from phalanx.equations.equation import Equation
from phalanx.equations.loops.methods.reduced_inertia import joints_without_inertia_in_loops
from phalanx.equations.tree.model import Model
from phalanx.mechanism import Mechanism
from phalanx.mechanism.inertia import check_invertible, no_accelerations

# loop methods that solve for fewer accelerations than the tree has
_OF_INDEPENDENT_MOTION = (loops.projection, loops.recursive, loops.orthogonal_complement)
# loop methods that move links without mass by the loops that hold them
_BY_LOOPS = (loops.multipliers, loops.constrained)


def check_methods(inverse: Any, forward: Any, mass_matrix: Any) -> None:
    """Raise InvalidInput for what is no method."""
    for name, given, example in (
        ("inverse", inverse, "inverse_dynamics.recursive"),
        ("mass_matrix", mass_matrix, "mass_matrix.composite_body"),
    ):
        if not callable(given):
            raise InvalidInput(
                f"a method is a function such as phalanx.{example}, got {name}={shown(given)}."
            )
    if isinstance(forward, type) and issubclass(forward, Method):
        raise InvalidInput(
            f"a method of chains is a value: forward={forward.__name__}(), not the class."
        )
    if not (forward is None or callable(forward) or isinstance(forward, Method)):
        raise InvalidInput(
            "a method is a function such as phalanx.forward_dynamics.articulated_body or a value "
            f"such as phalanx.dynamics.evaluators.Serial(), got forward={shown(forward)}."
        )


def why_unrolled(
    mechanism: Mechanism,
    parameters: Sequence[str],
    dtype: str,
    inverse: Equation,
    forward: Equation | Method | None,
    inertia: Equation,
) -> str | None:
    """Describe what needs unrolled code; None where nothing does."""
    why = TRAVERSED.missing(mechanism, parameters, dtype)
    if why is not None:
        return why
    chosen: tuple[tuple[Any, Any], ...] = (
        (inverse, inverse_dynamics.recursive),
        (forward, None),
        (inertia, mass_matrix.composite_body),
    )
    for method, default in chosen:
        if method is not default and not isinstance(method, Method):
            return f"{method_name(method)} is asked for"
    return None


def method_name(method: Equation | Method) -> str:
    """A method in a word."""
    return method.name if isinstance(method, Method) else getattr(method, "__name__", repr(method))


def default_forward(model: Model) -> Equation:
    """The method of forward dynamics with fewest operations for a machine, loops closed."""
    if model.mechanism.loops:
        return loops.multipliers
    if model.has_mimics or model.nv <= FACTORIZED_UP_TO:
        return forward_dynamics.factorized
    return forward_dynamics.articulated_body


def is_known(model: Model) -> bool:
    """Whether masses and lengths of a machine are numbers, all of them."""
    return set(model.parameters.symbols) <= {"gravity"}


def check_accelerations(model: Model, method: Equation) -> None:
    """Raise InvalidModel where a method would have to invert a matrix that has no inverse."""
    if not is_known(model):
        return
    if method in _OF_INDEPENDENT_MOTION or method in _BY_LOOPS:
        lacking = joints_without_inertia_in_loops(model.mechanism)
        if lacking:
            raise no_accelerations(model.mechanism, lacking)
    else:
        check_invertible(model.mechanism)
