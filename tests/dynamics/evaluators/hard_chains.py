"""Chains that strain the assumptions of methods: points, massless links, extreme ratios, lines."""

from __future__ import annotations

import numpy as np

from phalanx.mechanism import Body, Joint, Mechanism, Pose, Revolute

LENGTH = 0.1
Y, Z = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def hinged(name: str, masses: list[float], axes: list, extent: float) -> Mechanism:
    """Bodies in line along x; each a mass at its far end, with an inertia of extent² of it."""
    bodies, joints = [Body("root")], []
    for k, (mass, axis) in enumerate(zip(masses, axes, strict=True)):
        inertia = mass * extent**2 * np.eye(3)
        bodies.append(Body(f"body{k}", mass, np.array([LENGTH, 0.0, 0.0]), inertia))
        seat = Pose(np.eye(3), np.array([LENGTH if k else 0.0, 0.0, 0.0]))
        joints.append(Joint(f"hinge{k}", bodies[k].name, f"body{k}", Revolute(axis), seat))
    return Mechanism(name, bodies, joints, gravity=np.array([0.0, 9.81, -9.81]))


def cross_hinged(name: str, masses: list[float], extent: float) -> Mechanism:
    """Two hinges at each place, about z and y, with a body between them that has no mass."""
    bodies, joints = [Body("root")], []
    for k, mass in enumerate(masses):
        seat = Pose(np.eye(3), np.array([LENGTH if k else 0.0, 0.0, 0.0]))
        inertia = mass * extent**2 * np.eye(3)
        bodies.append(Body(f"cross{k}"))
        joints.append(Joint(f"z{k}", bodies[2 * k].name, f"cross{k}", Revolute(Z), seat))
        bodies.append(Body(f"body{k}", mass, np.array([LENGTH, 0.0, 0.0]), inertia))
        joints.append(Joint(f"y{k}", f"cross{k}", f"body{k}", Revolute(Y)))
    return Mechanism(name, bodies, joints, gravity=np.array([0.0, 9.81, -9.81]))


def hard_chains(count: int) -> dict[str, Mechanism]:
    """Chains by what is hard about them."""
    ones, parallel = [1.0] * count, [Z] * count
    turns = [Z, Y] * (count // 2)
    heavy = 1e12
    return {
        "points": hinged("points", ones, parallel, 0.0),
        "massless": cross_hinged("crosses", ones[: count // 2], 0.0),
        "extended": hinged("extended", ones, turns, 0.05),
        "heavy root": hinged("heavy_root", [heavy, *ones[1:]], turns, 0.05),
        "alternating": hinged("alternating", [1.0, heavy] * (count // 2), turns, 0.05),
        "heavy tip": hinged("heavy_tip", [*ones[1:], heavy], turns, 0.05),
        "graded": hinged("graded", list(np.geomspace(1.0, heavy, count)), turns, 0.05),
    }
