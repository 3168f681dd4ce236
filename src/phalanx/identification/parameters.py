"""Parameters that torques are linear in: ten of each body, and selected ones of joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phalanx.base.errors import InvalidInput
from phalanx.dynamics import Dynamics
from phalanx.equations.inverse_dynamics.regressor import PARAMETERS
from phalanx.mechanism import Body, Joint, Mechanism
from phalanx.planning.paths.machine import joint_names

Array = NDArray[np.float64]

# of joints, by the field of Joint: what each multiplies is below
OF_JOINTS = ("rotor_inertia", "damping", "friction")


def checked_terms(terms: Sequence[str]) -> tuple[str, ...]:
    """Names among ``OF_JOINTS``, in their order."""
    for name in terms:
        if name not in OF_JOINTS:
            raise InvalidInput(
                f"there is no parameter of joints called {name!r}; choose among "
                f"{', '.join(OF_JOINTS)}."
            )
    return tuple(name for name in OF_JOINTS if name in terms)


def names_of(mechanism: Mechanism, terms: Sequence[str]) -> tuple[str, ...]:
    """``link_2.Ixx`` of bodies, ``joint_1.damping`` of joints, in the order of columns."""
    bodies = [f"{body.name}.{name}" for body in mechanism.bodies[1:] for name in PARAMETERS]
    return (*bodies, *(f"{joint}.{term}" for term in terms for joint in joint_names(mechanism)))


def values_of(mechanism: Mechanism, terms: Sequence[str]) -> Array:
    """Values of the parameters in a machine; rotor inertias are reflected to the joints."""
    bodies = [parameters_of(body) for body in mechanism.bodies[1:]]
    return np.concatenate([*bodies, *(_of_joints(mechanism, term) for term in terms)])


def columns(dynamics: Dynamics, q: Array, v: Array, a: Array, terms: Sequence[str]) -> Array:
    """The matrix that makes torques of parameters, shape (..., n, parameters)."""
    Y = np.asarray(dynamics.regressor(q, v, a))
    n = dynamics.mechanism.nv
    factors = {"rotor_inertia": a, "damping": v, "friction": np.sign(v)}
    return np.concatenate([Y, *(np.eye(n) * factors[term][..., None] for term in terms)], axis=-1)


def known_torques(dynamics: Dynamics, v: Array, a: Array, terms: Sequence[str]) -> Array:
    """Torques of what is not asked for: rotors, damping and friction as the machine has them."""
    m = dynamics.mechanism
    factors = {"rotor_inertia": a, "damping": v, "friction": np.sign(v)}
    rest = [_of_joints(m, term) * factors[term] for term in OF_JOINTS if term not in terms]
    return np.asarray(sum(rest, np.zeros_like(v)))


def parameters_of(body: Body) -> Array:
    """Mass, first moments and the inertia about the body's origin, as the regressor has them."""
    c, h = body.com, body.mass * body.com
    I = body.inertia + body.mass * (c @ c * np.eye(3) - np.outer(c, c))
    return np.array([body.mass, *h, *moments(I)])


def moments(I: Any) -> list[Any]:
    """Six numbers of an inertia tensor, of numbers or symbols, in the regressor's order."""
    return [I[0, 0], I[0, 1], I[1, 1], I[0, 2], I[1, 2], I[2, 2]]


def inertia_at_origin(p: Array) -> Array:
    """The inertia tensor about the origin from ten parameters, shape (3, 3)."""
    xx, xy, yy, xz, yz, zz = p[4:]
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def at_centre(p: Array) -> tuple[Array, Array, Array]:
    """Mass, centre and the inertia about it from ten parameters."""
    m, c = p[0], p[1:4] / p[0]
    return m, c, inertia_at_origin(p) - m * ((c @ c) * np.eye(3) - np.outer(c, c))


def pseudo_inertia(p: Array) -> Array:
    """The 4×4 matrix of a body's second, first and zeroth moments; positive for every body."""
    I, J = inertia_at_origin(p), np.empty((4, 4))
    J[:3, :3] = np.trace(I) / 2 * np.eye(3) - I
    J[:3, 3] = J[3, :3] = p[1:4]
    J[3, 3] = p[0]
    return J


def with_parameters(mechanism: Mechanism, values: Array, terms: Sequence[str]) -> Mechanism:
    """The machine with other parameters, bodies without mass as they are."""
    bodies = [mechanism.bodies[0]]
    for body, p in zip(
        mechanism.bodies[1:], values[: _count(mechanism)].reshape(-1, 10), strict=True
    ):
        if not p[0] > 0 or np.array_equal(p, parameters_of(body)):
            bodies.append(body)
            continue
        m, c, I = at_centre(p)
        bodies.append(replace(body, mass=float(m), com=c, inertia=(I + I.T) / 2, physical=True))
    of_joints = dict(
        zip(terms, values[_count(mechanism) :].reshape(len(terms), mechanism.nv), strict=True)
    )
    joints = [_joint_with(joint, mechanism, of_joints) for joint in mechanism.joints]
    return replace(mechanism, bodies=tuple(bodies), joints=tuple(joints))


def _joint_with(joint: Joint, mechanism: Mechanism, of_joints: dict[str, Array]) -> Joint:
    if joint.name not in mechanism.v_slices:
        return joint
    where = mechanism.v_slices[joint.name]
    numbers: dict[str, Any] = {term: row[where] for term, row in of_joints.items()}
    if "rotor_inertia" in numbers:  # on the motor's side of the gear
        numbers["rotor_inertia"] = numbers["rotor_inertia"] / np.asarray(joint.gear_ratio) ** 2
    return replace(joint, **numbers)


def _count(mechanism: Mechanism) -> int:
    return 10 * (len(mechanism.bodies) - 1)


def _of_joints(mechanism: Mechanism, term: str) -> Array:
    field = "reflected_inertia" if term == "rotor_inertia" else term
    return mechanism.per_freedom(field)
