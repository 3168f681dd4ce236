"""Arms whose postures for a target are known in closed form."""

from __future__ import annotations

import itertools

import numpy as np

import phalanx as px
from phalanx.mechanism import Revolute
from phalanx.mechanism.library.puma560 import ROWS

UPPER, LOWER = 0.5, 0.3


def planar_arm(lower: float = -np.inf, upper: float = np.inf) -> px.Mechanism:
    """Two links in the plane z = 0; frame ``tip`` at the end."""
    bodies = [px.Body("ground"), px.Body("upper", 1.0), px.Body("lower", 1.0)]
    joints = [
        px.Joint("shoulder", "ground", "upper", Revolute()),
        px.Joint(
            "elbow",
            "upper",
            "lower",
            Revolute(),
            px.Pose(translation=np.array([UPPER, 0, 0])),
            lower=lower,
            upper=upper,
        ),
    ]
    tip = px.Frame("tip", "lower", px.Pose(translation=np.array([LOWER, 0, 0])))
    return px.Mechanism("planar", bodies, joints, [tip])


def planar_postures(x: float, y: float) -> list[np.ndarray]:
    """Both postures whose tip is at (x, y), by the law of cosines."""
    cosine = (x * x + y * y - UPPER**2 - LOWER**2) / (2 * UPPER * LOWER)
    found = []
    for elbow in (np.arccos(cosine), -np.arccos(cosine)):
        ahead = np.arctan2(LOWER * np.sin(elbow), UPPER + LOWER * np.cos(elbow))
        found.append(np.array([np.arctan2(y, x) - ahead, elbow]))
    return found


def puma_postures(X: np.ndarray) -> list[np.ndarray]:
    """All eight postures of the PUMA 560 whose flange is at X: arm left or right, elbow, wrist.

    Three axes meet in the wrist, so that its place depends on three joints and the rest is a
    rotation about y, z and y.
    """
    (px_, py, pz), R = X[:3, 3], X[:3, :3]
    _, second, third, fourth = ROWS[:4]
    offset, upper = second.d + third.d, third.a
    lower, bend = np.hypot(fourth.a, fourth.d), np.arctan2(-fourth.d, fourth.a)
    found = []
    for side, elbow, flip in itertools.product((1, -1), repeat=3):
        ahead = side * np.sqrt(px_**2 + py**2 - offset**2)
        q1 = np.arctan2(py, px_) - np.arctan2(offset, ahead)
        u, v = ahead, -pz
        inside = (u * u + v * v - upper**2 - lower**2) / (2 * upper * lower)
        knee = elbow * np.arccos(inside)
        q2 = np.arctan2(v, u) - np.arctan2(lower * np.sin(knee), upper + lower * np.cos(knee))
        q3 = knee - bend
        arm = _about(2, q1) @ _about(0, -np.pi / 2) @ _about(2, q2 + q3)
        M = arm.T @ R @ _about(0, -np.pi / 2)
        b = flip * np.arccos(M[1, 1])
        a = np.arctan2(flip * M[2, 1], -flip * M[0, 1])
        c = np.arctan2(flip * M[1, 2], flip * M[1, 0])
        found.append(np.array([q1, q2, q3, -a, b, -c]))
    return found


def apart(q: np.ndarray, other: np.ndarray) -> float:
    """The largest difference of angles, whole turns left out [rad]."""
    return float(np.abs(np.angle(np.exp(1j * (q - other)))).max())


def _about(axis: int, angle: float) -> np.ndarray:
    """A rotation about x, y or z."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R = np.eye(3)
    R[i, i] = R[j, j] = np.cos(angle)
    R[j, i], R[i, j] = np.sin(angle), -np.sin(angle)
    return R
