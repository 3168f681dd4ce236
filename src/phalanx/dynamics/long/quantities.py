"""The table of quantities that walks give: what each takes, and how it is found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, final

import numpy as np

from phalanx.dynamics.evaluators.articulated import FORWARD_DYNAMICS
from phalanx.dynamics.evaluators.quantities import inverse_dynamics, mass_solve, motion, totals
from phalanx.dynamics.evaluators.quantities.frames import COLUMN_RATES, COLUMNS
from phalanx.dynamics.evaluators.recursion import Recursion
from phalanx.dynamics.long import dense, frames
from phalanx.dynamics.long.given import Given
from phalanx.dynamics.long.springs import elastic_energy, passive_forces
from phalanx.mechanism.pose import Array


@final
@dataclass(frozen=True)
class Walked:
    """A quantity by walks.

    Attributes:
        size: How many numbers it gives where these are a column.
        programs: The walks that one evaluation takes, for counting operations.
        find: What makes the result of the arguments, (samples, ...).
    """

    size: Literal["nq", "nv"] | int | None
    programs: tuple[Recursion, ...]
    find: Callable[[Given], Array]


def _inverse_dynamics(given: Given) -> Array:
    arrays = {name: given[name] for name in ("q", "v", "a")}
    program = inverse_dynamics.INVERSE_DYNAMICS
    if given.external is not None:
        arrays["external"] = given.external.reshape(given.samples, -1)
        program = inverse_dynamics.INVERSE_DYNAMICS_ACTED_ON
    walked = given.machine.walk(program, given.samples, arrays, [given.root, None])
    return walked.results["tau"]


def _forward_dynamics(given: Given) -> Array:
    q, v, tau = given["q"], given["v"], given["tau"]
    root = given.root
    if len(root) < given.samples:
        root = np.tile(root, (given.samples, 1))
    return given.machine.solver.accelerations(q, v, tau, root, given.external)


def _bias(given: Given) -> Array:
    arrays = {"q": given["q"], "v": given["v"]}
    walked = given.machine.walk(inverse_dynamics.BIAS, given.samples, arrays, [given.root, None])
    return walked.results["tau"]


def _gravity(given: Given) -> Array:
    walked = given.machine.walk(
        inverse_dynamics.GRAVITY, given.samples, {"q": given["q"]}, [given.root, None]
    )
    return walked.results["tau"]


def _mass_solve(given: Given) -> Array:
    arrays = {"q": given["q"], "tau": given["f"]}
    return given.machine.walk(mass_solve.MASS_SOLVE, given.samples, arrays).results["a"]


def _weight(given: Given) -> tuple[Array, Array]:
    """Mass (samples, 1), and its first moment about the root's origin (samples, 3)."""
    (total,) = given.machine.walk(totals.MASS, given.samples, {"q": given["q"]}).ends
    assert total is not None
    return total[:, :1], total[:, 1:]


def _totals(given: Given) -> Array:
    arrays = {"q": given["q"], "v": given["v"]}
    _, total = given.machine.walk(totals.TOTALS, given.samples, arrays).ends
    assert total is not None
    return total


def _potential(given: Given, moment: Array) -> Array:
    return -np.einsum("ni,ni->n", np.broadcast_to(given.gravity, moment.shape), moment)


def _kinetic_energy(given: Given) -> Array:
    arrays = {"q": given["q"], "v": given["v"]}
    _, total = given.machine.walk(totals.KINETIC_ENERGY, given.samples, arrays).ends
    assert total is not None
    return total


def _potential_energy(given: Given) -> Array:
    return _potential(given, _weight(given)[1]) + elastic_energy(given)


def _energy(given: Given) -> Array:
    total = _totals(given)
    return total[:, 10] + _potential(given, total[:, 7:10]) + elastic_energy(given)


def _momentum(given: Given) -> Array:
    total = _totals(given)
    P, L, com = total[:, :3], total[:, 3:6], total[:, 7:10] / total[:, 6:7]
    return np.hstack([P, L - np.cross(com, P)])


def _center_of_mass(given: Given) -> Array:
    mass, moment = _weight(given)
    return moment / mass


def _integrate(given: Given) -> Array:
    arrays = {"q": given["q"], "v": given["v"]}
    return given.machine.walk(motion.INTEGRATE, given.samples, arrays).results["q_next"]


def _difference(given: Given) -> Array:
    arrays = {"q": given["q0"], "q_end": given["q1"]}
    return given.machine.walk(motion.DIFFERENCE, given.samples, arrays).results["v"]


def _interpolate(given: Given) -> Array:
    part = given["s"] * _difference(given)
    arrays = {"q": given["q0"], "v": part}
    return given.machine.walk(motion.INTEGRATE, given.samples, arrays).results["q_next"]


WALKED = {
    "inverse_dynamics": Walked("nv", (inverse_dynamics.INVERSE_DYNAMICS,), _inverse_dynamics),
    "forward_dynamics": Walked("nv", (FORWARD_DYNAMICS,), _forward_dynamics),
    "bias": Walked("nv", (inverse_dynamics.BIAS,), _bias),
    "gravity": Walked("nv", (inverse_dynamics.GRAVITY,), _gravity),
    "mass_times": Walked("nv", (inverse_dynamics.MASS_TIMES,), dense.mass_times),
    "mass_solve": Walked("nv", (mass_solve.MASS_SOLVE,), _mass_solve),
    "mass_matrix": Walked(None, (inverse_dynamics.MASS_TIMES,), dense.mass_matrix),
    "mass_matrix_inverse": Walked(None, (mass_solve.MASS_SOLVE,), dense.mass_matrix_inverse),
    "passive_forces": Walked("nv", (motion.VELOCITIES,), passive_forces),
    "energy": Walked(None, (totals.TOTALS,), _energy),
    "kinetic_energy": Walked(None, (totals.KINETIC_ENERGY,), _kinetic_energy),
    "potential_energy": Walked(None, (totals.MASS,), _potential_energy),
    "momentum": Walked(6, (totals.TOTALS,), _momentum),
    "center_of_mass": Walked(3, (totals.MASS,), _center_of_mass),
    "integrate": Walked("nq", (motion.INTEGRATE,), _integrate),
    "difference": Walked("nv", (motion.DIFFERENCE,), _difference),
    "interpolate": Walked("nq", (motion.DIFFERENCE, motion.INTEGRATE), _interpolate),
    "body_poses": Walked(None, (motion.POSES,), frames.body_poses),
    "forward_kinematics": Walked(None, (motion.POSES,), frames.forward_kinematics),
    "jacobian": Walked(None, (motion.POSES, COLUMNS), frames.jacobian),
    "jacobian_rate": Walked(None, (motion.VELOCITIES, COLUMN_RATES), frames.jacobian_rate),
    "frame_velocity": Walked(6, (motion.VELOCITIES,), frames.frame_velocity),
    "frame_acceleration": Walked(6, (motion.ACCELERATIONS,), frames.frame_acceleration),
}
