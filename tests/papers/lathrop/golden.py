"""Chains for the tests of Lathrop (1983), and the values that its specification gives for them.

The source has no arm of its own; these numbers were computed by serial Newton-Euler, by the
logarithmic form and by a Lagrangian, which agree.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from phalanx.mechanism import Body, Frame, Joint, Mechanism, Prismatic, Revolute
from phalanx.mechanism.pose import Pose, rotation_about

TIP = "tip"

GOLDEN_STATE = (
    np.array([0.2 * i for i in range(1, 7)]),
    np.array([0.55 - 0.1 * i for i in range(1, 7)]),
    np.array([1 - 0.3 * i for i in range(1, 7)]),
)
# what the tip gives its surroundings is (1, 2, 3), (0.1, 0.2, 0.3)
GOLDEN_WRENCH = -np.array([1.0, 2.0, 3.0, 0.1, 0.2, 0.3])
GOLDEN_TAU = np.array(
    [9.0954169483, 1.8009705815, 33.9291089225, -1.5438081109, 0.1867477398, -0.2877568472]
)
GOLDEN_TAU_FREE = np.array(
    [8.6825891751, 1.6500528780, 30.6280763722, -1.5737750366, 0.1959221240, -0.4733360103]
)
GOLDEN_TAU_AT_REST = np.array(
    [0.0, -3.6440525419, 30.6507281949, -2.7683731026, -0.3135384917, -0.5284527332]
)
GOLDEN_W6 = np.array([0.596984299870, 0.621013560514, -0.157148311211])
GOLDEN_DW6 = np.array([0.463624060298, -0.482340478092, -1.257989295129])
GOLDEN_A6 = np.array([7.139165754299, 3.957106713788, -5.644805118631])
GOLDEN_F1 = np.array([-8.86301685654, -72.832131999102, 89.793563324472])
GOLDEN_N1 = np.array([68.75800993417, -21.659888668987, -6.351985437846])

PLANAR_STATE = (np.array([0.3, 0.7]), np.array([1.0, -0.5]), np.array([0.4, 0.9]))
PLANAR_TAU = np.array([28.896883758, 4.127312110])


def golden_chain() -> Mechanism:
    """Six joints, the third sliding, in general position."""
    count = range(1, 7)
    return denavit_hartenberg_chain(
        "golden",
        turns=[i != 3 for i in count],
        alpha=[0.3 * i - 1 for i in count],
        a=[0.1 + 0.02 * i for i in count],
        offset=[0.4 if i == 3 else 0.05 * i for i in count],
        masses=[3 - 0.3 * i for i in count],
        centres=[np.array([-0.05 * i, 0.02, 0.01 * i]) for i in count],
        inertias=[
            np.array([[0.02 + 0.005 * i, 0.001, 0], [0.001, 0.03, -0.002], [0, -0.002, 0.04]])
            for i in count
        ],
    )


def planar_2r() -> Mechanism:
    """Two parallel joints in a vertical plane."""
    return denavit_hartenberg_chain(
        "planar 2R",
        turns=[True, True],
        alpha=[0.0, 0.0],
        a=[1.0, 0.8],
        offset=[0.0, 0.0],
        masses=[2.0, 1.5],
        centres=[np.array([-0.5, 0, 0]), np.array([-0.4, 0, 0])],
        inertias=[np.diag([0.05, 0.1, 0.1]), np.diag([0.03, 0.05, 0.05])],
        gravity=(0.0, -9.81, 0.0),
    )


def random_chain(
    count: int, rng: np.random.Generator, *, turning: float = 0.7, seat: Pose | None = None
) -> Mechanism:
    """A chain of turning and sliding joints in general position, a share ``turning`` of the first.

    The first joint is at ``seat`` in the base, else at its origin. Links are of a length near
    1/count, so that a long chain is no larger than a short one and its forces are of the same size.
    """
    spread = 1.0 / count

    def vector() -> np.ndarray:
        return spread * rng.uniform(-1, 1, 3)

    factors = [rng.uniform(-1, 1, (3, 3)) for _ in range(count)]
    shapes = [B @ B.T + np.eye(3) for B in factors]
    return denavit_hartenberg_chain(
        f"random chain of {count}",
        turns=[bool(x) for x in rng.uniform(size=count) < turning],
        alpha=list(rng.uniform(-np.pi, np.pi, count)),
        a=list(spread * rng.uniform(-1, 1, count)),
        offset=list(spread * rng.uniform(-1, 1, count)),
        masses=list(rng.uniform(0.5, 2.0, count)),
        centres=[vector() for _ in range(count)],
        inertias=[0.05 * spread**2 * (np.trace(C) * np.eye(3) - C) for C in shapes],
        seat=seat,
    )


def random_seat(rng: np.random.Generator) -> Pose:
    """A place for the first joint, about a metre from the base's origin, turned against it."""
    axis = rng.normal(size=3)
    turn = rotation_about(axis / np.linalg.norm(axis), rng.uniform(0.5, 2.5))
    return Pose(turn, rng.choice((-1, 1), 3) * rng.uniform(0.4, 0.9, 3))


