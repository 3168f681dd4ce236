"""Machines for tests of constraint forces: many chains on one root, which do not touch each other.

So that code is compiled once for hundreds of random chains.
"""

from __future__ import annotations

import numpy as np

import strategies
from phalanx.dynamics.evaluators.bodies import bodies_of
from phalanx.dynamics.evaluators.constraint_forces.equations import ConstraintEquations, Posed
from phalanx.dynamics.evaluators.constraint_forces.jointed import jointed_bodies
from phalanx.dynamics.evaluators.method import still_root
from phalanx.mechanism import Body, Joint, Mechanism


def chains(
    lengths: list[int], kinds: tuple[str, ...], seed: int, branching: bool = False
) -> Mechanism:
    """Chains, or trees, of random bodies with random joints, all on one root."""
    rng = np.random.default_rng(seed)
    bodies, joints = [Body("root")], []
    for c, length in enumerate(lengths):
        names = ["root"]
        for i in range(length):
            aligned = bool(rng.integers(2))
            kind = str(rng.choice(kinds))
            parent = names[int(rng.integers(min(i, 1), i + 1))] if branching else names[-1]
            names.append(f"b{c}_{i}")
            bodies.append(strategies.random_body(rng, names[-1], aligned))
            motion = strategies.random_motion(rng, kind, aligned)
            pose = strategies.random_pose(rng, aligned)
            joints.append(Joint(f"j{c}_{i}", parent, names[-1], motion, pose))
    return Mechanism("chains", bodies, joints, gravity=np.array([1.0, -2.0, -9.0]))


def states(m: Mechanism, count: int, seed: int = 0) -> tuple[np.ndarray, ...]:
    """Positions, velocities and joint forces, a row a sample."""
    drawn = [strategies.state_of(m, seed + k) for k in range(count)]
    return tuple(np.array([getattr(s, name) for s in drawn]) for name in ("q", "v", "tau"))


def posed(m: Mechanism, count: int = 1, seed: int = 0) -> tuple[ConstraintEquations, Posed]:
    """The equations of a machine at random states."""
    equations = ConstraintEquations(jointed_bodies(bodies_of(m)))
    q, v, tau = states(m, count, seed)
    return equations, equations.pose(q, v, tau, still_root(m, count))
