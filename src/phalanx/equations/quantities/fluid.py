"""Fluid drag on parts of a machine, as joint forces.

A part has a place, directions and numbers of its own; what the fluid does to it is a function of
its velocity. The recursion is the same for boxes of a model file and for rods in water.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import final

import casadi as ca
import numpy as np
from casadi import DM, SX

from phalanx.base.short_repr import short_repr
from phalanx.equations.equation import equation
from phalanx.equations.model_of import model_of
from phalanx.equations.spatial import Rotation, Twist, Wrench
from phalanx.equations.tree.composites import composites
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.motion import BaseMotion, velocities, world_poses
from phalanx.mechanism import Mechanism
from phalanx.mechanism.pose import Array


@short_repr
@final
@dataclass(frozen=True, eq=False)
class ImmersedPart:
    """Part of a machine that a fluid acts on, in the axes of a frame.

    Attributes:
        frame: Body or frame that carries it.
        centre: [m], shape (3,).
        directions: Unit vectors, shape (n, 3).
        numbers: Whatever else its drag depends on, shape (k,).
    """

    frame: str
    centre: Array
    directions: Array
    numbers: Array


# what the fluid does to a part at a frame's origin and in its axes, of the frame's velocity, the
# fluid's velocity in these axes, and centre, directions and numbers of the part as one column
Drag = Callable[[Twist, SX, SX], Wrench]


def drag_forces(
    model: Model, q: SX, v: SX, parts: Sequence[ImmersedPart], wind: Array, drag: Drag
) -> SX:
    """Joint forces of a fluid, Jᵀ times the wrenches on all parts, shape (nv,).

    Args:
        model: The machine.
        q: Positions, shape (nq,).
        v: Velocities, shape (nv,).
        parts: What is in the fluid.
        wind: Velocity of the fluid in the root frame [m/s], shape (3,).
        drag: What it does to a part.
    """
    X = model.transforms(q)
    motion = velocities(model, X, v, BaseMotion.still())
    poses = world_poses(model, X) if wind.any() else None
    felt = [Wrench.none() for _ in model.nodes]
    for part in parts:
        place = model.place(part.frame)
        if place.node < 0:
            continue
        R = place.pose.rotation
        column = ca.vertcat(
            place.pose.point(SX(DM(part.centre))),
            *(R.into_parent(SX(DM(direction))) for direction in part.directions),
            DM(part.numbers),
        )
        stream = seen_wind(wind, poses[place.node].rotation if poses else None)
        felt[place.node] = felt[place.node] + drag(motion[place.node], stream, column)
    carried = composites(model, X, felt)
    return model.gather([node.along(F) for node, F in zip(model.nodes, carried, strict=True)])


def seen_wind(wind: Array, R: Rotation | None) -> SX:
    """Velocity of the fluid in the axes of a frame; R is the frame's in the root."""
    stream = SX(DM(wind))
    return stream if R is None or not wind.any() else R.into_child(stream)


def fluid_boxes(mechanism: Mechanism) -> list[ImmersedPart]:
    """Boxes of a machine in its fluid: three axes, then sides, density and viscosity."""
    fluid = mechanism.fluid
    if fluid is None or not (fluid.density or fluid.viscosity):
        return []
    return [
        ImmersedPart(
            box.frame,
            box.pose.translation,
            box.pose.rotation.T,
            np.array([*box.sides, fluid.density, fluid.viscosity]),
        )
        for box in fluid.boxes_of(mechanism.bodies)
    ]


def box_drag(V: Twist, stream: SX, box: SX) -> Wrench:
    """Quadratic drag on the sides of a box, and viscous drag of a sphere of its mean width.

    With the velocity u of its centre against the fluid and its angular velocity w, in its axes,
    sides a, b, c and d = (a + b + c)/3, it feels along its first axis

        f = -½ ρ b c |u₁| u₁ - 3 π d η u₁,    t = -ρ a (b⁴ + c⁴) |w₁| w₁ / 64 - π d³ η w₁.

    Args:
        V: Velocity of a frame, in its axes.
        stream: Velocity of the fluid in these axes [m/s], shape (3,).
        box: Centre, three axes, sides, density and viscosity, shape (17,).

    Reference:
        MuJoCo documentation, Computation, Fluid forces, inertia model.
    """
    centre, R = box[:3], ca.reshape(box[3:12], 3, 3)  # axes as columns
    sides, density, viscosity = box[12:15], box[15], box[16]
    u, w = R.T @ (V.at(centre).linear - stream), R.T @ V.angular
    width = ca.sum1(sides) / 3
    force = -3 * np.pi * width * viscosity * u
    torque = -np.pi * width**3 * viscosity * w
    for k in range(3):
        a, b, c = sides[k], sides[(k + 1) % 3], sides[(k + 2) % 3]
        force[k] -= density * b * c * ca.fabs(u[k]) * u[k] / 2
        torque[k] -= density * a * (b**4 + c**4) * ca.fabs(w[k]) * w[k] / 64
    return Wrench(R @ torque, R @ force).acting_at(centre)


@equation("tau")
def fluid_forces(mechanism: Mechanism | Model, q: SX, v: SX) -> SX:
    """Joint forces of the fluid that a machine moves in [N or N·m], shape (nv,).

    Zero for a machine without ``fluid``. With loops: along the joints of the spanning tree.

    Args:
        mechanism: The machine.
        q: Positions, shape (nq,).
        v: Velocities, shape (nv,).
    """
    model = model_of(mechanism)
    fluid, boxes = model.mechanism.fluid, fluid_boxes(model.mechanism)
    if fluid is None or not boxes:
        return SX.zeros(model.nv, 1)
    return drag_forces(model, q, v, boxes, fluid.wind, box_drag)
