"""MuJoCo's equalities as loop closures, couplings and mimic joints, its sites as frames."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.polynomial import Polynomial

from phalanx.mechanism.body import Frame
from phalanx.mechanism.joint import Fixed, Mimic, Spherical
from phalanx.mechanism.loop import Loop
from phalanx.mechanism.pose import Pose
from phalanx.mechanism.read.mjcf_names import BODY, EQUALITY, JOINT, SITE, name_of, pose_of

# mjtEq and mjtObj of MuJoCo's header
CONNECT, WELD, JOINT_EQUALITY = range(3)
SITE_OBJECT = 6
TORQUE_SCALE = 10  # place in a weld's data


@dataclass(frozen=True)
class Equality:
    """A joint that follows another, or is held still, by a polynomial in positions.

    Attributes:
        name: Of the equality.
        follower, leader: Numbers of joints; no leader where the follower is held.
        coefficients: Of q_follower = p(q_leader), the constant first.
    """

    name: str
    follower: int
    leader: int | None
    coefficients: tuple[float, ...]


def joint_equalities(model: Any) -> tuple[dict[int, Mimic], list[Equality]]:
    """Joint equalities that are lines as mimics, by joint, and those that are not.

    A line is not a mimic where its joint follows another one already, or where joints would follow
    each other in a circle.
    """
    mimics: dict[int, Mimic] = {}
    followed: dict[int, int] = {}
    others = []
    for e in _active(model, JOINT_EQUALITY):
        found = _equality(model, e)
        follower, leader = found.follower, found.leader
        chain = leader
        while chain is not None and chain != follower:
            chain = followed.get(chain)
        if leader is None or len(found.coefficients) > 2 or follower in mimics or chain == follower:
            others.append(found)
            continue
        offset, ratio = (*found.coefficients, 0.0)[:2]
        mimics[follower] = Mimic(name_of(model, JOINT, leader), ratio, offset)
        followed[follower] = leader
    return mimics, others


def _equality(model: Any, e: int) -> Equality:
    """MuJoCo's polynomial relates displacements from references: q1 - r1 = p(q2 - r2)."""
    name, follower, leader = (
        name_of(model, EQUALITY, e),
        int(model.eq_obj1id[e]),
        int(model.eq_obj2id[e]),
    )
    r1 = float(model.qpos0[model.jnt_qposadr[follower]])
    if leader < 0:
        return Equality(name, follower, None, (r1 + float(model.eq_data[e, 0]),))
    r2 = float(model.qpos0[model.jnt_qposadr[leader]])
    coefficients = np.trim_zeros(model.eq_data[e, :5], "b")
    if not len(coefficients):  # held at its reference, wherever the other joint is
        return Equality(name, follower, None, (r1,))
    moved = r1 + Polynomial(coefficients)(Polynomial([-r2, 1.0]))
    return Equality(name, follower, leader, tuple(map(float, moved.coef)))


def loops_and_frames(model: Any) -> tuple[list[Loop], list[Frame], list[str]]:
    """Connects and welds as loops, sites and anchors as frames, and the names of other equalities.

    A site whose name a body has already is called ``site/name``.
    """
    bodies = {name_of(model, BODY, i) for i in range(len(model.body_mass))}
    sites = [_site(model, s, bodies) for s in range(len(model.site_pos))]
    frames, loops = list(sites), []
    for kind in (CONNECT, WELD):
        for e in _active(model, kind):
            name = name_of(model, EQUALITY, e)
            # a weld whose torques are scaled by zero holds a point and lets it turn
            turns = kind == CONNECT or model.eq_data[e, TORQUE_SCALE] == 0
            motion = Spherical() if turns else Fixed()
            ends = model.eq_obj1id[e], model.eq_obj2id[e]
            if model.eq_objtype[e] == SITE_OBJECT:
                a, b = (sites[s] for s in ends)
            else:
                a, b = (
                    Frame(f"{name}/{side}", name_of(model, BODY, body), pose)
                    for side, body, pose in zip("ab", ends, _anchors(model, e, kind), strict=True)
                )
                frames += [a, b]
            loops.append(Loop(name, a.name, b.name, motion))
    other = np.flatnonzero((model.eq_type > JOINT_EQUALITY) & (model.eq_active0 != 0))
    return loops, frames, [name_of(model, EQUALITY, int(e)) for e in other]


def _active(model: Any, kind: int) -> list[int]:
    return [int(e) for e in np.flatnonzero((model.eq_type == kind) & (model.eq_active0 != 0))]


def _anchors(model: Any, e: int, kind: int) -> tuple[Pose, Pose]:
    """Where the equality holds, in its first and its second body."""
    data = model.eq_data[e]
    if kind == CONNECT:
        return Pose(translation=data[:3]), Pose(translation=data[3:6])
    return pose_of(data[3:6], data[6:10]), Pose(translation=data[:3])


def _site(model: Any, s: int, bodies: set[str]) -> Frame:
    name = name_of(model, SITE, s)
    body = name_of(model, BODY, model.site_bodyid[s])
    pose = pose_of(model.site_pos[s], model.site_quat[s])
    return Frame(f"site/{name}" if name in bodies else name, body, pose)
