"""Operation counts of each method for a machine, and those of the literature.

Step by step as well: the Newton-Euler algorithms, and the mass matrix by orthogonal complement.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, final

from phalanx.base.errors import InvalidModel
from phalanx.base.facts import Cell, Facts, Part, Styled, TextTable
from phalanx.equations import expression, inverse_dynamics
from phalanx.equations.model_of import model_of
from phalanx.equations.tree.model import Model
from phalanx.kernel import Operations, count_operations, operations_by_name
from phalanx.mechanism import Mechanism
from phalanx.mechanism.facts import headline
from phalanx.studies.dhanaraj.accounting import (
    PUBLISHED,
    TableJoint,
    conventional_steps,
    modified_steps,
)
from phalanx.studies.wong.phases import inertia_phases
from phalanx.studies.wong.published import BY_METHOD

Equation = Callable[..., Any]
Counts = dict[str, dict[str, Operations]]

# more joints than this make millions of operations of it
CLOSED_FORM_UP_TO = 8

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


@final
@dataclass(frozen=True)
class OperationCounts:
    """Operations of one evaluation by every method.

    Attributes:
        mechanism: The machine.
        counts: By quantity and method.
        left_out: Methods that are not counted, and why.
        steps: By table, method and step; empty where they are not asked for.
    """

    mechanism: Mechanism
    counts: Counts
    left_out: dict[str, str]
    steps: dict[str, Counts]

    @staticmethod
    def of(
        mechanism: Mechanism,
        methods: Mapping[str, Mapping[str, Equation]],
        *,
        everything: bool = False,
        steps: bool = False,
    ) -> OperationCounts:
        """Count methods of a machine.

        Args:
            mechanism: The machine.
            methods: By quantity and name.
            everything: Whether the closed form of many joints is traced too, which takes minutes.
            steps: Whether to count step by step too.
        """
        tree = model_of(mechanism)
        counts: Counts = {}
        left_out: dict[str, str] = {}
        for quantity, known in methods.items():
            counts[quantity] = {}
            for name, equation in known.items():
                if not everything and _is_too_much(name, tree):
                    left_out[name] = f"more than {CLOSED_FORM_UP_TO} joints; --all counts it"
                    continue
                try:
                    counts[quantity][name] = count_operations(expression(equation, tree))
                except InvalidModel as error:
                    left_out[name] = str(error).replace(f"{equation.__name__} takes", "made for")
        by_step = _step_counts(mechanism) if steps else {}
        return OperationCounts(mechanism, counts, left_out, by_step)

    def facts(self) -> Facts:
        """Return operation counts of all methods, why some are omitted, and counts by step."""
        parts: list[Part] = [headline(self.mechanism), "", self._methods()]
        for reason in dict.fromkeys(self.left_out.values()):
            without = ", ".join(name for name, given in self.left_out.items() if given == reason)
            parts.append(Styled(f"not counted: {without}: {reason}", "dim"))
        for title, columns in self.steps.items():
            parts += ["", _steps(title, columns)]
        values = {
            "name": self.mechanism.name,
            "nv": self.mechanism.nv,
            "left_out": self.left_out,
        }
        if self.steps:
            values["steps"] = {
                title: {
                    name: {step: [c.multiply, c.add] for step, c in column.items()}
                    for name, column in columns.items()
                }
                for title, columns in self.steps.items()
            }
        return Facts(parts, values)

    def _methods(self) -> TextTable:
        """Methods of every quantity, the best first."""
        joints = _joints_of_an_arm(self.mechanism)
        heads = ["multiply", "add", "other", "total", "ratio"]
        rows: list[list[Cell]] = []
        values: dict[str, Any] = {}
        for quantity, of_method in self.counts.items():
            rows.append([Styled(quantity.replace("_", "-"), "bold")])
            values[quantity] = dict.fromkeys(of_method)  # in the order of the library
            ranked = sorted(of_method.items(), key=lambda item: item[1].total)
            for name, count in ranked:
                total, best = count.total, ranked[0][1].total
                ratio = total / best if best else 1.0
                published = _published(quantity, name, joints)
                other = total - count.multiply - count.add
                rows.append(
                    [
                        f"  {name}",
                        *map(str, (count.multiply, count.add, other, total)),
                        f"{ratio:.2f}",
                        *([] if published is None else [str(sum(published))]),
                    ]
                )
                values[quantity][name] = asdict(count) | {
                    "total": total,
                    "ratio": ratio,
                    "published": published,
                }
            rows.append([])
        return TextTable(
            "operations of one evaluation",
            ["method"],
            [*heads, "published"] if joints else heads,
            rows,
            values={"quantities": values},
        )


def _is_too_much(name: str, tree: Model) -> bool:
    return name.endswith("closed-form") and len(tree.nodes) > CLOSED_FORM_UP_TO


def _joints_of_an_arm(mechanism: Mechanism) -> int | None:
    """How many joints an arm has; None for a machine that is none, of which no counts are known."""
    tree = model_of(mechanism)
    is_chain = tree.parents == tuple(range(-1, len(tree.nodes) - 1))
    return tree.nv if is_chain and tree.nv == len(tree.nodes) else None


def _published(quantity: str, method: str, joints: int | None) -> tuple[int, int] | None:
    """Multiplications and additions of a general arm of so many joints."""
    name = method.removeprefix("lagrangian-").replace("-", "_")
    of_inverse = PUBLISHED if quantity == "inverse_dynamics" else {}
    known = (of_inverse | BY_METHOD.get(quantity, {})).get(name)
    return None if known is None or joints is None else known(joints)


def _step_counts(mechanism: Mechanism) -> dict[str, Counts]:
    """Operations by table, method and step; those of a general chain for machines that are arms."""
    tables: dict[str, Counts] = {}
    for kind in TableJoint:
        tables[f"a general {kind} joint"] = {
            name: {step: count_operations(f) for step, f in steps(kind).items()}
            for name, steps in (("modified", modified_steps), ("conventional", conventional_steps))
        }
    tables[f"all joints of {mechanism.name}"] = {
        "modified": _machine_steps(mechanism, inverse_dynamics.modified),
        "conventional": _machine_steps(mechanism, inverse_dynamics.conventional),
    }
    if joints := _joints_of_an_arm(mechanism):
        # phases of the orthogonal complement where nothing about a chain is known
        title = f"mass matrix of a general chain of {joints}"
        tables[title] = {"orthogonal-complement": inertia_phases(joints)}
    return tables


def _machine_steps(mechanism: Mechanism, equation: Equation) -> dict[str, Operations]:
    """Operations of a machine's own code, by the step that its statements belong to."""
    function = expression(equation, mechanism, named=True)
    counts = dict.fromkeys(STEPS, Operations())
    for name, share in operations_by_name(function, function.name_out()[1:]).items():
        step = next(step for step, pattern in STEPS.items() if re.match(pattern, name))
        counts[step] += share
    return {step: count for step, count in counts.items() if count.multiply + count.add}


def _steps(title: str, columns: Counts) -> TextTable:
    """Steps in their order, multiplications and additions of each method."""
    used = dict.fromkeys(step for column in columns.values() for step in column)
    rows = []
    for step in [*(s for s in STEPS if s in used), *(s for s in used if s not in STEPS)]:
        found = [column.get(step) for column in columns.values()]
        cells = [(c.multiply, c.add) if c else ("", "") for c in found]
        rows.append([step, *(str(cell) for pair in cells for cell in pair)])
    totals = [
        str(sum(getattr(count, field) for count in column.values()))
        for column in columns.values()
        for field in ("multiply", "add")
    ]
    heads = [f"{name} {sign}" for name in columns for sign in "×+"]
    return TextTable(title, ["step"], heads, [*rows, [], ["total", *totals]])
