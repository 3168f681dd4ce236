"""Check that a machine of any length has a regular mass matrix.

The same question as `mechanism.inertia` asks, with the same rule for blame. That module forms mass
matrices, and measures a pivot against all that its joint carries. Here a pass over the nodes finds
the pivots that forward dynamics divides by, in a few random postures; where every node has inertia
of its own, none is tried. What counts as none is measured against the bodies next to a joint:
joints further out yield, so what they move does not add up, and of a long chain even a healthy link
would be nothing against the whole.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from phalanx.dynamics.evaluators.bodies import FREEDOMS, Bodies
from phalanx.dynamics.evaluators.quantities.mass_solve import PIVOTS
from phalanx.dynamics.evaluators.traversal import Traversal
from phalanx.equations.tree.node import Freedom
from phalanx.mechanism.inertia import (
    FARTHEST_SLIDE,
    NO_INERTIA_LEFT,
    POSTURES,
    always_lacking,
)
from phalanx.mechanism.pose import Array

# Inertia of nothing at all: its square is a number that can be divided by.
LEAST = 1e-100

# which freedoms of a node turn; the others slide
_TURNS = {
    Freedom.TURN: (True,),
    Freedom.SLIDE: (False,),
    Freedom.SCREW: (True,),
    Freedom.BALL: (True,) * 3,
    Freedom.PLANE: (False, False, True),
    Freedom.FREE: (False,) * 3 + (True,) * 3,
}


def joints_without_inertia_by_traversal(bodies: Bodies) -> tuple[str, ...]:
    """Joints that make the mass matrix singular in every posture, root first."""
    least = np.maximum(NO_INERTIA_LEFT * _inertia_of_neighbours(bodies), LEAST)
    if (_own_inertia(bodies) + bodies.armature > least).all():
        return ()
    m = bodies.mechanism
    q = m.random_positions(POSTURES, seed=0)
    swept = Traversal(PIVOTS, bodies, threads=1)(POSTURES, {"q": q, "least": least[None]})
    return always_lacking(m, ~(np.abs(swept.results["pivot"]) > least))


def _per_freedom(bodies: Bodies, turning: Array, sliding: Array) -> Array:
    """One number where a freedom of a node turns, another where it slides, shape (nv,)."""
    node = np.repeat(np.arange(len(bodies)), bodies.nv)
    turns = _turns(bodies)
    return np.where(turns, turning[node], sliding[node])


def _turns(bodies: Bodies) -> NDArray[np.bool_]:
    parts = np.full((len(FREEDOMS), max(f.nv for f in FREEDOMS)), False)
    for k, freedom in enumerate(FREEDOMS):
        parts[k, : freedom.nv] = _TURNS[freedom]
    node = np.repeat(np.arange(len(bodies)), bodies.nv)
    within = np.arange(len(node)) - bodies.v[node]
    return parts[bodies.freedom[node], within]


def _own_inertia(bodies: Bodies) -> Array:
    """The inertia of each node by itself along its freedoms, or less; shape (nv,)."""
    centre = bodies.first / np.where(bodies.mass > 0, bodies.mass, 1.0)[:, None]
    about = bodies.second - bodies.mass[:, None, None] * centre[:, :, None] * centre[:, None, :]
    trace = np.trace(about, axis1=1, axis2=2)
    least = np.linalg.eigvalsh(trace[:, None, None] * np.eye(3) - about)[:, 0]
    hinge = bodies.second[:, 0, 0] + bodies.second[:, 1, 1]  # about z, at the node's origin
    single = bodies.freedom == FREEDOMS.index(Freedom.TURN)
    return _per_freedom(bodies, np.where(single, hinge, least), bodies.mass)


def _inertia_of_neighbours(bodies: Bodies) -> Array:
    """Inertia along each freedom of the bodies next to it, if they stood as far out as they can.

    A body, those that hang on it, and where these have no mass, those that hang on them [kg or
    kg·m²].
    """
    mass, second = bodies.mass.tolist(), np.abs(bodies.second).max(axis=(1, 2)).tolist()
    heavy = np.where(bodies.mass > 0, bodies.mass, 1.0)
    far = (np.linalg.norm(bodies.first, axis=1) / heavy).tolist()
    way = np.linalg.norm(bodies.translation, axis=1)
    way += FARTHEST_SLIDE * (~np.isin(bodies.freedom, [FREEDOMS.index(f) for f in _STAYING]))
    ways, parents = way.tolist(), bodies.parent.tolist()
    turning, sliding = np.zeros(len(bodies)), np.zeros(len(bodies))
    own = list(zip(mass, second, far, strict=True))
    massless = bodies.massless.tolist()
    for i in reversed(range(len(bodies))):
        turning[i], sliding[i] = mass[i] * far[i] ** 2 + second[i], mass[i]
        parent = parents[i]
        if parent >= 0:
            m, s, r = (mass[i], second[i], far[i]) if massless[i] else own[i]
            mass[parent] += m
            second[parent] += s
            far[parent] = max(far[parent], ways[i] + r)
    return bodies.armature + _per_freedom(bodies, turning, sliding)


_STAYING = (Freedom.TURN, Freedom.BALL)  # joints whose origins stay where they are
