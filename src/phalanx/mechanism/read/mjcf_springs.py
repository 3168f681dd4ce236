"""MuJoCo's springs: those of joints, and tendons that are a straight line between two sites."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from phalanx.mechanism.body import Frame
from phalanx.mechanism.joint import Motion
from phalanx.mechanism.pose import Array
from phalanx.mechanism.read.mjcf_names import JOINT, TENDON, name_of
from phalanx.mechanism.read.report import Remark, Unsupported
from phalanx.mechanism.spring import Spring

SITE_WRAP = 3  # mjtWrap of MuJoCo's header


def rest_of(model: Any, j: int, motion: Motion) -> Array:
    """Position at which the spring of a joint is relaxed, shape (nq,)."""
    start = model.jnt_qposadr[j]
    rest = np.array(model.qpos_spring[start : start + motion.nq])
    if motion.nq != motion.nv:
        rest[-4:] = rest[[-3, -2, -1, -4]]  # from (w, x, y, z)
    return rest


def tendon_springs(model: Any, sites: Sequence[Frame]) -> tuple[list[Spring], list[str]]:
    """Springs and dampers of tendons, and the names of tendons whose forces are left out.

    Args:
        model: The compiled model.
        sites: Its sites, in their order.
    """
    joints = {name_of(model, JOINT, j) for j in range(len(model.jnt_type))}
    springs, left_out = [], []
    for t in range(len(model.tendon_num)):
        stiffness, damping = float(model.tendon_stiffness[t]), float(model.tendon_damping[t])
        rubs = bool(model.tendon_frictionloss[t] or model.tendon_armature[t])
        if not (stiffness or damping or rubs):
            continue
        name = name_of(model, TENDON, t)
        first, count = model.tendon_adr[t], model.tendon_num[t]
        wraps = slice(first, first + count)
        short, long = model.tendon_lengthspring[t]
        straight = count == 2 and (model.wrap_type[wraps] == SITE_WRAP).all()
        if rubs or not straight or (stiffness and short != long) or _is_curved(model, "tendon", t):
            left_out.append(name)
            continue
        a, b = (sites[s] for s in model.wrap_objid[wraps])
        if a.body != b.body:
            own = f"tendon/{name}" if name in joints else name
            springs.append(Spring(own, a.name, b.name, stiffness, damping, float(long)))
    return springs, left_out


def spring_remarks(model: Any, tendons: Sequence[str]) -> list[Remark]:
    """Remarks on a model's springs that are left out."""
    curved = [
        name_of(model, JOINT, j)
        for j in range(len(model.jnt_type))
        if _is_curved(model, "jnt", j) or _is_curved(model, "dof", int(model.jnt_dofadr[j]))
    ]
    return [
        Unsupported("terms of higher order and yield of springs and dampers of joints", curved),
        Unsupported("forces of tendons that are no straight spring", tendons),
    ]


def _is_curved(model: Any, owner: str, k: int) -> bool:
    """Whether a force has terms of higher order or yields, which only newer versions know."""
    names = (f"{owner}_stiffnesspoly", f"{owner}_dampingpoly", f"{owner}_springyield")
    return any(np.any(getattr(model, name)[k]) for name in names if hasattr(model, name))
