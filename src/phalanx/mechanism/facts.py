"""Facts of a mechanism: sizes, its tree of bodies, joints with limits, springs, actuators."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

import numpy as np

from phalanx.base.facts import Cell, Facts, Part, Styled, TextTable, TextTree, finite
from phalanx.mechanism.actuator import Actuator
from phalanx.mechanism.describe import fluid_words
from phalanx.mechanism.fluid import Fluid
from phalanx.mechanism.joint import Joint
from phalanx.mechanism.mechanism import Mechanism

LIMITS = ("lower", "upper", "velocity_limit", "effort_limit")


def mechanism_facts(mechanism: Mechanism) -> Facts:
    """Facts of a machine."""
    tables = []
    if mechanism.moving_joints:
        tables.append(_joints(mechanism))
    if mechanism.springs or mechanism.sprung_joints:
        tables.append(_springs(mechanism))
    if mechanism.actuators:
        tables.append(_actuators(mechanism))
    parts: list[Part] = [headline(mechanism), _bodies(mechanism)]
    return Facts([*parts, *(part for table in tables for part in ("", table))], _values(mechanism))


def headline(mechanism: Mechanism) -> tuple[Cell, ...]:
    """Name, sizes, mass, gravity and fluid in one line."""
    gravity = ", ".join(f"{g:g}" for g in mechanism.gravity)
    loops = f", {len(mechanism.loops)} loops" if mechanism.loops else ""
    fluid = f", {fluid_words(mechanism.fluid)}" if mechanism.fluid else ""
    return (
        Styled(mechanism.name, "bold"),
        f": {len(mechanism.bodies)} bodies, {len(mechanism.moving_joints)} moving joints, "
        f"nq = {mechanism.nq}, nv = {mechanism.nv}{loops}, {mechanism.total_mass:.4g} kg, "
        f"gravity ({gravity}) m/s²{fluid}",
    )


def _bodies(mechanism: Mechanism) -> TextTree:
    """Bodies with their masses, each under its parent."""
    root = mechanism.bodies[0]
    lines: list[tuple[Cell, ...]] = [(f"{root.name} ", Styled(f"{root.mass:.4g} kg", "dim"))]
    for body, joint in zip(mechanism.bodies[1:], mechanism.joints, strict=True):
        kind = "fixed" if not joint.motion.nv else f"{joint.motion.kind} '{joint.name}'"
        what = Styled(f"{body.mass:.4g} kg, {kind}{_mimic(joint)}", "dim")
        lines.append((f"{body.name} ", what))
    return TextTree(lines, mechanism.parents[1:])


def _joints(mechanism: Mechanism) -> TextTable:
    """Moving joints with their coordinates and limits."""
    return TextTable(
        "moving joints",
        ["joint", "kind"],
        ["q", "v", "lower", "upper", "velocity", "effort"],
        [
            (
                joint.name,
                joint.motion.kind,
                _indices(mechanism.q_slices[joint.name]),
                _indices(mechanism.v_slices[joint.name]),
                *(_few(getattr(joint, limit)) for limit in LIMITS),
            )
            for joint in mechanism.moving_joints
        ],
        "limits in rad or m, rad/s or m/s, N·m or N; – for none",
    )


def _springs(mechanism: Mechanism) -> TextTable:
    """Springs in joints and between frames."""
    rows = []
    for joint in mechanism.sprung_joints:
        numbers = (joint.stiffness, joint.damping, joint.rest_position)
        rows.append([joint.name, "its joint", *map(_few, numbers), ""])
    for spring in mechanism.springs:
        values = (spring.stiffness, spring.damping, spring.rest_length, spring.preload)
        ends = f"{spring.frame_a} – {spring.frame_b}"
        rows.append([spring.name, ends, *(f"{value:.4g}" for value in values)])
    heads = ["stiffness", "damping", "relaxed at", "preload"]
    caption = "in N·m/rad or N/m, N·m·s/rad or N·s/m, rad or m, N"
    return TextTable("springs", ["spring", "acts on"], heads, rows, caption)


def _actuators(mechanism: Mechanism) -> TextTable:
    """Actuators with what they act on and how."""

    def cells(actuator: Actuator) -> list[str]:
        pairs = zip(actuator.gears, actuator.joints, strict=True)
        affine = (actuator.gain, actuator.bias)
        ranges = (actuator.control_range, actuator.force_range)
        return [
            actuator.name,
            " + ".join(f"{gear:g} × {joint}" for gear, joint in pairs),
            *(" ".join(f"{x:.4g}" for x in numbers) for numbers in affine),
            *(" … ".join(_few([x]) for x in ends) for ends in ranges),
        ]

    return TextTable(
        "actuators",
        ["actuator", "acts on"],
        ["gain", "bias", "command", "force"],
        [cells(actuator) for actuator in mechanism.actuators],
        "gain and bias: constant, per length, per velocity; actuation=ModelActuators()",
    )


def _values(mechanism: Mechanism) -> dict[str, Any]:
    """For programs."""
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
        "joints": [_joint_values(joint) for joint in mechanism.joints],
        "frames": mechanism.frame_names,
        "springs": [asdict(spring) for spring in mechanism.springs],
        "fluid": _fluid_values(mechanism.fluid),
        "actuators": [_actuator_values(actuator) for actuator in mechanism.actuators],
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
    }


def _joint_values(joint: Joint) -> dict[str, Any]:
    return {
        "name": joint.name,
        "kind": joint.motion.kind,
        "parent": joint.parent,
        "child": joint.child,
        "mimics": joint.mimic.leader if joint.mimic else None,
        **{limit: [finite(x) for x in getattr(joint, limit)] for limit in LIMITS},
        "stiffness": np.asarray(joint.stiffness, dtype=np.float64).tolist(),
        "damping": np.asarray(joint.damping, dtype=np.float64).tolist(),
    }


def _actuator_values(actuator: Actuator) -> dict[str, Any]:
    return {
        "name": actuator.name,
        "joints": dict(zip(actuator.joints, actuator.gears.tolist(), strict=True)),
        "gain": actuator.gain.tolist(),
        "bias": actuator.bias.tolist(),
        "control_range": [finite(x) for x in actuator.control_range],
        "force_range": [finite(x) for x in actuator.force_range],
    }


def _fluid_values(fluid: Fluid | None) -> dict[str, Any] | None:
    if fluid is None:
        return None
    numbers = {"density": fluid.density, "viscosity": fluid.viscosity}
    return numbers | {"wind": fluid.wind.tolist()}


def _mimic(joint: Joint) -> str:
    if joint.mimic is None:
        return ""
    return f" = {joint.mimic.multiplier:g} × '{joint.mimic.leader}' + {joint.mimic.offset:g}"


def _indices(part: slice) -> str:
    return str(part.start) if part.stop - part.start == 1 else f"{part.start}:{part.stop}"


def _few(values: Iterable[Any] | Any) -> str:
    """Numbers, or one where all are alike; – for infinite ones."""
    texts = [f"{x:.4g}" if abs(x) < float("inf") else "–" for x in values]
    return texts[0] if len(set(texts)) == 1 else " ".join(texts)
