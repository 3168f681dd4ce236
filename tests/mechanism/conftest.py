"""Numbers that several tests compare: where bodies stand, what moves as one."""

from collections.abc import Callable, Mapping
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import numpy as np
import pytest

from phalanx.mechanism import Mechanism
from phalanx.mechanism.motion import joint_pose

Poses = dict[str, np.ndarray]


def _poses(mechanism: Mechanism, at: Mapping[str, np.ndarray] | None = None) -> Poses:
    at = dict(at or {})
    for joint in mechanism.joints:
        if joint.mimic is not None:
            leader = at.get(joint.mimic.leader, np.zeros(1))
            at[joint.name] = joint.mimic.multiplier * leader + joint.mimic.offset
    poses = {mechanism.bodies[0].name: np.eye(4)}
    for joint in mechanism.joints:
        q = at.get(joint.name, joint.motion.neutral())
        X = joint.pose @ joint_pose(joint.motion, np.asarray(q, dtype=float))
        poses[joint.child] = poses[joint.parent] @ X.matrix
    for frame in mechanism.frames:
        poses[frame.name] = poses[frame.body] @ frame.pose.matrix
    return poses


@pytest.fixture(scope="session")
def poses() -> Callable[..., Poses]:
    """Homogeneous matrices of all bodies and frames, at positions given by joint name."""
    return _poses


@pytest.fixture(scope="session")
def mass_and_centre() -> Callable[[Mechanism], tuple[float, np.ndarray]]:
    """Total mass and its centre at neutral."""

    def total(mechanism: Mechanism) -> tuple[float, np.ndarray]:
        X = _poses(mechanism)
        mass = sum(body.mass for body in mechanism.bodies)
        moment = sum(b.mass * (X[b.name] @ [*b.com, 1.0])[:3] for b in mechanism.bodies)
        return mass, moment / mass

    return total


@pytest.fixture(scope="session")
def robots() -> Path:
    """The folder of the example-robot-data package: about 70 published robots."""
    try:
        files = distribution("example-robot-data").files
    except PackageNotFoundError:
        pytest.skip("example-robot-data is not installed")
    manifest = next(file for file in files or () if file.name == "package.xml")
    return Path(str(manifest.locate())).resolve().parent / "robots"
