"""Symbolic parameters of a mechanism: masses, inertias, lengths, gears, gravity.

A parameter is named ``owner.attribute``: ``forearm.mass``, ``forearm.com``, ``forearm.inertia``
(xx, xy, xz, yy, yz, zz about the centre of mass), ``elbow.position`` (the joint frame's origin in
the parent body), ``elbow.rotor_inertia``, ``elbow.gear_ratio``, ``elbow.stiffness`` and
``elbow.rest`` of a spring in the joint, ``elbow.damping``; ``strut.stiffness``, ``strut.damping``,
``strut.rest_length`` and ``strut.preload`` of a spring between frames; ``gravity`` stands alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from casadi import SX

from phalanx.base.casadi_operators import symbol
from phalanx.base.errors import InvalidInput, UnknownName, shown
from phalanx.equations.spatial import constant, symmetric
from phalanx.mechanism import Body, Joint, Mechanism, Spring
from phalanx.mechanism.body import NO_INERTIA, RELATIVE_ROUNDING
from phalanx.mechanism.pose import Array
from phalanx.mechanism.spring import SPRING_NUMBERS

BODY_ATTRIBUTES = ("mass", "com", "inertia")
JOINT_ATTRIBUTES = ("position", "rotor_inertia", "gear_ratio", "stiffness", "rest", "damping")
NOT_NEGATIVE = ("mass", "rotor_inertia", "stiffness", "damping", "friction", "slip", "rest_length")


class Parameters:
    """The symbols of some parameters, and numbers for all others."""

    def __init__(self, mechanism: Mechanism, names: Sequence[str] = ()) -> None:
        """Make a symbol for every name.

        Raises:
            UnknownName: When a name is no parameter of the mechanism.
            InvalidInput: When a name is given twice.
        """
        self.mechanism = mechanism
        self.symbols: dict[str, SX] = {}
        for name in names:
            if name in self.symbols:
                raise InvalidInput(f"parameter '{name}' is listed twice.")
            value = parameter_value(mechanism, name)
            self.symbols[name] = symbol(name, value.size)

    def mass(self, body: Body) -> SX:
        """Mass of a body."""
        return self._get(f"{body.name}.mass", body.mass)

    def com(self, body: Body) -> SX:
        """Centre of mass of a body."""
        return self._get(f"{body.name}.com", body.com)

    def inertia(self, body: Body) -> SX:
        """Inertia tensor of a body about its centre of mass."""
        symbol = self.symbols.get(f"{body.name}.inertia")
        if symbol is None:
            return constant((body.inertia + body.inertia.T) / 2)
        return symmetric(*(symbol[k] for k in range(6)))

    def position(self, joint: Joint) -> SX:
        """Origin of a joint frame in the parent body."""
        return self._get(f"{joint.name}.position", joint.pose.translation)

    def reflected_inertia(self, joint: Joint) -> SX:
        """Rotor inertia as the joint feels it, one a freedom."""
        rotor = self._get(f"{joint.name}.rotor_inertia", joint.rotor_inertia)
        ratio = self.gear_ratio(joint)
        return rotor * ratio * ratio

    def gear_ratio(self, joint: Joint) -> SX:
        """Motor turns per turn of the joint, one a freedom."""
        return self._get(f"{joint.name}.gear_ratio", joint.gear_ratio)

    def stiffness(self, joint: Joint) -> SX:
        """Of the spring in a joint, one a freedom."""
        return self._get(f"{joint.name}.stiffness", joint.stiffness)

    def rest(self, joint: Joint) -> SX:
        """Position at which the spring in a joint is relaxed."""
        return self._get(f"{joint.name}.rest", joint.rest_position)

    def damping(self, joint: Joint) -> SX:
        """Viscous friction of a joint, one a freedom."""
        return self._get(f"{joint.name}.damping", joint.damping)

    def of_spring(self, spring: Spring, attribute: str) -> SX:
        """A number of a spring between frames."""
        return self._get(f"{spring.name}.{attribute}", getattr(spring, attribute))

    def gravity(self) -> SX:
        """Acceleration of free fall in the root frame."""
        return self._get("gravity", self.mechanism.gravity)

    def _get(self, name: str, value: object) -> SX:
        symbol = self.symbols.get(name)
        return constant(value) if symbol is None else symbol


def parameter_value(mechanism: Mechanism, name: str) -> Array:
    """The number or numbers a parameter has in the mechanism, shape (size,).

    Raises:
        UnknownName: With the nearest parameter that exists.
    """
    if name == "gravity":
        return mechanism.gravity
    owner, _, attribute = name.rpartition(".")
    if attribute in BODY_ATTRIBUTES:
        body = mechanism.body(owner)
        if attribute == "inertia":
            return body.inertia[np.triu_indices(3)]
        return np.atleast_1d(np.asarray(getattr(body, attribute)))
    if attribute in SPRING_NUMBERS and any(owner == spring.name for spring in mechanism.springs):
        return np.array([getattr(mechanism.spring(owner), attribute)], dtype=np.float64)
    if attribute in JOINT_ATTRIBUTES:
        try:
            joint = mechanism.joint(owner)
        except UnknownName:
            if attribute not in SPRING_NUMBERS:
                raise
            # of a joint or of a spring: it is unknown which was meant
            raise _unknown(mechanism, name) from None
        numbers = {"position": joint.pose.translation, "rest": joint.rest_position}
        return numbers[attribute] if attribute in numbers else getattr(joint, attribute)
    raise _unknown(mechanism, name)


def _unknown(mechanism: Mechanism, name: str) -> UnknownName:
    known = machine_numbers(mechanism)
    return UnknownName(f"mechanism '{mechanism.name}'", "parameter", name, known)


def machine_numbers(mechanism: Mechanism) -> list[str]:
    """All parameters of a mechanism, fixed joints' and springless ones' too."""
    return [
        "gravity",
        *(f"{body.name}.{a}" for body in mechanism.bodies for a in BODY_ATTRIBUTES),
        *(f"{joint.name}.{a}" for joint in mechanism.joints for a in JOINT_ATTRIBUTES),
        *(f"{spring.name}.{a}" for spring in mechanism.springs for a in SPRING_NUMBERS),
    ]


def check_parameter(mechanism: Mechanism, name: str, values: Array) -> None:
    """Refuse numbers that no machine has: what its bodies, joints and springs refuse themselves.

    Runs check where values enter. The compiled functions of ``Dynamics`` do not: they are called in
    loops of microseconds, and optimizers pass through such values on purpose.

    Args:
        mechanism: The machine.
        name: One of its parameters, or of the forces in it.
        values: Of one run, or of many along the leading axes.

    Raises:
        InvalidInput: When a mass, rotor inertia, stiffness, damping, friction or length is
            negative, or when an inertia is not positive semidefinite.
    """
    owner, _, attribute = name.rpartition(".")
    if attribute in NOT_NEGATIVE and np.any(values < 0):
        worst = float(np.min(values))
        raise InvalidInput(
            f"parameter '{name}' is {worst:g}; expected a {attribute.replace('_', ' ')} that is "
            "not negative."
        )
    if attribute == "inertia" and mechanism.body(owner).physical and values.shape[-1:] == (6,):
        xx, xy, xz, yy, yz, zz = np.moveaxis(values, -1, 0)
        tensors = np.stack([xx, xy, xz, xy, yy, yz, xz, yz, zz], axis=-1)
        tensors = tensors.reshape(-1, 3, 3)
        tensors = tensors[np.isfinite(tensors).all(axis=(1, 2))]  # others are refused elsewhere
        least = np.linalg.eigvalsh(tensors)[:, 0]
        size = np.abs(tensors).max(axis=(1, 2), initial=0.0)
        bad = np.flatnonzero(least < -np.maximum(RELATIVE_ROUNDING * size, NO_INERTIA))
        if bad.size:
            came = tensors[bad[0]][np.triu_indices(3)].tolist()
            raise InvalidInput(
                f"parameter '{name}' is {shown(came)}, which has a negative principal moment "
                f"({least[bad[0]]:.4g} kg·m²); expected the inertia (xx, xy, xz, yy, yz, zz) of a "
                "body."
            )