def on_six_joints(arm: Mechanism) -> Mechanism:
    """An arm whose base is carried by six joints without mass: three slide, then three turn.

    At zero positions and rates v of these, the base moves with the velocity v[:3] and turns with
    v[3:]. What they take is a matter of their own; the arm's joints take what they would on a base
    that moves like this.
    """
    bodies, joints = [Body("ground")], []
    parent = "ground"
    for k in range(6):
        axis = np.eye(3)[k % 3]
        motion = Prismatic(axis) if k < 3 else Revolute(axis)
        child = f"carrier_{k}" if k < 5 else arm.joints[0].parent
        bodies.append(Body(child))
        joints.append(Joint(f"carry_{k}", parent, child, motion, Pose()))
        parent = child
    links = [body for body in arm.bodies if body.name != parent]
    return Mechanism(
        f"{arm.name} on six joints", [*bodies, *links], [*joints, *arm.joints], gravity=arm.gravity
    )


def random_state(count: int, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Positions, velocities and accelerations of a chain."""
    return tuple(rng.uniform(-1, 1, count) for _ in range(3))


def denavit_hartenberg_chain(
    name: str,
    *,
    turns: Sequence[bool],
    alpha: Sequence[float],
    a: Sequence[float],
    offset: Sequence[float],
    masses: Sequence[float],
    centres: Sequence[np.ndarray],
    inertias: Sequence[np.ndarray],
    gravity: Sequence[float] = (0.0, 0.0, -9.81),
    seat: Pose | None = None,
) -> Mechanism:
    """A chain in the source's frames: joint i + 1 stands at O_i, and the frame ``tip`` at O_n.

    Args:
        name: Of the mechanism.
        turns: Whether each joint turns; else it slides.
        alpha, a: Twist [rad] and length [m] of each link.
        offset: s of a joint that turns [m], theta of one that slides [rad].
        masses: [kg].
        centres: From O_i to the centre of mass, in axes of O_i [m].
        inertias: About the centre of mass, in axes of O_i [kg·m²].
        gravity: Free fall [m/s²].
        seat: Of the first joint in the base; the base's origin and axes when not given.
    """
    bodies, joints = [Body("base")], []
    parent, seat = "base", seat or Pose()
    for i in range(len(turns)):
        link = Pose(rotation_about((1, 0, 0), alpha[i]), np.array([a[i], 0.0, 0.0]))
        if turns[i]:
            motion = Revolute()
            to_end = Pose(translation=np.array([0.0, 0.0, offset[i]])) @ link
        else:
            motion = Prismatic()
            to_end = Pose(rotation_about((0, 0, 1), offset[i])) @ link
        R = to_end.rotation
        body = Body(
            f"link_{i + 1}",
            masses[i],
            R @ centres[i] + to_end.translation,
            R @ inertias[i] @ R.T,
        )
        bodies.append(body)
        joints.append(Joint(f"joint_{i + 1}", parent, body.name, motion, seat))
        parent, seat = body.name, to_end
    tip = Frame(TIP, parent, seat)
    return Mechanism(name, bodies, joints, [tip], gravity=np.asarray(gravity, dtype=float))
