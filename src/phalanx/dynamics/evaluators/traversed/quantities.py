"""Table of quantities by traversal: arguments, recursions, results."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, final

import numpy as np

from phalanx.dynamics.evaluators.articulated import FORWARD_DYNAMICS
from phalanx.dynamics.evaluators.quantities import inverse_dynamics, mass_solve, motion, totals
from phalanx.dynamics.evaluators.quantities.frames import COLUMN_RATES, COLUMNS
from phalanx.dynamics.evaluators.recursion import Recursion
from phalanx.dynamics.evaluators.traversed import frames, matrices
from phalanx.dynamics.evaluators.traversed.arguments import Arguments
from phalanx.dynamics.evaluators.traversed.springs import elastic_energy, passive_forces
from phalanx.mechanism.pose import Array


@final
@dataclass(frozen=True)
class TraversedQuantity:
    """A quantity by recursions over the bodies.

    Attributes:
        size: How many numbers it gives where these are a column.
        recursions: Those that one evaluation takes, for counting operations.
        find: What makes the result of the arguments, (samples, ...).
    """

    size: Literal["nq", "nv"] | int | None
    recursions: tuple[Recursion, ...]
    find: Callable[[Arguments], Array]


def _inverse_dynamics(arguments: Arguments) -> Array:
    arrays = {name: arguments[name] for name in ("q", "v", "a")}
    recursion = inverse_dynamics.INVERSE_DYNAMICS
    if arguments.external is not None:
        arrays["external"] = arguments.external.reshape(arguments.samples, -1)
        recursion = inverse_dynamics.INVERSE_DYNAMICS_ACTED_ON
    result = arguments.run(recursion, arrays, [arguments.root, None])
    return result.results["tau"]


def _forward_dynamics(arguments: Arguments) -> Array:
    q, v, tau = arguments["q"], arguments["v"], arguments["tau"]
    root = arguments.root
    if len(root) < arguments.samples:
        root = np.tile(root, (arguments.samples, 1))
    return arguments.machine.solver.accelerations(q, v, tau, root, arguments.external)


def _bias(arguments: Arguments) -> Array:
    arrays = {"q": arguments["q"], "v": arguments["v"]}
    result = arguments.run(inverse_dynamics.BIAS, arrays, [arguments.root, None])
    return result.results["tau"]


def _gravity(arguments: Arguments) -> Array:
    result = arguments.run(inverse_dynamics.GRAVITY, {"q": arguments["q"]}, [arguments.root, None])
    return result.results["tau"]


def _mass_solve(arguments: Arguments) -> Array:
    arrays = {"q": arguments["q"], "tau": arguments["f"]}
    return arguments.run(mass_solve.MASS_SOLVE, arrays).results["a"]


def _weight(arguments: Arguments) -> tuple[Array, Array]:
    """Mass (samples, 1), and its first moment about the root's origin (samples, 3)."""
    (total,) = arguments.run(totals.MASS, {"q": arguments["q"]}).ends
    assert total is not None
    return total[:, :1], total[:, 1:]


def _totals(arguments: Arguments) -> Array:
    arrays = {"q": arguments["q"], "v": arguments["v"]}
    _, total = arguments.run(totals.TOTALS, arrays).ends
    assert total is not None
    return total


def _potential(arguments: Arguments, moment: Array) -> Array:
    return -np.einsum("ni,ni->n", np.broadcast_to(arguments.gravity, moment.shape), moment)


def _kinetic_energy(arguments: Arguments) -> Array:
    arrays = {"q": arguments["q"], "v": arguments["v"]}
    _, total = arguments.run(totals.KINETIC_ENERGY, arrays).ends
    assert total is not None
    return total


def _potential_energy(arguments: Arguments) -> Array:
    return _potential(arguments, _weight(arguments)[1]) + elastic_energy(arguments)


def _energy(arguments: Arguments) -> Array:
    total = _totals(arguments)
    return total[:, 10] + _potential(arguments, total[:, 7:10]) + elastic_energy(arguments)


def _momentum(arguments: Arguments) -> Array:
    total = _totals(arguments)
    P, L, com = total[:, :3], total[:, 3:6], total[:, 7:10] / total[:, 6:7]
    return np.hstack([P, L - np.cross(com, P)])


def _center_of_mass(arguments: Arguments) -> Array:
    mass, moment = _weight(arguments)
    return moment / mass


def _integrate(arguments: Arguments) -> Array:
    arrays = {"q": arguments["q"], "v": arguments["v"]}
    return arguments.run(motion.INTEGRATE, arrays).results["q_next"]


def _difference(arguments: Arguments) -> Array:
    arrays = {"q": arguments["q0"], "q_end": arguments["q1"]}
    return arguments.run(motion.DIFFERENCE, arrays).results["v"]


def _interpolate(arguments: Arguments) -> Array:
    part = arguments["s"] * _difference(arguments)
    arrays = {"q": arguments["q0"], "v": part}
    return arguments.run(motion.INTEGRATE, arrays).results["q_next"]


TRAVERSED_QUANTITIES = {
    "inverse_dynamics": TraversedQuantity(
        "nv", (inverse_dynamics.INVERSE_DYNAMICS,), _inverse_dynamics
    ),
    "forward_dynamics": TraversedQuantity("nv", (FORWARD_DYNAMICS,), _forward_dynamics),
    "bias": TraversedQuantity("nv", (inverse_dynamics.BIAS,), _bias),
    "gravity": TraversedQuantity("nv", (inverse_dynamics.GRAVITY,), _gravity),
    "mass_times": TraversedQuantity("nv", (inverse_dynamics.MASS_TIMES,), matrices.mass_times),
    "mass_solve": TraversedQuantity("nv", (mass_solve.MASS_SOLVE,), _mass_solve),
    "mass_matrix": TraversedQuantity(None, (inverse_dynamics.MASS_TIMES,), matrices.mass_matrix),
    "mass_matrix_inverse": TraversedQuantity(
        None, (mass_solve.MASS_SOLVE,), matrices.mass_matrix_inverse
    ),
    "passive_forces": TraversedQuantity("nv", (motion.VELOCITIES,), passive_forces),
    "energy": TraversedQuantity(None, (totals.TOTALS,), _energy),
    "kinetic_energy": TraversedQuantity(None, (totals.KINETIC_ENERGY,), _kinetic_energy),
    "potential_energy": TraversedQuantity(None, (totals.MASS,), _potential_energy),
    "momentum": TraversedQuantity(6, (totals.TOTALS,), _momentum),
    "center_of_mass": TraversedQuantity(3, (totals.MASS,), _center_of_mass),
    "integrate": TraversedQuantity("nq", (motion.INTEGRATE,), _integrate),
    "difference": TraversedQuantity("nv", (motion.DIFFERENCE,), _difference),
    "interpolate": TraversedQuantity("nq", (motion.DIFFERENCE, motion.INTEGRATE), _interpolate),
    "body_poses": TraversedQuantity(None, (motion.POSES,), frames.body_poses),
    "forward_kinematics": TraversedQuantity(None, (motion.POSES,), frames.forward_kinematics),
    "jacobian": TraversedQuantity(None, (motion.POSES, COLUMNS), frames.jacobian),
    "jacobian_rate": TraversedQuantity(
        None, (motion.VELOCITIES, COLUMN_RATES), frames.jacobian_rate
    ),
    "frame_velocity": TraversedQuantity(6, (motion.VELOCITIES,), frames.frame_velocity),
    "frame_acceleration": TraversedQuantity(6, (motion.ACCELERATIONS,), frames.frame_acceleration),
}
