"""Choice of evaluator and method: what each can do, and the measured sizes from which it pays.

Unrolled code has an instruction for every operation of every body. It runs fastest while it fits
the caches, and takes longer and longer to compile. Traversal is compiled for node types, however
many nodes there are. No other code asks how long a machine is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, final

from phalanx.base.errors import InvalidInput, shown
from phalanx.dynamics.evaluators.method import Method
from phalanx.equations import forward_dynamics, inverse_dynamics, loops, mass_matrix
from phalanx.equations.equation import Equation
from phalanx.equations.loops.methods.reduced_inertia import joints_without_inertia_in_loops
from phalanx.equations.tree.model import Model
from phalanx.mechanism import Cylindrical, Fixed, Mechanism, Universal
from phalanx.mechanism.inertia import check_invertible, no_accelerations


@final
@dataclass(frozen=True)
class Sizes:
    """Elementary joints that decide between unrolled code and traversal.

    Attributes:
        traversed_from: From so many on traversal is taken.
        unrolled_up_to: Where only unrolled code will do, it is compiled for so many at most.
    """

    traversed_from: int
    unrolled_up_to: int


Use = Literal["quantity", "run", "effective inertia", "poses"]
Name = Literal["unrolled", "traversed"]
# `python benchmarks/long_machines.py`. Unrolled, a quantity compiles for 5 to 11 s at 500 and for
# minutes at 3000, and a sample in a batch would still take 1/1.2 (inverse) to 1/1.4 (forward) of
# the time. A step of a run has several evaluations to compile: a minute at 400. The effective
# inertia of joints comes from a mass matrix that is interpreted, in quadratic time. A picture of a
# machine waits for nothing but poses to be compiled.
SIZES: dict[Use, Sizes] = {
    "quantity": Sizes(traversed_from=501, unrolled_up_to=3000),
    "run": Sizes(traversed_from=150, unrolled_up_to=400),
    "effective inertia": Sizes(traversed_from=150, unrolled_up_to=3000),
    "poses": Sizes(traversed_from=200, unrolled_up_to=3000),
}

# Beyond this many freedoms linear-time forward dynamics needs fewer operations than factorizing M
# (UR5 516 against 586, Solo with 18 freedoms 2870 against 2814, Talos with 44 11003 against 9214).
FACTORIZED_UP_TO = 12
# Freedoms up to which matrices and derivatives are traced in seconds; beyond it takes minutes.
MATRICES_AT_ONCE = 100
# Nodes of a run of bodies from which on one sample is taken by segments: in the lanes of one
# thread, and on several threads, which take time to wake. `python benchmarks/chains.py`.
SEGMENTED_FROM = {"lanes": 600, "threads": 2000}


@final
@dataclass(frozen=True)
class Abilities:
    """Capabilities of an evaluator.

    Attributes:
        loops: Closed loops.
        mimics: Joints that follow others.
        parameters: Names that may be open; None for any.
        dtypes: Types of numbers.
    """

    loops: bool
    mimics: bool
    parameters: tuple[str, ...] | None
    dtypes: tuple[str, ...]

    def missing(
        self, mechanism: Mechanism, parameters: Sequence[str] = (), dtype: str = "float64"
    ) -> str | None:
        """What is asked for and cannot be done, as half a sentence; None where all can."""
        if mechanism.loops and not self.loops:
            return f"its loop '{mechanism.loops[0].name}' ties branches together"
        follower = next((joint.name for joint in mechanism.joints if joint.mimic), None)
        if follower is not None and not self.mimics:
            return f"its joint '{follower}' follows another one"
        allowed = parameters if self.parameters is None else self.parameters
        others = [name for name in parameters if name not in allowed]
        if others:
            return f"'{others[0]}' is a parameter"
        if dtype not in self.dtypes:
            return f"numbers are {dtype}"
        return None


TRAVERSED = Abilities(loops=False, mimics=False, parameters=("gravity",), dtypes=("float64",))


def node_count(mechanism: Mechanism) -> int:
    """Elementary joints of a machine: none where bodies are fixed, two in a universal joint."""
    kinds = Counter(type(joint.motion) for joint in mechanism.joints)
    return kinds.total() - kinds[Fixed] + kinds[Universal] + kinds[Cylindrical]


def is_long(mechanism: Mechanism, use: Use) -> bool:
    """Whether traversal pays, where it can be had."""
    return node_count(mechanism) >= SIZES[use].traversed_from


def chosen(mechanism: Mechanism, use: Use, why_unrolled: str | None = None) -> Name:
    """The evaluator that serves a machine, unless something else asks for unrolled code."""
    why = why_unrolled or TRAVERSED.missing(mechanism)
    return "traversed" if why is None and is_long(mechanism, use) else "unrolled"


def can_be_unrolled(mechanism: Mechanism, use: Use) -> bool:
    """Whether unrolled code would be compiled in reasonable time."""
    return node_count(mechanism) <= SIZES[use].unrolled_up_to


def check_unrolled_size(mechanism: Mechanism, why: str) -> None:
    """Raise InvalidInput where unrolled code of a quantity would take an hour to compile."""
    if not can_be_unrolled(mechanism, "quantity"):
        raise InvalidInput(
            f"'{mechanism.name}' has {node_count(mechanism)} elementary joints, and {why}: that "
            "needs unrolled code, which is compiled for up to "
            f"{SIZES['quantity'].unrolled_up_to}. Trees of any length are for "
            "float64, joints that move freely, the methods that Dynamics chooses itself or those "
            "of phalanx.dynamics.evaluators, and no parameters but gravity."
        )


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
