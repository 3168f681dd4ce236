"""Facts of loops: frames, independent equations, degrees of freedom."""

from __future__ import annotations

from collections import Counter
from typing import Any

from phalanx.base.facts import Facts, TextTable
from phalanx.equations.loops.assembly.assemble import assemble
from phalanx.equations.loops.assembly.closed_loops import ClosedLoops, closed_loops
from phalanx.equations.loops.assembly.frame_offset import describe_offset
from phalanx.equations.loops.assembly.rank import LEAST_KEPT, MOST_DROPPED
from phalanx.equations.loops.assembly.rounding import ROUNDING_OF_FILES
from phalanx.equations.loops.closure.equations import rows_of_loops
from phalanx.equations.model_of import model_of
from phalanx.mechanism import Mechanism


def loop_facts(mechanism: Mechanism) -> Facts:
    """Return loops with their frames, degrees of freedom and rank decision."""
    closed = closed_loops(mechanism)
    closing = _closing(closed)
    limits = closing["limits"]
    kept, dropped = (
        "none" if x is None else f"{x:.2g}"
        for x in (closing["smallest_kept"], closing["largest_dropped"])
    )
    return Facts(
        [
            _loops(closed),
            f"{closing['kept']} of {closing['equations']} loop equations are independent: smallest "
            f"singular value kept {kept} (limit {limits['kept']:g}), largest dropped {dropped} "
            f"(limit {limits['dropped']:g}), relative to the largest",
            f"tolerance of closed loops: {limits['distance']:.2g} m and {limits['angle']:g} rad",
        ],
        {"closing": closing},
    )


def _loops(closed: ClosedLoops) -> TextTable:
    mechanism, moved = closed.mechanism, closed.moved
    equations, assembly = Counter(rows_of_loops(model_of(mechanism))), assemble(mechanism)
    rows = []
    for loop in mechanism.loops:
        row = [loop.name, loop.motion.kind, loop.frame_a, loop.frame_b, str(equations[loop.name])]
        if moved:
            row.append(describe_offset(moved[loop.name]) if loop.name in moved else "–")
        rows.append(row)
    return TextTable(
        "loops",
        ["loop", "kind", "frame a", "frame b"],
        ["equations", "frame b moved by"] if moved else ["equations"],
        rows,
        f"{assembly.mobility} of {mechanism.nv} degrees of freedom remain; "
        f"{assembly.redundant} equations are redundant",
        values={
            "freedom": {"mobility": assembly.mobility, "redundant": assembly.redundant},
        },
    )


def _closing(closed: ClosedLoops) -> dict[str, Any]:
    """Return the rank decision of the loop equations and the frames moved to close loops."""
    rank = closed.rank
    return {
        "equations": len(rank.A),
        "kept": len(rank.rows),
        "smallest_kept": rank.kept if rank.rows else None,
        "largest_dropped": rank.dropped if rank.redundant else None,
        "moved": {
            name: {"distance": offset.distance, "angle": offset.angle}
            for name, offset in closed.moved.items()
        },
        "limits": {
            "kept": LEAST_KEPT,
            "dropped": MOST_DROPPED,
            "distance": closed.tolerance,
            "angle": ROUNDING_OF_FILES,
        },
    }
