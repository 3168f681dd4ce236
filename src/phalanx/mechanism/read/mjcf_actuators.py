"""Actuators of a compiled MuJoCo model: those whose force follows from command and state."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx.mechanism.actuator import ENDLESS, Actuator
from phalanx.mechanism.pose import Array
from phalanx.mechanism.read.mjcf_names import ACTUATOR, JOINT, name_of
from phalanx.mechanism.read.report import Remark, Unsupported

# mjtJoint, mjtTrn, mjtDyn, mjtGain, mjtBias and mjtWrap of MuJoCo's header
SLIDE, HINGE = 2, 3
JOINT_TRANSMISSION, JOINT_IN_PARENT, TENDON_TRANSMISSION = 0, 1, 3
NO_DYNAMICS, FIXED_GAIN, NO_BIAS, AFFINE = 0, 0, 0, 1
JOINT_WRAP = 1


def actuators_of(model: Any) -> tuple[list[Actuator], list[Remark]]:
    """Actuators of joints and fixed tendons, and what is not honoured of the others."""
    found, other, passive = [], [], []
    for a in range(len(model.actuator_trntype)):
        name = name_of(model, ACTUATOR, a)
        gears = _gears(model, a) if _is_affine(model, a) else None
        if gears is None:
            other.append(name)
            continue
        if _is_late_or_heavy(model, a):
            passive.append(name)
        # an actuator has as many commands as it takes, of which these have one
        u = int(model.actuator_ctrladr[a]) if hasattr(model, "actuator_ctrladr") else a
        controls = model.actuator_ctrlrange[u] if model.actuator_ctrllimited[u] else ENDLESS
        forces = model.actuator_forcerange[a] if model.actuator_forcelimited[a] else ENDLESS
        acts = not model.actuator_disabled[a]
        bias = model.actuator_biasprm[a, :3] * (model.actuator_biastype[a] == AFFINE) * acts
        gain = np.array(model.actuator_gainprm[a, :3]) * acts
        gain[1:] *= model.actuator_gaintype[a] == AFFINE
        joints = [name_of(model, JOINT, j) for j in gears]
        found.append(
            Actuator(
                name,
                joints,
                np.array(list(gears.values())),
                gain,
                bias,
                np.asarray(controls),
                np.asarray(forces),
            )
        )
    uneven = [
        name_of(model, JOINT, j)
        for j in np.flatnonzero(model.jnt_actfrclimited).tolist()
        if model.jnt_actfrcrange[j, 0] != -model.jnt_actfrcrange[j, 1]
    ]
    return found, [
        Unsupported(
            "actuators with a state, or that are not of hinges, slides and fixed tendons", other
        ),
        Unsupported("delay, damping and armature of actuators", passive),
        Unsupported("the smaller side of actuatorfrcrange of joints", uneven),
    ]


def _is_affine(model: Any, a: int) -> bool:
    """Whether a force is that of :class:`Actuator`."""
    return bool(
        model.actuator_dyntype[a] == NO_DYNAMICS
        and model.actuator_gaintype[a] in (FIXED_GAIN, AFFINE)
        and model.actuator_biastype[a] in (NO_BIAS, AFFINE)
        and model.actuator_plugin[a] < 0
    )


def _gears(model: Any, a: int) -> dict[int, float] | None:
    """Joints that an actuator moves, with gears; None where that is no sum of coordinates."""
    kind, at = model.actuator_trntype[a], int(model.actuator_trnid[a, 0])
    out = int(model.actuator_outadr[a]) if hasattr(model, "actuator_outadr") else a
    gear = float(model.actuator_gear[out, 0])
    if kind in (JOINT_TRANSMISSION, JOINT_IN_PARENT):
        gears = {at: gear}
    elif kind == TENDON_TRANSMISSION and not model.tendon_actfrclimited[at]:
        wraps = slice(model.tendon_adr[at], model.tendon_adr[at] + model.tendon_num[at])
        if not (model.wrap_type[wraps] == JOINT_WRAP).all():
            return None
        gears = {}
        coefficients = model.wrap_prm[wraps].tolist()
        for j, coefficient in zip(model.wrap_objid[wraps].tolist(), coefficients, strict=True):
            gears[j] = gears.get(j, 0.0) + gear * coefficient
    else:
        return None
    return gears if all(model.jnt_type[j] in (SLIDE, HINGE) for j in gears) else None


def _is_late_or_heavy(model: Any, a: int) -> bool:
    """Whether it has numbers that only newer versions of MuJoCo have."""
    names = ("actuator_delay", "actuator_damping", "actuator_dampingpoly", "actuator_armature")
    values: list[Array] = [getattr(model, name)[a] for name in names if hasattr(model, name)]
    return any(np.any(value) for value in values)
