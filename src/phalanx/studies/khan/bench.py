"""The test bench of Khan's thesis: three seconds of the planar 3-RRR, replayed by every method."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from phalanx.mechanism import Loop, Mechanism, Spherical, library
from phalanx.mechanism.library.planar_3rrr import PERIOD, TURNS
from phalanx.planning.motions import cycloid
from phalanx.simulation.formulations.formulation import Array, Control
from phalanx.studies.khan.prescribed import PrescribedMotion, prescribe

DURATION = PERIOD  # [s]
DRIVES = ("drive_1", "drive_2", "drive_3")
# the thesis gives no gains; these are stiff against the machine and soft against steps of 1 ms
STIFFNESS, DAMPING = 2500.0, 100.0  # [N·m/rad], [N·m·s/rad]


def in_base_axes(mechanism: Mechanism) -> Mechanism:
    """The machine with its loops written as the thesis does: tip less vertex, in base axes.

    A pin in the platform's axes says the same of closed loops. Springs that give way say the same
    only as far as loops stay closed: dampers then resist the rate of another vector.
    """
    loops = [Loop(loop.name, loop.frame_a, loop.frame_b, Spherical()) for loop in mechanism.loops]
    return replace(mechanism, loops=loops)


@lru_cache(maxsize=1)
def bench() -> PrescribedMotion:
    """The prescribed motion of the thesis, and its forces.

    Reference:
        Khan (2002), sec. 4.0.2 and 4.0.3.
    """
    mechanism = library.planar_3rrr()
    return prescribe(mechanism, DRIVES, cycloid(DURATION, (0.0, 0.0, 0.0), TURNS), DURATION)


def replay(motion: PrescribedMotion) -> Control:
    """The motors do what the motion needs, whatever the machine does."""

    def control(t: float, q: Array, v: Array) -> Array:
        tau = np.zeros(motion.mechanism.nv)
        tau[list(motion.motors)] = motion.at(t)[0]
        return tau

    return control


def feedback(
    motion: PrescribedMotion, stiffness: float = STIFFNESS, damping: float = DAMPING
) -> Control:
    """Replay with feedback: PD control of every motor.

    Args:
        motion: What is wanted.
        stiffness: [N·m/rad or N/m].
        damping: [N·m·s/rad or N·s/m].
    """
    motors = list(motion.motors)

    def control(t: float, q: Array, v: Array) -> Array:
        needed, angles, rates = motion.at(t)
        tau = np.zeros(motion.mechanism.nv)
        off, slow = angles - motion.angles(q), rates - v[motors]
        tau[motors] = needed + stiffness * off + damping * slow
        return tau

    return control


def correction(motion: PrescribedMotion, t: Array, q: Array, v: Array) -> Array:
    """Feedback forces, in per cent of each motor's peak force, shape (k, motors)."""
    control = feedback(motion)
    motors = list(motion.motors)
    added = [control(t[k], q[k], v[k])[motors] - motion.at(t[k])[0] for k in range(len(t))]
    return 100 * np.abs(added) / np.abs(motion.tau).max(axis=0)
