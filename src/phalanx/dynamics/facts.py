"""Facts of a machine's dynamics: operation counts of main quantities, free joints of loops."""

from __future__ import annotations

from dataclasses import asdict

from phalanx.base.facts import Facts, Part, TextTable
from phalanx.dynamics.dynamics import Dynamics
from phalanx.dynamics.evaluators.choice import MATRICES_AT_ONCE

MAIN = (
    "inverse_dynamics",
    "forward_dynamics",
    "mass_matrix",
    "bias",
    "gravity",
    "inverse_dynamics_derivatives",
    "forward_dynamics_derivatives",
    "reduced_inverse_dynamics",
    "reduced_mass_matrix",
    "reduced_bias",
    "reduced_gravity",
)


def dynamics_facts(dynamics: Dynamics) -> Facts:
    """Return the free joints of loops and the operation counts of the main quantities."""
    operations: list[Part] = ["", _operations(dynamics)]
    if not dynamics.mechanism.loops:
        return Facts(operations)
    return Facts(
        [_free_joints(dynamics), *operations],
        {
            "free_velocities": list(dynamics.free_velocities),
            "of_the_spanning_tree": [
                name for name, quantity in dynamics.quantities.items() if quantity.of_the_tree
            ],
            "loop_rows": [row._asdict() for row in dynamics.loop_rows],
        },
    )


def _operations(dynamics: Dynamics) -> TextTable:
    """Return operation counts of the main quantities that are traced quickly."""
    table, is_singular = dynamics.quantities, bool(dynamics.singular_joints)
    known = [name for name in MAIN if name in table and not (is_singular and table[name].inverting)]
    known = [name for name in known if not dynamics.is_too_large(name)]
    if dynamics.mechanism.nv > MATRICES_AT_ONCE:
        known = [name for name in known if not name.endswith(("_matrix", "_derivatives"))]
    counts = {name: dynamics.operations(name) for name in known}
    caption = f"method of forward dynamics: {_kebab(dynamics.forward_name)}"
    if dynamics.mechanism.loops:
        caption += "; tree: spanning tree, all loops cut open; reduced: free joints, loops closed"
    kinds = ["total", "multiply", "add", "divide", "sqrt", "sincos", "other"]
    return TextTable(
        "operations of one evaluation",
        ["quantity"],
        kinds,
        [
            (_kebab(dynamics.full_name(name)), *(str(getattr(count, kind)) for kind in kinds))
            for name, count in counts.items()
        ],
        caption,
        values={
            "operations": {
                name: asdict(count) | {"total": count.total} for name, count in counts.items()
            }
        },
    )


def _free_joints(dynamics: Dynamics) -> str:
    """Return a line with the free joints, the coordinates of reduced quantities."""
    slices, numbers = dynamics.mechanism.v_slices, dynamics.free_velocities
    names = [
        next(
            joint.name
            for joint in dynamics.mechanism.moving_joints
            if k in range(slices[joint.name].start, slices[joint.name].stop)
        )
        for k in numbers
    ]
    listed = ", ".join(f"{name} (v {k})" for name, k in zip(names, numbers, strict=True))
    return f"free joints (they determine the others): {listed or 'none'}"


def _kebab(name: str) -> str:
    return name.replace("_", "-")
