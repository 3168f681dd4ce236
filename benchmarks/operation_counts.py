"""Operation counts of every quantity of Dynamics, for robots and machines of the library.

They do not depend on the computer, so two states of the sources can be compared one by one.

    python benchmarks/operation_counts.py --write counts.json
    python benchmarks/operation_counts.py --compare counts.json
"""

from __future__ import annotations

import argparse
import json
import warnings
from pathlib import Path

import phalanx as px

MACHINES = (
    "puma560",
    "robot:ur5_robot",
    "robot:panda",
    "robot:xarm7",
    "robot:hyq_no_sensors",
    "robot:anymal_b_simple_description/anymal",
    "robot:bolt",
    "robot:icub",
    "robot:talos_full_v2",
    "stewart",
    # long ones, whose bodies are traversed
    "chain:600",
    "chain:600,joint=spherical",
)


def counts(machine: str) -> dict[str, int]:
    """Operations of one evaluation by quantity; without those that the machine does not have."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mechanism = px.load(machine)
        dynamics = px.Dynamics(mechanism)
    result = {}
    for name, quantity in dynamics.quantities.items():
        frame = mechanism.moving_joints[-1].child if quantity.of_frame else None
        try:
            result[name] = dynamics.operations(name, frame).total
        except px.PhalanxError:
            continue
    return result


def table(found: dict[str, dict[str, int]]) -> str:
    """Quantities in rows, machines in columns, and totals."""
    names = list(dict.fromkeys(name for own in found.values() for name in own))
    rows = [["operations", *(machine.split("/")[-1] for machine in found)]]
    rows += [[name, *(str(own.get(name, "")) for own in found.values())] for name in names]
    rows.append(["total", *(str(sum(own.values())) for own in found.values())])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        for row in rows
    )


def changes(before: dict[str, dict[str, int]], after: dict[str, dict[str, int]]) -> str:
    """What rose, and how much fell."""
    shared = [
        (machine, name, count, after[machine][name])
        for machine, own in before.items()
        for name, count in own.items()
        if name in after.get(machine, {})
    ]
    rose = [row for row in shared if row[3] > row[2]]
    lines = [f"rose: {machine} {name}: {old} -> {new}" for machine, name, old, new in rose]
    totals = (sum(row[k] for row in shared) for k in (2, 3))
    lines.append("total of {} counts: {} -> {}".format(len(shared), *totals))
    lines.append(f"{len(rose)} rose, {sum(row[3] < row[2] for row in shared)} fell")
    return "\n".join(lines)


def main() -> None:
    """Count, print, and compare."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--machines", nargs="+", default=MACHINES, help="as px.load takes them")
    parser.add_argument("--write", type=Path, metavar="FILE", help="keep the counts as JSON")
    parser.add_argument("--compare", type=Path, metavar="FILE", help="print what rose since")
    options = parser.parse_args()
    found = {machine: counts(machine) for machine in options.machines}
    print(table(found))
    if options.write:
        options.write.write_text(json.dumps(found, indent=1) + "\n")
    if options.compare:
        print(changes(json.loads(options.compare.read_text()), found))


if __name__ == "__main__":
    main()
