"""Frame quantities by traversal: one frame out of the motions of all nodes."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phalanx.dynamics.evaluators.quantities import frames as of_nodes
from phalanx.dynamics.evaluators.quantities import motion
from phalanx.dynamics.evaluators.quantities.frames import ROWS
from phalanx.dynamics.evaluators.recursion import Recursion
from phalanx.dynamics.evaluators.traversal import TraversalResult
from phalanx.dynamics.evaluators.traversed.arguments import Arguments
from phalanx.equations.quantities.axes import ALIGNED, Axes
from phalanx.kernel import Kernel
from phalanx.kernel import compile as compile_kernel
from phalanx.mechanism.pose import Array

NO_POSE = np.array(motion.NO_POSE)


@cache
def _pose() -> Kernel:
    return compile_kernel(of_nodes.frame_pose())


@cache
def _velocity() -> Kernel:
    return compile_kernel(of_nodes.frame_velocity())


@cache
def _acceleration() -> Kernel:
    return compile_kernel(of_nodes.frame_acceleration())


def body_poses(arguments: Arguments) -> Array:
    """Poses of all bodies, shape (samples, bodies, 4, 4)."""
    bodies = arguments.machine.bodies
    poses = _motion(arguments, motion.POSES, ("q",), 0).results["pose"]
    placements = np.hstack([bodies.body_rotation.reshape(-1, 9), bodies.body_translation])
    X: Array = _pose()(_of_nodes(poses, NO_POSE, bodies.body_node), placements)
    return X


def frame_motions(
    pose: Array, velocity: Array, nodes: NDArray[np.intp], placements: Array
) -> tuple[Array, Array]:
    """Poses (samples, frames, 4, 4) and velocities (samples, frames, 6) in world axes of frames.

    Args:
        pose: Of nodes, shape (samples, 12·nodes).
        velocity: Of nodes in their axes, shape (samples, 6·nodes).
        nodes: Those that carry the frames, -1 for the root.
        placements: Poses of the frames there, shape (frames, 12).
    """
    of_frame = _of_nodes(pose, NO_POSE, nodes)
    V = _of_nodes(velocity, np.zeros(6), nodes)
    return _pose()(of_frame, placements), _velocity()(of_frame, placements, V)


def _of_nodes(rows: Array, of_root: Array, nodes: NDArray[np.integer[Any]]) -> Array:
    """Numbers of some nodes; the root has the number -1."""
    samples, size = len(rows), len(of_root)
    last = np.broadcast_to(of_root, (samples, 1, size))
    return np.concatenate([rows.reshape(samples, -1, size), last], axis=1)[:, nodes]


def forward_kinematics(arguments: Arguments) -> Array:
    """Pose of a frame, shape (samples, 4, 4)."""
    node, place = arguments.place
    if node < 0:
        return np.broadcast_to(_pose()(NO_POSE, place), (arguments.samples, 4, 4))
    moved = _motion(arguments, motion.POSES, ("q",), 0)
    X: Array = _pose()(_row(moved, "pose", 12, node), place)
    return X


def frame_velocity(arguments: Arguments) -> Array:
    """Velocity of a frame, shape (samples, 6)."""
    node, place = arguments.place
    if node < 0:
        return np.zeros((arguments.samples, 6))
    moved = _motion(arguments, motion.VELOCITIES, ("q", "v"), 6)
    V = _frame_velocity(moved, node, place)
    if arguments.axes == ALIGNED:
        return V
    X: Array = _pose()(_row(moved, "pose", 12, node), place)
    return _expressed_in(arguments.axes, X, V[..., None])[..., 0]


def frame_acceleration(arguments: Arguments) -> Array:
    """Acceleration of a frame, shape (samples, 6)."""
    node, place = arguments.place
    if node < 0:
        return np.zeros((arguments.samples, 6))
    moved = _motion(arguments, motion.ACCELERATIONS, ("q", "v", "a"), 9)
    pose, numbers = _row(moved, "pose", 12, node), _row(moved, "acceleration", 9, node)
    A: Array = _acceleration()(pose, place, numbers)
    return A


def jacobian(arguments: Arguments) -> Array:
    """Jacobian of a frame, shape (samples, 6, nv)."""
    node, place = arguments.place
    if node < 0:
        return np.zeros((arguments.samples, 6, arguments.machine.mechanism.nv))
    moved = _motion(arguments, motion.POSES, ("q",), 0)
    X: Array = _pose()(_row(moved, "pose", 12, node), place)
    return _expressed_in(
        arguments.axes, X, _columns(arguments, of_nodes.COLUMNS, moved, X[:, :3, 3])
    )


def jacobian_rate(arguments: Arguments) -> Array:
    """Rate of the Jacobian of a frame, shape (samples, 6, nv)."""
    node, place = arguments.place
    if node < 0:
        return np.zeros((arguments.samples, 6, arguments.machine.mechanism.nv))
    moved = _motion(arguments, motion.VELOCITIES, ("q", "v"), 6)
    X: Array = _pose()(_row(moved, "pose", 12, node), place)
    tip, V = X[:, :3, 3], _frame_velocity(moved, node, place)
    dJ = _columns(arguments, of_nodes.COLUMN_RATES, moved, np.hstack([tip, V[:, :3]]))
    if arguments.axes == ALIGNED:
        return dJ
    J = _columns(arguments, of_nodes.COLUMNS, moved, tip)
    if arguments.axes == "local":  # the axes turn
        turn = np.cross(V[:, None, 3:, None], J.reshape(-1, 2, 3, J.shape[-1]), axis=2)
        return _expressed_in(arguments.axes, X, dJ - turn.reshape(J.shape))
    rate = _expressed_in(arguments.axes, X, dJ)  # the frame's origin moves away from the world's
    rate[:, :3] += np.cross(V[:, :3, None], J[:, 3:], axis=1)
    return rate


def _expressed_in(axes: Axes, X: Array, V: Array) -> Array:
    """Motions (samples, 6, k) of a frame at X, from its origin's in world axes to other ones."""
    if axes == "local":
        halves = V.reshape(len(V), 2, 3, -1)
        return np.einsum("nji,nhjk->nhik", X[:, :3, :3], halves).reshape(V.shape)
    if axes == "world":
        V = V.copy()
        V[:, :3] += np.cross(X[:, :3, 3, None], V[:, 3:], axis=1)
    return V


def _motion(
    arguments: Arguments, recursion: Recursion, state: tuple[str, ...], still: int
) -> TraversalResult:
    """Poses and motions of all nodes on a root that is the world and rests."""
    root = np.concatenate([NO_POSE, np.zeros(still)])[None]
    arrays = {name: arguments[name] for name in state}
    return arguments.run(recursion, arrays, [root])


def _row(moved: TraversalResult, port: str, size: int, node: int) -> Array:
    return moved.results[port][:, size * node : size * (node + 1)]


def _frame_velocity(moved: TraversalResult, node: int, place: Array) -> Array:
    pose, numbers = _row(moved, "pose", 12, node), _row(moved, "velocity", 6, node)
    V: Array = _velocity()(pose, place, numbers)
    return V


def _columns(
    arguments: Arguments, recursion: Recursion, moved: TraversalResult, tip: Array
) -> Array:
    """Rows of a Jacobian, with zeros where a joint does not move the frame."""
    begins = [np.ascontiguousarray(tip)]
    rows = arguments.run(recursion, moved.results, begins).results
    moves = arguments.machine.moves(arguments.place[0])
    return np.where(moves, np.stack([rows[name] for name in ROWS], axis=1), 0.0)
