"""``phalanx info``: what a model is and what its equations cost."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from phalanx.cli import console
from phalanx.cli.loop_info import (
    closing_text,
    free_joints,
    loop_closing,
    loop_facts,
    loop_freedom,
    loop_table,
)
from phalanx.cli.models import Loading, Model
from phalanx.cli.options import Json
from phalanx.cli.outputs import Writes
from phalanx.cli.quantities import kebab

if TYPE_CHECKING:
    from rich.table import Table
    from rich.tree import Tree

    from phalanx.dynamics import Dynamics
    from phalanx.mechanism import Fluid, Joint, Mechanism

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
    *,
    loading: Loading,
    picture: Annotated[
        Path | None,
        Writes(picture=True),
        typer.Option(help="Also draw the machine into a .png, .svg or .pdf.", show_default=False),
    ] = None,
    json: Json = False,
) -> None:
    """Show a model: its tree, masses, joints with limits, and the arithmetic of its equations.

    Of loops it says which equations count, and by how much frames were moved to close them. Of a
    machine with loops, quantities whose names begin with tree- are those of its spanning tree, as
    if the loops were cut open; reduced- ones are what its free joints feel with closed loops.

    phalanx info puma560

    phalanx info arm.urdf --floating-base --json

    phalanx info robot:panda --picture panda.png
    """
    from phalanx.dynamics import Dynamics
    from phalanx.dynamics.evaluators.choice import MATRICES_AT_ONCE
    from phalanx.mechanism.inertia import singular

    mechanism = loading.find(model)
    dynamics = Dynamics(mechanism)
    with console.err().status("Tracing the equations …"):
        table, is_singular = dynamics.quantities, bool(dynamics.singular_joints)
        known = [
            name for name in MAIN if name in table and not (is_singular and table[name].inverting)
        ]
        known = [name for name in known if not dynamics.is_too_large(name)]
        if mechanism.nv > MATRICES_AT_ONCE:
            known = [name for name in known if not name.endswith(("_matrix", "_derivatives"))]
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
        if mechanism.springs or mechanism.sprung_joints:
            out.print("", spring_table(mechanism), sep="\n")
        if mechanism.actuators:
            out.print("", actuator_table(mechanism), sep="\n")
        if mechanism.loops:
            out.print("", loop_table(mechanism), sep="\n")
            out.print(closing_text(mechanism), soft_wrap=True, highlight=False)
            out.print(free_joints(dynamics), soft_wrap=True, markup=False)
        out.print("", operation_table(dynamics, operations), sep="\n")
        if mechanism.unsupported:
            out.print(
                "\nnot honoured:",
                *(f"  {x}" for x in mechanism.unsupported),
                sep="\n",
                markup=False,
                soft_wrap=True,
            )
    if picture is not None:
        from phalanx.view.plots.draw import draw, save

        save(draw(mechanism), picture)
        console.err().print(f"Drawn in {picture}.")


def headline(mechanism: Mechanism) -> str:
    """Name, sizes, mass, gravity and fluid in one line."""
    from phalanx.mechanism.describe import fluid_words

    mass = mechanism.total_mass
    gravity = ", ".join(f"{g:g}" for g in mechanism.gravity)
    loops = f", {len(mechanism.loops)} loops" if mechanism.loops else ""
    fluid = f", {fluid_words(mechanism.fluid)}" if mechanism.fluid else ""
    return (
        f"[bold]{escape(mechanism.name)}[/]: {len(mechanism.bodies)} bodies, "
        f"{len(mechanism.moving_joints)} moving joints, nq = {mechanism.nq}, nv = {mechanism.nv}"
        f"{loops}, {mass:.4g} kg, gravity ({gravity}) m/s²{fluid}"
    )


def body_tree(mechanism: Mechanism) -> Tree:
    """Bodies with their masses, each under its parent."""
    from rich.tree import Tree

    root = mechanism.bodies[0]
    branches = [Tree(f"{escape(root.name)} [dim]{root.mass:.4g} kg[/]")]
    for k, joint in enumerate(mechanism.joints):
        body = mechanism.bodies[k + 1]
        kind = "fixed" if not joint.motion.nv else f"{joint.motion.kind} '{joint.name}'"
        what = escape(f"{kind}{_mimic(joint)}")
        label = f"{escape(body.name)} [dim]{body.mass:.4g} kg, {what}[/]"
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


def spring_table(mechanism: Mechanism) -> Table:
    """Springs in joints and between frames."""
    table = console.table(
        "springs", ("spring", "acts on"), ("stiffness", "damping", "relaxed at", "preload")
    )
    for joint in mechanism.sprung_joints:
        numbers = (joint.stiffness, joint.damping, joint.rest_position)
        table.add_row(joint.name, "its joint", *(_numbers(x) for x in numbers), "")
    for spring in mechanism.springs:
        values = (spring.stiffness, spring.damping, spring.rest_length, spring.preload)
        ends = f"{spring.frame_a} – {spring.frame_b}"
        table.add_row(spring.name, ends, *(f"{value:.4g}" for value in values))
    table.caption = "in N·m/rad or N/m, N·m·s/rad or N·s/m, rad or m, N"
    return table


def actuator_table(mechanism: Mechanism) -> Table:
    """Actuators with what they act on and how."""
    table = console.table(
        "actuators",
        ("actuator", "acts on"),
        ("gain", "bias", "command", "force"),
    )
    for actuator in mechanism.actuators:
        pairs = zip(actuator.gears, actuator.joints, strict=True)
        ranges = (actuator.control_range, actuator.force_range)
        table.add_row(
            actuator.name,
            " + ".join(f"{gear:g} × {joint}" for gear, joint in pairs),
            *(" ".join(f"{x:.4g}" for x in numbers) for numbers in (actuator.gain, actuator.bias)),
            *(" … ".join(_numbers([x]) for x in ends) for ends in ranges),
        )
    table.caption = "gain and bias: constant, per length, per velocity; actuation=ModelActuators()"
    return table


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
    table.caption = f"forward dynamics by {kebab(dynamics.forward_name)}"
    if dynamics.mechanism.loops:
        table.caption += "; tree: of the spanning tree, loops cut open; reduced: in the free joints"
    return table


def facts(mechanism: Mechanism) -> dict[str, Any]:
    """The mechanism as JSON: what the tables show."""
    return {
        "name": mechanism.name,
        "nq": mechanism.nq,
        "nv": mechanism.nv,
        "mass": mechanism.total_mass,
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
                "stiffness": _floats(joint.stiffness),
                "damping": _floats(joint.damping),
            }
            for joint in mechanism.joints
        ],
        "frames": mechanism.frame_names,
        "springs": [asdict(spring) for spring in mechanism.springs],
        "fluid": _fluid_facts(mechanism.fluid),
        "actuators": [
            {
                "name": actuator.name,
                "joints": dict(zip(actuator.joints, actuator.gears.tolist(), strict=True)),
                "gain": actuator.gain.tolist(),
                "bias": actuator.bias.tolist(),
                "control_range": [_finite(x) for x in actuator.control_range],
                "force_range": [_finite(x) for x in actuator.force_range],
            }
            for actuator in mechanism.actuators
        ],
        "unsupported": list(mechanism.unsupported),
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


def _fluid_facts(fluid: Fluid | None) -> dict[str, Any] | None:
    if fluid is None:
        return None
    numbers = {"density": fluid.density, "viscosity": fluid.viscosity}
    return numbers | {"wind": fluid.wind.tolist()}


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


def _floats(values: Any) -> list[float]:
    """One a freedom, as JSON has them."""
    return [float(value) for value in values]
