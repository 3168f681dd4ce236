"""What ``phalanx operations`` counts step by step: Newton-Euler, and the orthogonal complement."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from phalanx.cli import console
from phalanx.cli.methods import Equation, methods

if TYPE_CHECKING:
    from rich.table import Table

    from phalanx.kernel import Operations
    from phalanx.mechanism import Mechanism

    Counts = dict[str, dict[str, Operations]]

# what the names of intermediates begin with, and the step that computes them
STEPS = {
    "w": r"AV",
    "dw": r"AA",
    "lambda": r"K[XYZ]|R[XYZ]|RS[XYZ]",
    "a": r"LA",
    "a_c": r"LC",
    "F": r"IF",
    "N": r"IN",
    "f": r"JF\d",
    "f'": r"JFP",
    "n": r"JM",
    "turns": r"[CS]\d",
    "tau": r"",
}


def step_counts(mechanism: Mechanism, arm_joints: int | None) -> dict[str, Counts]:
    """Operations by table, method and step; those of a general chain for machines that are arms."""
    from phalanx.kernel import count_operations
    from phalanx.studies.dhanaraj.accounting import JointKind, conventional_steps, modified_steps

    tables: dict[str, Counts] = {}
    for kind in JointKind:
        tables[f"a general {kind} joint"] = {
            name: {step: count_operations(f) for step, f in steps(kind).items()}
            for name, steps in (("modified", modified_steps), ("conventional", conventional_steps))
        }
    tables[f"all joints of {mechanism.name}"] = {
        name: _machine_steps(mechanism, methods()["inverse_dynamics"][name])
        for name in ("modified", "conventional")
    }
    if arm_joints:
        tables[f"mass matrix of a general chain of {arm_joints}"] = _chain_steps(arm_joints)
    return tables


def _chain_steps(joints: int) -> Counts:
    """Phases of the orthogonal complement where nothing about a chain is known."""
    from phalanx.studies.wong.phases import inertia_phases

    return {"orthogonal-complement": inertia_phases(joints)}


def _machine_steps(mechanism: Mechanism, equation: Equation) -> dict[str, Operations]:
    """Operations of a machine's own code, by the step that its statements belong to."""
    from phalanx.equations import expression
    from phalanx.kernel import Operations, operations_by_name

    function = expression(equation, mechanism, named=True)
    counts = dict.fromkeys(STEPS, Operations())
    for name, share in operations_by_name(function, function.name_out()[1:]).items():
        step = next(step for step, pattern in STEPS.items() if re.match(pattern, name))
        counts[step] += share
    return {step: count for step, count in counts.items() if count.multiply + count.add}


def step_table(title: str, columns: Counts) -> Table:
    """Steps in their order, multiplications and additions of each method."""
    heads = [f"{name} {sign}" for name in columns for sign in "×+"]
    table = console.table(title, ("step",), tuple(heads))
    used = dict.fromkeys(step for column in columns.values() for step in column)
    for step in [*(s for s in STEPS if s in used), *(s for s in used if s not in STEPS)]:
        found = [column.get(step) for column in columns.values()]
        cells = [(c.multiply, c.add) if c else ("", "") for c in found]
        table.add_row(step, *(str(cell) for pair in cells for cell in pair))
    table.add_section()
    totals = [(_sum(column, "multiply"), _sum(column, "add")) for column in columns.values()]
    table.add_row("total", *(str(total) for pair in totals for total in pair))
    return table


def _sum(column: dict[str, Operations], field: str) -> int:
    return sum(getattr(count, field) for count in column.values())
