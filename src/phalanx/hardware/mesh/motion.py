"""Kinematics in the nodes of a mesh: the result of phase 1."""

from __future__ import annotations

from dataclasses import dataclass, field

from casadi import SX

from phalanx.hardware.mesh.program import Held


@dataclass
class MeshKinematics:
    """Axes, arms, their products, and loads; bodies and joints are counted from 1.

    Attributes:
        c: Axis of joint j in body i, by (i, j).
        rho: Arm of joint j about the centre of mass of body i, by (i, j); slides have none.
        moved: How joint j moves that centre, rho x c or c, where its own row has it, by (i, j).
        inertial: [J c; m rho x c], or m c of a slide, by (i, j).
        load: [dL/dt; m p''] of body i.
        rotations: From the parent's axes to those of a body, as row 0 has them.
        closed: [c; rho x c] of body i for independent joint a where loops have a part in it, as
            node (k, i) has it, by (k, i, a).
    """

    c: dict[tuple[int, int], Held] = field(default_factory=dict)
    rho: dict[tuple[int, int], Held] = field(default_factory=dict)
    moved: dict[tuple[int, int], Held] = field(default_factory=dict)
    inertial: dict[tuple[int, int], SX] = field(default_factory=dict)
    load: dict[int, SX] = field(default_factory=dict)
    rotations: dict[int, SX] = field(default_factory=dict)
    closed: dict[tuple[int, int, int], SX] = field(default_factory=dict)
