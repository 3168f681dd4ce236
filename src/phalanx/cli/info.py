"""``phalanx info``: what a model is and what its equations cost."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from phalanx.cli import console
from phalanx.cli.models import FloatingBase, Model, PackagePath, find_model
from phalanx.cli.options import check_writable
from phalanx.cli.quantities import kebab

if TYPE_CHECKING:
    from rich.table import Table
    from rich.tree import Tree

    from phalanx.dynamics import Dynamics
    from phalanx.mechanism import Joint, Mechanism

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


def info(
    model: Model,
    floating_base: FloatingBase = False,
    package_path: PackagePath = None,
    picture: Annotated[
        Path | None,
        typer.Option(help="Also draw the machine into a .png, .svg or .pdf.", show_default=False),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
) -> None:
    """Show a model: its tree, masses, joints with limits, and the arithmetic of its equations.

    Of loops it says which equations count, and by how much frames were moved to close them. Of a
    machine with loops, quantities whose names begin with tree- are those of its spanning tree, as
    if the loops were cut open; reduced- ones are what its free joints feel with closed loops.

    phalanx info puma560

    phalanx info arm.urdf --floating-base --json

    phalanx info robot:panda --picture panda.png
    """
    from phalanx.dynamics import INVERTING, Dynamics
    from phalanx.mechanism.inertia import singular

    if picture is not None:
        check_writable(picture, ".png", ".svg", ".pdf")
    mechanism = find_model(model, floating_base, package_path)
    dynamics = Dynamics(mechanism)
    with console.err().status("Tracing the equations …"):
        lacking = INVERTING if dynamics.singular_joints else ()
        known = [name for name in MAIN if name in dynamics.quantities and name not in lacking]
        operations = {name: dynamics.operations(name) for name in known}
    if dynamics.singular_joints:
        console.say_warning(
            f"the mass matrix is {singular(dynamics.singular_joints)}; it has kinematics and "
            "inverse dynamics, and cannot be simulated."
        )
    if json:
        counts = {name: asdict(o) | {"total": o.total} for name, o in operations.items()}
        console.say_json(facts(mechanism) | {"operations": counts} | loop_facts(dynamics))
    else:
        out = console.out()
        out.print(headline(mechanism), soft_wrap=True)
        out.print(body_tree(mechanism))
        if mechanism.moving_joints:
            out.print("", joint_table(mechanism), sep="\n")
        if mechanism.loops:
            out.print("", loop_table(mechanism), sep="\n")
            out.print(closing_text(mechanism), soft_wrap=True, highlight=False)
            out.print(free_joints(dynamics), soft_wrap=True, highlight=False)
        out.print("", operation_table(dynamics, operations), sep="\n")
    if picture is not None:
        from phalanx.view.draw import draw, save

        save(draw(mechanism), picture)
        console.err().print(f"Drawn in {picture}.")


def headline(mechanism: Mechanism) -> str:
    """Name, sizes, mass, gravity in one line."""
    mass = sum(body.mass for body in mechanism.bodies)
    gravity = ", ".join(f"{g:g}" for g in mechanism.gravity)
    loops = f", {len(mechanism.loops)} loops" if mechanism.loops else ""
    return (
        f"[bold]{mechanism.name}[/]: {len(mechanism.bodies)} bodies, "
        f"{len(mechanism.moving_joints)} moving joints, nq = {mechanism.nq}, nv = {mechanism.nv}"
        f"{loops}, {mass:.4g} kg, gravity ({gravity}) m/s²"
    )


def body_tree(mechanism: Mechanism) -> Tree:
    """Bodies with their masses, each under its parent."""
    from rich.tree import Tree

    root = mechanism.bodies[0]
    branches = [Tree(f"{root.name} [dim]{root.mass:.4g} kg[/]")]
    for k, joint in enumerate(mechanism.joints):
        body = mechanism.bodies[k + 1]
        kind = "fixed" if not joint.motion.nv else f"{joint.motion.kind} '{joint.name}'"
        label = f"{body.name} [dim]{body.mass:.4g} kg, {kind}{_mimic(joint)}[/]"
        branches.append(branches[mechanism.parents[k + 1]].add(label))
    return branches[0]


def joint_table(mechanism: Mechanism) -> Table:
    """Moving joints with their coordinates and limits."""
    table = console.table(
        "moving joints",
        ("joint", "kind"),
        ("q", "v", "lower", "upper", "velocity", "effort"),
    )
    for joint in mechanism.moving_joints:
        table.add_row(
            joint.name,
            joint.motion.kind,
            _indices(mechanism.q_slices[joint.name]),
            _indices(mechanism.v_slices[joint.name]),
            *(_numbers(getattr(joint, limit)) for limit in ("lower", "upper")),
            *(_numbers(getattr(joint, limit)) for limit in ("velocity_limit", "effort_limit")),
        )
    table.caption = "limits in rad or m, rad/s or m/s, N·m or N; – for none"
    return table


def loop_table(mechanism: Mechanism) -> Table:
    """Loops with their frames, and what freedom they leave."""
    from phalanx.equations.assembly.closed_loops import closed_loops
    from phalanx.equations.assembly.shift import describe_shift

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
    from phalanx.equations.assembly.model import model_of
    from phalanx.equations.closure.equations import rows_of_loops

    return Counter(rows_of_loops(model_of(mechanism)))


def loop_freedom(mechanism: Mechanism) -> dict[str, int]:
    """What the loops leave free and how many of their equations are redundant."""
    from phalanx.equations.assembly.assemble import assemble

    closed = assemble(mechanism)
    return {"mobility": closed.mobility, "redundant": closed.redundant}


def loop_closing(mechanism: Mechanism) -> dict[str, Any]:
    """Which equations of the loops count, how clearly, and which frames were moved to close."""
    from phalanx.equations.assembly.closed_loops import closed_loops
    from phalanx.equations.assembly.rank import LEAST_KEPT, MOST_DROPPED
    from phalanx.equations.assembly.rounding import ROUNDING_OF_FILES

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


def operation_table(dynamics: Dynamics, operations: dict[str, Any]) -> Table:
    """Arithmetic of one evaluation of each main quantity."""
    table = console.table(
        "operations of one evaluation",
        ("quantity",),
        ("total", "multiply", "add", "divide", "sqrt", "sincos", "other"),
    )
    for name, count in operations.items():
        numbers = [count.total, count.multiply, count.add, count.divide, count.sqrt]
        numbers += [count.sincos, count.other]
        table.add_row(kebab(dynamics.full_name(name)), *map(str, numbers))
    table.caption = f"forward dynamics by {kebab(dynamics.forward.__name__)}"
    if dynamics.mechanism.loops:
        table.caption += "; tree: of the spanning tree, loops cut open; reduced: in the free joints"
    return table


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
    from phalanx.dynamics import OF_THE_TREE

    if not dynamics.mechanism.loops:
        return {}
    return {
        "free_velocities": list(dynamics.free_velocities),
        "of_the_spanning_tree": list(OF_THE_TREE),
        "loop_rows": [row._asdict() for row in dynamics.loop_rows],
    }


def facts(mechanism: Mechanism) -> dict[str, Any]:
    """The mechanism as JSON: what the tables show."""
    return {
        "name": mechanism.name,
        "nq": mechanism.nq,
        "nv": mechanism.nv,
        "mass": sum(body.mass for body in mechanism.bodies),
        "gravity": mechanism.gravity.tolist(),
        "bodies": [
            {"name": body.name, "mass": body.mass, "com": body.com.tolist()}
            for body in mechanism.bodies
        ],
        "joints": [
            {
                "name": joint.name,
                "kind": joint.motion.kind,
                "parent": joint.parent,
                "child": joint.child,
                "mimics": joint.mimic.leader if joint.mimic else None,
                **{
                    limit: [_finite(x) for x in getattr(joint, limit)]
                    for limit in ("lower", "upper", "velocity_limit", "effort_limit")
                },
            }
            for joint in mechanism.joints
        ],
        "frames": mechanism.frame_names,
        "loops": [
            {
                "name": loop.name,
                "kind": loop.motion.kind,
                "frame_a": loop.frame_a,
                "frame_b": loop.frame_b,
            }
            for loop in mechanism.loops
        ],
        "actuated": [joint.name for joint in mechanism.actuated_joints],
        **(
            {"freedom": loop_freedom(mechanism), "closing": loop_closing(mechanism)}
            if mechanism.loops
            else {}
        ),
    }


def _finite(x: float) -> float | None:
    """JSON has no infinity: null means no limit."""
    return float(x) if abs(x) < float("inf") else None


def _mimic(joint: Joint) -> str:
    if joint.mimic is None:
        return ""
    return f" = {joint.mimic.multiplier:g} × '{joint.mimic.leader}' + {joint.mimic.offset:g}"


def _indices(part: slice) -> str:
    return str(part.start) if part.stop - part.start == 1 else f"{part.start}:{part.stop}"


def _numbers(values: Any) -> str:
    texts = [f"{x:.4g}" if abs(x) < float("inf") else "–" for x in values]
    return texts[0] if len(set(texts)) == 1 else " ".join(texts)
