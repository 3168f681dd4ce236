"""Payload identification: what an arm carries, from its torques."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phalanx.base.arguments import checked
from phalanx.base.errors import InvalidInput
from phalanx.base.short_repr import short_repr
from phalanx.dynamics import Dynamics
from phalanx.equations.inverse_dynamics.regressor import PARAMETERS
from phalanx.equations.tree.model import Model
from phalanx.identification.least_squares import noise_of_joints, solve
from phalanx.identification.measurements import measured_of
from phalanx.identification.parameters import (
    at_centre,
    known_torques,
    moments,
    pseudo_inertia,
)
from phalanx.mechanism import Body, Frame, Mechanism, Pose
from phalanx.planning.paths.machine import dynamics_of

Array = NDArray[np.float64]

STEP = 1e-30  # of an imaginary part, which gives derivatives without a difference


@short_repr
@final
@dataclass(frozen=True, eq=False)
class Payload:
    """Payload of an arm: mass, centre and inertia.

    Attributes:
        mass: [kg].
        com: Centre of mass in the frame's axes [m], shape (3,).
        inertia: About the centre of mass [kg·m²], shape (3, 3); zero where it was not sought.
        mass_error, com_error, inertia_error: Standard errors of these.
        noise: Standard deviation of each joint's torque about the model [N·m or N], shape (n,).
        physical: Whether a body can have these numbers.
    """

    mass: float
    com: Array
    inertia: Array
    mass_error: float
    com_error: Array
    inertia_error: Array
    noise: Array
    physical: bool

    def body(self, name: str = "payload") -> Body:
        """The payload as a body, to be attached to the arm."""
        return Body(name, self.mass, self.com, self.inertia, physical=self.physical)


@checked
def payload(
    machine: Mechanism | Dynamics,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    tau: ArrayLike,
    *,
    frame: str | None = None,
    inertia: bool = True,
    noise: ArrayLike | None = None,
) -> Payload:
    """Mass, centre and inertia of what an arm carries.

    Torques beyond those of the arm's own model (rotors, damping and friction of its joints among
    them) are the payload's.

    Args:
        machine: The arm without it, a mechanism or its dynamics.
        q: Positions [rad or m], shape (..., n).
        v: Velocities [rad/s or m/s], shape (..., n).
        a: Accelerations [rad/s² or m/s²], shape (..., n).
        tau: Joint torques that were measured [N·m or N], shape (..., n).
        frame: Where it is held, a frame or body; the last body when not given. An arm that ends in
            several, such as fingers, needs it said.
        inertia: Whether its inertia is sought too; slow motions show mass and centre alone, and
            the inertia about the frame's origin is then taken to be that of a point.
        noise: Standard deviation of torques [N·m or N], one number or (n,); estimated when not
            given.

    Raises:
        NotExciting: When the motions do not show it; with the names of what stays unknown.
        InvalidInput: When data have other shapes, no numbers, or too few rows, when nothing moves
            the frame, none is given and the arm ends in several bodies, or nothing is carried.
    """
    dynamics = dynamics_of(machine)
    m = dynamics.mechanism
    data = measured_of(m, q, v, a, tau)
    where = _holding_frame(dynamics.model, frame)
    k = 10 * (m.body_index(where.body) - 1)
    own = np.asarray(dynamics.inverse_dynamics(data.q, data.v, data.a))
    # rotors are in inverse dynamics already
    own = own + known_torques(dynamics, data.v, data.a, ("rotor_inertia",))
    W = np.asarray(dynamics.regressor(data.q, data.v, data.a))[..., k : k + 10]
    W = W @ _into_body(where.pose)
    count = 10 if inertia else 4
    names = tuple(f"payload.{name}" for name in PARAMETERS[:count])
    sigma = noise_of_joints(noise, m.nv)
    scale = np.sqrt(np.mean(W[..., :count] ** 2, axis=(0, 1)))
    usual = np.array([1.0, *[0.1] * 3, *[0.01] * 6])[:count]  # of columns in their own units
    scale = np.maximum(scale, 1e-6 * (scale / usual).max() * usual)
    carried = data.tau - own
    if not carried.any():
        raise InvalidInput(
            f"these are the torques of '{m.name}' itself, to the last digit: it carries nothing."
        )
    found = solve(W[..., :count], carried, names, scale, sigma)
    ten = np.concatenate([found.values, np.zeros(10 - count)])
    covariance = np.zeros((10, 10))
    covariance[:count, :count] = found.covariance
    return _described(ten, covariance, found.noise, inertia)


def _holding_frame(model: Model, name: str | None) -> Frame:
    """The frame that holds the payload, which a joint moves."""
    m = model.mechanism
    if name is None:
        parents = {joint.parent for joint in m.joints}
        ends = [body.name for body in m.bodies if body.name not in parents]
        moved = [end for end in ends if model.place(end).node >= 0]
        if len(moved) > 1:
            raise InvalidInput(
                f"'{m.name}' has no single last body, it ends in {', '.join(moved)}; say with "
                "frame= which frame or body holds the payload."
            )
        name = (moved or ends)[0]
    if model.place(name).node < 0:
        raise InvalidInput(
            f"nothing moves frame '{name}' of '{m.name}', so that no torque shows what it carries. "
            "Choose a frame beyond a joint."
        )
    return m.frame(name)


def _described(ten: Array, covariance: Array, noise: Array, inertia: bool) -> Payload:
    def of(p: Array) -> Array:
        mass, centre, I = at_centre(p)
        return np.concatenate([[mass], centre, I.ravel() * inertia])

    slopes = np.stack([of(ten + STEP * 1j * unit).imag / STEP for unit in np.eye(10)], axis=1)
    value = of(ten)
    error = np.sqrt(np.einsum("ij,jk,ik->i", slopes, covariance, slopes))
    I = value[4:].reshape(3, 3)
    least = np.linalg.eigvalsh(pseudo_inertia(ten)).min() if inertia else value[0]
    return Payload(
        float(value[0]),
        value[1:4],
        I,
        float(error[0]),
        error[1:4],
        error[4:].reshape(3, 3),
        noise,
        bool(least > 0),
    )


def _into_body(pose: Pose) -> Array:
    """Ten parameters in a body's axes from ten in a frame's, linear, shape (10, 10)."""
    columns = []
    for unit in np.eye(10):
        J = np.eye(4)
        J[:3, :3], J[:3, 3] = pose.rotation, pose.translation
        moved = J @ pseudo_inertia(unit) @ J.T
        S = moved[:3, :3]
        columns.append([moved[3, 3], *moved[:3, 3], *moments(np.trace(S) * np.eye(3) - S)])
    return np.array(columns).T
