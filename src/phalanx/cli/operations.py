"""``phalanx operations``: what each method costs a machine, side by side."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from phalanx.cli import console
from phalanx.cli.info import headline
from phalanx.cli.methods import methods
from phalanx.cli.models import Loading, Model
from phalanx.cli.options import Json
from phalanx.cli.quantities import kebab
from phalanx.cli.step_counts import step_counts, step_table

if TYPE_CHECKING:
    from rich.table import Table

    from phalanx.equations.tree.model import Model as NodeTree
    from phalanx.kernel import Operations
    from phalanx.mechanism import Mechanism

    Counts = dict[str, dict[str, Operations]]

# more joints than this make millions of operations of it
CLOSED_FORM_UP_TO = 8


def operations(
    model: Model,
    *,
    loading: Loading,
    steps: Annotated[
        bool,
        typer.Option(
            "--steps",
            help="Also count step by step: the Newton-Euler algorithms for a joint about which "
            "nothing is known, what is left of them for this machine, and the mass matrix of such "
            "a chain by orthogonal complement.",
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
        tables = step_counts(mechanism, joints_of_an_arm(mechanism)) if steps else {}
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
    from phalanx.base.errors import InvalidModel
    from phalanx.equations import expression
    from phalanx.equations.model_of import model_of
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


def joints_of_an_arm(mechanism: Mechanism) -> int | None:
    """How many joints an arm has; None for a machine that is none, of which no counts are known."""
    from phalanx.equations.model_of import model_of

    tree = model_of(mechanism)
    is_chain = tree.parents == tuple(range(-1, len(tree.nodes) - 1))
    return tree.nv if is_chain and tree.nv == len(tree.nodes) else None


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
            published = _published(quantity, name, arm_joints)
            table.add_row(
                f"  {name}",
                *map(str, (count.multiply, count.add, _other(count), count.total)),
                f"{_ratio(count, ranked[0][1]):.2f}",
                *([] if published is None else [str(sum(published))]),
            )
        table.add_section()
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
            | {"published": _published(quantity, name, joints_of_an_arm(mechanism))}
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


def _published(quantity: str, method: str, joints: int | None) -> tuple[int, int] | None:
    """Multiplications and additions of a general arm of so many joints."""
    from phalanx.studies.dhanaraj.accounting import PUBLISHED
    from phalanx.studies.wong.published import BY_METHOD

    name = method.removeprefix("lagrangian-").replace("-", "_")
    of_inverse = PUBLISHED if quantity == "inverse_dynamics" else {}
    known = (of_inverse | BY_METHOD.get(quantity, {})).get(name)
    return None if known is None or joints is None else known(joints)


def _other(count: Operations) -> int:
    return count.total - count.multiply - count.add


def _ratio(count: Operations, best: Operations) -> float:
    return count.total / best.total if best.total else 1.0
