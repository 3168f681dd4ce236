"""``phalanx operations``: what each method costs a machine, side by side."""

from __future__ import annotations

import re
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from phalanx.cli import console
from phalanx.cli.info import headline
from phalanx.cli.methods import Equation, methods
from phalanx.cli.models import Loading, Model
from phalanx.cli.options import Json
from phalanx.cli.quantities import kebab

if TYPE_CHECKING:
    from rich.table import Table

    from phalanx.equations.tree.model import Model as NodeTree
    from phalanx.kernel import Operations
    from phalanx.mechanism import Mechanism

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


def operations(
    model: Model,
    *,
    loading: Loading,
    steps: Annotated[
        bool,
        typer.Option(
            "--steps",
            help="Also count the Newton-Euler algorithms step by step: for a joint about which "
            "nothing is known, and what is left of them for this machine.",
        ),
    ] = False,
    everything: Annotated[
        bool,
        typer.Option(
            "--all",
            help="Also trace the closed form of Lagrange's equations for a machine of many joints "
            "(minutes).",
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Compare the arithmetic of all methods for a machine.

    Operations of one evaluation after everything that is 0, 1 or common is gone, and how many times
    those of the best method of the same quantity they are. A sine and cosine of one angle are one
    operation, under "other". "Published" is what the literature counts for an arm of as many joints
    that has no right angles.

    phalanx operations puma560

    phalanx operations stanford --steps

    phalanx operations robot:panda --json
    """
    mechanism = loading.find(model)
    with console.err().status("Tracing the methods …"):
        counts, reasons = count_methods(mechanism, everything)
        tables = step_counts(mechanism) if steps else {}
    if json:
        console.say_json(facts(mechanism, counts, reasons, tables))
        return
    from rich.text import Text

    out = console.out()
    out.print(headline(mechanism), soft_wrap=True)
    out.print("", method_table(counts, joints_of_an_arm(mechanism)), sep="\n")
    for reason in dict.fromkeys(reasons.values()):
        without = ", ".join(name for name, given in reasons.items() if given == reason)
        out.print(Text(f"without {without}: {reason}", style="dim"), soft_wrap=True)
    for title, columns in tables.items():
        out.print("", step_table(title, columns), sep="\n")


def count_methods(mechanism: Mechanism, everything: bool) -> tuple[Counts, dict[str, str]]:
    """Operations by quantity and method, and why some methods are left out."""
    from phalanx.equations import expression
    from phalanx.equations.assembly.model import model_of
    from phalanx.errors import InvalidModel
    from phalanx.kernel import count_operations

    tree = model_of(mechanism)
    counts: Counts = {}
    reasons: dict[str, str] = {}
    for quantity, known in methods(with_loops=bool(mechanism.loops)).items():
        counts[quantity] = {}
        for name, equation in known.items():
            if not everything and _is_too_much(name, tree):
                reasons[name] = f"more than {CLOSED_FORM_UP_TO} joints; --all counts it"
                continue
            try:
                counts[quantity][name] = count_operations(expression(equation, tree))
            except InvalidModel as error:
                reasons[name] = str(error).replace(f"{equation.__name__} takes", "made for")
    return counts, reasons


def _is_too_much(name: str, tree: NodeTree) -> bool:
    return name.endswith("closed-form") and len(tree.nodes) > CLOSED_FORM_UP_TO


def step_counts(mechanism: Mechanism) -> dict[str, Counts]:
    """Operations by table, method and step."""
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
    return tables


def joints_of_an_arm(mechanism: Mechanism) -> int | None:
    """How many joints an arm has; None for a machine that is none, of which no counts are known."""
    from phalanx.equations.assembly.model import model_of

    tree = model_of(mechanism)
    is_chain = tree.parents == tuple(range(-1, len(tree.nodes) - 1))
    return tree.nv if is_chain and tree.nv == len(tree.nodes) else None


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


def method_table(counts: Counts, arm_joints: int | None) -> Table:
    """Methods of every quantity, the best first."""
    from rich.text import Text

    heads = ["multiply", "add", "other", "total", "ratio"]
    table = console.table(
        "operations of one evaluation",
        ("method",),
        (*heads, "published") if arm_joints else tuple(heads),
    )
    for quantity, of_method in counts.items():
        table.add_row(Text(kebab(quantity), style="bold"))
        ranked = sorted(of_method.items(), key=lambda item: item[1].total)
        for name, count in ranked:
            published = _published(name, arm_joints)
            table.add_row(
                f"  {name}",
                *map(str, (count.multiply, count.add, _other(count), count.total)),
                f"{_ratio(count, ranked[0][1]):.2f}",
                *([] if published is None else [str(sum(published))]),
            )
        table.add_section()
    return table


def step_table(title: str, columns: Counts) -> Table:
    """Steps in their order, multiplications and additions of each method."""
    heads = [f"{name} {sign}" for name in columns for sign in "×+"]
    table = console.table(title, ("step",), tuple(heads))
    for step in [step for step in STEPS if any(step in column for column in columns.values())]:
        found = [column.get(step) for column in columns.values()]
        cells = [(c.multiply, c.add) if c else ("", "") for c in found]
        table.add_row(step, *(str(cell) for pair in cells for cell in pair))
    table.add_section()
    totals = [(_sum(column, "multiply"), _sum(column, "add")) for column in columns.values()]
    table.add_row("total", *(str(total) for pair in totals for total in pair))
    return table


def facts(
    mechanism: Mechanism,
    counts: Counts,
    reasons: dict[str, str],
    tables: dict[str, Counts],
) -> dict[str, Any]:
    """The tables as JSON."""
    found: dict[str, Any] = {"name": mechanism.name, "nv": mechanism.nv, "quantities": {}}
    for quantity, of_method in counts.items():
        best = min(of_method.values(), key=lambda count: count.total)
        found["quantities"][quantity] = {
            name: asdict(count)
            | {"total": count.total, "ratio": _ratio(count, best)}
            | {"published": _published(name, joints_of_an_arm(mechanism))}
            for name, count in of_method.items()
        }
    found["left_out"] = reasons
    if tables:
        found["steps"] = {
            title: {
                name: {step: [c.multiply, c.add] for step, c in column.items()}
                for name, column in columns.items()
            }
            for title, columns in tables.items()
        }
    return found


def _published(method: str, joints: int | None) -> tuple[int, int] | None:
    """Multiplications and additions of a general arm of so many joints."""
    from phalanx.studies.dhanaraj.accounting import PUBLISHED

    known = PUBLISHED.get(method.removeprefix("lagrangian-").replace("-", "_"))
    if known is None or joints is None:
        return None
    return round(known.multiply(joints)), round(known.add(joints))


def _other(count: Operations) -> int:
    return count.total - count.multiply - count.add


def _ratio(count: Operations, best: Operations) -> float:
    return count.total / best.total if best.total else 1.0


def _sum(column: dict[str, Operations], field: str) -> int:
    return sum(getattr(count, field) for count in column.values())
