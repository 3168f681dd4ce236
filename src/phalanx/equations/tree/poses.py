"""Poses of all nodes, by an outward pass."""

from __future__ import annotations

from collections.abc import Sequence

from phalanx.equations.spatial import Transform
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.passes import outward


def world_poses(model: Model, X: Sequence[Transform]) -> list[Transform]:
    """Pose of every node in the world."""
    return outward(model.parents, Transform.none(), lambda i, parent: parent.then(X[i]))
