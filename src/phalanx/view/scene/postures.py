"""Body poses for drawing: one compiled call a posture."""

from __future__ import annotations

from collections.abc import Callable

from phalanx.dynamics.evaluators.automatic import Automatic
from phalanx.dynamics.evaluators.choice import chosen
from phalanx.dynamics.evaluators.traversed.evaluator import Traversed
from phalanx.dynamics.quantities import QuantityEquation, Shapes
from phalanx.equations import body_poses, expression
from phalanx.kernel import compile as compile_kernel
from phalanx.mechanism import Mechanism
from phalanx.mechanism.pose import Array

# Bodies up to which a machine has a node each in a scene; more are instances of a few.
MOST_NODES = 200

Poses = Callable[[Array], Array]  # q (nq,) to X (bodies, 4, 4)


def has_many_bodies(mechanism: Mechanism) -> bool:
    """Whether a machine has too many bodies for a node each."""
    return len(mechanism.bodies) > MOST_NODES


def poses_of(mechanism: Mechanism) -> Poses:
    """Return a function from a posture to the pose of every body in the root frame."""
    shapes: Shapes = {"X": (len(mechanism.bodies), 4, 4)}
    if chosen(mechanism, "poses") == "unrolled":
        return compile_kernel(expression(body_poses, mechanism), shapes=shapes, threads=1)
    evaluator = Traversed(
        mechanism,
        Automatic(),
        parameters=(),
        wrenches=(),
        moving_base=False,
        threads=1,
        cache=True,
    )
    return evaluator.kernel("body_poses", QuantityEquation(body_poses, shapes), None, None)
