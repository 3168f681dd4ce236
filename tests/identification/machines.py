"""Machines and data that identification is tried on."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

import phalanx as px
from phalanx.identification.parameters import OF_JOINTS, values_of

TERMS = ("damping", "friction")


def with_friction(machine, damping=0.3, friction=0.5):
    joints = [
        replace(joint, damping=damping, friction=friction) if joint.motion.nv else joint
        for joint in machine.joints
    ]
    return replace(machine, joints=tuple(joints))


@cache
def data_of(name, rows=300, terms=TERMS):
    """The machine, its true base parameters, motions that show them, and exact torques."""
    machine = with_friction(px.library.by_name(name))
    found = px.identification.excitation(
        machine, velocity_limit=2.0, acceleration_limit=6.0, terms=terms, generations=2, restarts=2
    )
    q, v, a = found.path((np.arange(rows) + 0.5) * found.path.duration / rows)
    tau = px.Dynamics(machine, threads=1).inverse_dynamics(q, v, a) + 0.3 * v + 0.5 * np.sign(v)
    truth = found.base.of(values_of(machine, [t for t in OF_JOINTS if t in terms]))
    return machine, truth, (q, v, a), tau
