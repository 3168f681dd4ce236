"""Accuracy of each method in digits, against the extended-precision reference."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import final

from phalanx.base.errors import PhalanxError
from phalanx.bench.chains.extended import forward_dynamics, relative_error
from phalanx.bench.chains.methods import METHODS
from phalanx.bench.chains.states import POSTURES, Posture, draw
from phalanx.dynamics.evaluators.bodies import bodies_of
from phalanx.dynamics.evaluators.constraint_forces.methods import ConstraintIteration
from phalanx.dynamics.evaluators.constraint_forces.stopping import Stopping
from phalanx.dynamics.evaluators.method import Method
from phalanx.mechanism.library import chain
from phalanx.mechanism.library.chain import JOINTS

SIZES = tuple(2**k for k in range(2, 11))
# an iteration that goes on until rounding stops it, instead of at its usual 1e-10
TIGHT = ConstraintIteration(stopping=Stopping(change=1e-13, residual=1e-13))
CONTESTANTS: Mapping[str, Method] = MappingProxyType(
    {
        name: TIGHT if type(method) is ConstraintIteration else method
        for name, method in METHODS.items()
    }
)
# bodies up to which a method is asked: beyond, it takes minutes
MOST_BODIES = {"unrolled": 64, "constraint-iteration": 256}


@final
@dataclass(frozen=True)
class Accuracy:
    """One method on one chain in one state.

    Attributes:
        joint: Of the chain.
        posture: ``random`` or ``hanging``.
        bodies: How many.
        method: Its name.
        error: Of the accelerations, relative to the largest one; None where the method refused.
        refused: What it said then.
    """

    joint: str
    posture: Posture
    bodies: int
    method: str
    error: float | None
    refused: str | None = None


def accuracies(
    sizes: Sequence[int] = SIZES,
    joints: Sequence[str] = JOINTS,
    postures: Sequence[Posture] = POSTURES,
    contestants: Mapping[str, Method] = CONTESTANTS,
    seed: int = 0,
    progress: Callable[[str], None] = lambda what: None,
) -> Iterator[Accuracy]:
    """Errors of all methods; hinges alternate their axes."""
    for joint in joints:
        for bodies in sizes:
            machine = chain(bodies, joint, alternate=joint == "revolute")
            nodes = bodies_of(machine)
            for posture in postures:
                progress(f"digits: {bodies} bodies, {joint}, {posture}")
                states = draw(machine, posture, seed=seed)
                reference = forward_dynamics(nodes, *(x[0] for x in states.arguments))
                for name, method in contestants.items():
                    if bodies > MOST_BODIES.get(name, bodies):
                        continue
                    try:
                        a = method.solver(nodes, 1).accelerations(*states.arguments)
                    except PhalanxError as error:
                        yield Accuracy(joint, posture, bodies, name, None, str(error))
                        continue
                    yield Accuracy(joint, posture, bodies, name, relative_error(a[0], reference))
