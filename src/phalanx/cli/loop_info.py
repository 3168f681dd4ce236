"""What ``phalanx info`` says of loops: their equations, what counts, what they leave free."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from phalanx.cli import console

if TYPE_CHECKING:
    from rich.table import Table

    from phalanx.dynamics import Dynamics
    from phalanx.mechanism import Mechanism


def loop_table(mechanism: Mechanism) -> Table:
    """Loops with their frames, and what freedom they leave."""
    from phalanx.equations.loops.assembly.closed_loops import closed_loops
    from phalanx.equations.loops.assembly.frame_offset import describe_shift

    moved = closed_loops(mechanism).moved
    columns = ("equations", "frame b moved by") if moved else ("equations",)
    table = console.table("loops", ("loop", "kind", "frame a", "frame b"), columns)
    equations = loop_equations(mechanism)
    for loop in mechanism.loops:
        row = [loop.name, loop.motion.kind, loop.frame_a, loop.frame_b, str(equations[loop.name])]
        if moved:
            row.append(describe_shift(moved[loop.name]) if loop.name in moved else "–")
        table.add_row(*row)
    freedom = loop_freedom(mechanism)
    table.caption = (
        f"{freedom['mobility']} of {mechanism.nv} degrees of freedom remain; "
        f"{freedom['redundant']} equations are redundant"
    )
    return table


def closing_text(mechanism: Mechanism) -> str:
    """Which equations count and how clearly, and what is closed as assembled, in two lines."""
    closing = loop_closing(mechanism)
    limits = closing["limits"]
    kept, dropped = (
        "none" if x is None else f"{x:.2g}"
        for x in (closing["smallest_kept"], closing["largest_dropped"])
    )
    return (
        f"{closing['kept']} of {closing['equations']} equations count: smallest singular value "
        f"kept {kept} (at least {limits['kept']:g}), largest dropped {dropped} (at most "
        f"{limits['dropped']:g}), against the largest\n"
        f"loops that miss by up to {limits['distance']:.2g} m and {limits['angle']:g} rad are "
        "closed as assembled"
    )


def loop_equations(mechanism: Mechanism) -> Counter[str]:
    """How many equations each loop has."""
    from phalanx.equations.loops.closure.equations import rows_of_loops
    from phalanx.equations.model_of import model_of

    return Counter(rows_of_loops(model_of(mechanism)))


def loop_freedom(mechanism: Mechanism) -> dict[str, int]:
    """What the loops leave free and how many of their equations are redundant."""
    from phalanx.equations.loops.assembly.assemble import assemble

    closed = assemble(mechanism)
    return {"mobility": closed.mobility, "redundant": closed.redundant}


def loop_closing(mechanism: Mechanism) -> dict[str, Any]:
    """Which equations of the loops count, how clearly, and which frames were moved to close."""
    from phalanx.equations.loops.assembly.closed_loops import closed_loops
    from phalanx.equations.loops.assembly.rank import LEAST_KEPT, MOST_DROPPED
    from phalanx.equations.loops.assembly.rounding import ROUNDING_OF_FILES

    closed = closed_loops(mechanism)
    rank = closed.rank
    return {
        "equations": len(rank.A),
        "kept": len(rank.rows),
        "smallest_kept": rank.kept if rank.rows else None,
        "largest_dropped": rank.dropped if rank.redundant else None,
        "moved": {
            name: {"distance": shift.distance, "angle": shift.angle}
            for name, shift in closed.moved.items()
        },
        "limits": {
            "kept": LEAST_KEPT,
            "dropped": MOST_DROPPED,
            "distance": closed.tolerance,
            "angle": ROUNDING_OF_FILES,
        },
    }


def free_joints(dynamics: Dynamics) -> str:
    """Which velocities the reduced quantities are of."""
    numbers = dynamics.free_velocities
    parts = {
        joint.name: dynamics.mechanism.v_slices[joint.name]
        for joint in dynamics.mechanism.moving_joints
    }
    names = [
        next(name for name, part in parts.items() if part.start <= k < part.stop) for k in numbers
    ]
    listed = ", ".join(f"{name} (v {k})" for name, k in zip(names, numbers, strict=True))
    return f"free joints, which determine the others: {listed or 'none'}"


def loop_facts(dynamics: Dynamics) -> dict[str, Any]:
    """What JSON has of a machine with loops beside its freedom; nothing of others."""
    if not dynamics.mechanism.loops:
        return {}
    return {
        "free_velocities": list(dynamics.free_velocities),
        "of_the_spanning_tree": [
            name for name, quantity in dynamics.quantities.items() if quantity.of_the_tree
        ],
        "loop_rows": [row._asdict() for row in dynamics.loop_rows],
    }
