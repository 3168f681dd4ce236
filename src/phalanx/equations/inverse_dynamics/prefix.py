"""Inverse dynamics by parallel prefix scans, in a logarithmic number of steps.

How a node moves against its parent depends on its own joint alone. Such relative motions combine
associatively, so the motion of all nodes of a row is a parallel prefix of them, and what all joints
carry a parallel suffix of what nodes need by themselves (see ``base.scans``). A tree is rows of
nodes: those of a branch begin with the motion of the node they hang on, and what the branch weighs
is added to what that node needs by itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from casadi import SX

from phalanx.base.arguments import checked
from phalanx.base.scans import PrefixNetwork, prefix_by_level, sklansky, suffix_by_level
from phalanx.equations.equation import equation
from phalanx.equations.inverse_dynamics.paths import heavy_paths
from phalanx.equations.inverse_dynamics.recursive import without_outer
from phalanx.equations.inverse_dynamics.vector_forms.loads import LoadSegment, combine_loads
from phalanx.equations.inverse_dynamics.vector_forms.operators import Symbols
from phalanx.equations.inverse_dynamics.vector_forms.segments import SegmentMotion, combine
from phalanx.equations.model_of import model_of
from phalanx.equations.spatial import Acceleration, Transform, Wrench, cross, zero
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.motion import BaseMotion
from phalanx.equations.tree.node import Node
from phalanx.mechanism import Mechanism

_SYMBOLS = Symbols()


@equation("tau")
def prefix(
    mechanism: Mechanism | Model,
    q: SX,
    v: SX,
    a: SX,
    *,
    wrenches: Mapping[str, SX] | None = None,
    base: BaseMotion | None = None,
    network: PrefixNetwork = sklansky,
) -> SX:
    """Joint forces by parallel prefixes (logarithmic Newton-Euler).

    The same forces as :func:`recursive` for every tree and every joint. The longest way through the
    arithmetic of a chain of n joints grows with log n instead of n, for several times the work; of
    a tree with log² n at most, since a way to its root changes rows up to log2 n times.

    Args:
        mechanism: The machine.
        q: Positions [m or rad], shape (nq,).
        v: Velocities [m/s or rad/s], shape (nv,).
        a: Accelerations [m/s² or rad/s²], shape (nv,).
        wrenches: Frame name to the wrench (force, moment) [N, N·m] that acts on the machine there,
            in that frame's axes, shape (6,).
        base: Motion of the root; still when not given.
        network: How segments are joined; for ``Dynamics(inverse=…)`` see :func:`prefix_by`.

    Returns:
        Joint forces [N or N·m], shape (nv,).

    Reference:
        Lathrop, Parallelism in Manipulator Dynamics, MIT AI-TR-754 (1983), ch. IV, appendix B.
    """
    model = model_of(mechanism).regrouped
    X = model.transforms(q)
    paths = heavy_paths(model.parents)
    motions = _motions(model, X, v, a, base or BaseMotion.still(), paths, network)
    own = [node.mass.wrench(A) for node, A in zip(model.nodes, motions, strict=True)]
    carried = _loads(X, without_outer(model, own, wrenches), model.parents, paths, network)
    return model.gather(
        [node.joint_force(F, a) for node, F in zip(model.nodes, carried, strict=True)]
    )


@checked
def prefix_by(network: PrefixNetwork) -> Callable[..., SX]:
    """The method :func:`prefix` with a network of one's own, for ``Dynamics(inverse=…)``."""

    @equation("tau")
    def by_network(
        mechanism: Mechanism | Model,
        q: SX,
        v: SX,
        a: SX,
        *,
        wrenches: Mapping[str, SX] | None = None,
        base: BaseMotion | None = None,
    ) -> SX:
        return prefix(mechanism, q, v, a, wrenches=wrenches, base=base, network=network)

    by_network.__name__ = re.sub(r"\W+", "_", f"prefix_{network.name.lower()}")
    by_network.__doc__ = prefix.__doc__
    return by_network


def _motions(
    model: Model,
    X: Sequence[Transform],
    v: SX,
    a: SX,
    base: BaseMotion,
    paths: Sequence[Sequence[int]],
    network: PrefixNetwork,
) -> list[Acceleration]:
    """How every node moves, path by path."""

    def join(
        level: int, left: SegmentMotion[SX, SX], right: SegmentMotion[SX, SX]
    ) -> SegmentMotion[SX, SX]:
        return combine(_SYMBOLS, level, left, right)

    root = Acceleration(base.V.angular, base.A.angular, base.A.linear - model.gravity)
    moved: dict[int, Acceleration] = {-1: root}
    for path in paths:
        leaves = [_carrier(moved[model.parents[path[0]]])]
        leaves += [_own_motion(model.nodes[i], X[i], v, a) for i in path]
        joined = prefix_by_level(network, leaves, join)[1:]
        for i, segment in zip(path, joined, strict=True):
            moved[i] = Acceleration(segment.w, segment.dw, segment.a)
    return [moved[i] for i in range(len(model.nodes))]


def _carrier(A: Acceleration) -> SegmentMotion[SX, SX]:
    """What a path hangs on, against the world."""
    return SegmentMotion(0, 0, SX.eye(3), A.w, A.dw, zero(), zero(), zero(), A.a)


def _own_motion(node: Node, X: Transform, v: SX, a: SX) -> SegmentMotion[SX, SX]:
    """A node against its parent, in axes of the node."""
    V, A = node.motion(v), node.motion(a)
    R = X.rotation
    return SegmentMotion(
        0,
        0,
        R.full(),
        V.angular,
        A.angular,
        V.linear,
        R.into_child(X.translation),
        zero(),
        A.linear + cross(V.angular, V.linear),  # V is in axes of the node, which turn
    )


def _loads(
    X: Sequence[Transform],
    own: Sequence[Wrench],
    parents: Sequence[int],
    paths: Sequence[Sequence[int]],
    network: PrefixNetwork,
) -> list[Wrench]:
    """What every joint carries, path by path from the ends of the tree."""

    def join(
        level: int, left: LoadSegment[SX, SX], right: LoadSegment[SX, SX]
    ) -> LoadSegment[SX, SX]:
        return combine_loads(_SYMBOLS, level, left, right, lean=True)

    needed = list(own)
    carried = list(own)
    for path in reversed(paths):
        reaches = [*(X[i] for i in path[1:]), Transform.none()]
        leaves = [
            LoadSegment(0, 0, needed[i].force, needed[i].moment, to.rotation.full(), to.translation)
            for i, to in zip(path, reaches, strict=True)
        ]
        for i, segment in zip(path, suffix_by_level(network, leaves, join), strict=True):
            carried[i] = Wrench(segment.n, segment.f)
        first, parent = path[0], parents[path[0]]
        if parent >= 0:
            needed[parent] = needed[parent] + carried[first].into_parent(X[first])
    return carried
