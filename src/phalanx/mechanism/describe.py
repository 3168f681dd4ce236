"""Description of a mechanism as text: its tree, one body a line."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from phalanx.mechanism.fluid import Fluid
from phalanx.mechanism.inertia import joints_without_inertia, singular
from phalanx.mechanism.joint import Joint
from phalanx.mechanism.mechanism import Mechanism
from phalanx.mechanism.spring import Spring


def describe(mechanism: Mechanism, most: int | None = None) -> str:
    """Sizes, the tree of bodies with the joint that carries each, and whether M is singular.

    Args:
        mechanism: The machine.
        most: Bodies that are listed; all when not given.
    """
    lines = [
        f"{mechanism.name}: {len(mechanism.bodies)} bodies, {mechanism.total_mass:.4g} kg, "
        f"nq = {mechanism.nq}, nv = {mechanism.nv}, gravity {mechanism.gravity.tolist()} m/s²"
    ]
    depth = [0] * len(mechanism.bodies)
    for i, body in enumerate(mechanism.bodies[:most]):
        if i == 0:
            lines.append(f"{body.name}  {body.mass:.4g} kg")
            continue
        depth[i] = depth[mechanism.parents[i]] + 1
        joint = mechanism.joints[i - 1]
        lines.append(
            f"{'  ' * depth[i]}{body.name}  {body.mass:.4g} kg  by {_joint(mechanism, joint)}"
        )
    if most is not None and len(mechanism.bodies) > most:
        lines.append(f"… and {len(mechanism.bodies) - most:,} bodies more")
    lines += [
        f"loop {x.name}: {x.frame_a} - {x.frame_b} ({x.motion.kind})" for x in mechanism.loops
    ]
    lines += [f"spring {spring_words(x)}" for x in mechanism.springs]
    lines += [fluid_words(mechanism.fluid)] if mechanism.fluid else []
    lines += [f"actuator {x.name} of {', '.join(x.joints)}" for x in mechanism.actuators]
    lines += [f"not honoured: {x}" for x in mechanism.unsupported]
    lacking = joints_without_inertia(mechanism)
    if lacking:
        lines.append(f"mass matrix {singular(lacking)}")
    return "\n".join(lines)


def spring_words(spring: Spring) -> str:
    """A spring between frames in one line."""
    text = f"{spring.name}: {spring.frame_a} - {spring.frame_b} ({spring.stiffness:.4g} N/m"
    text += f" beyond {spring.rest_length:.4g} m"
    text += f", {spring.damping:.4g} N·s/m" if spring.damping else ""
    return text + (f", {spring.preload:.4g} N" if spring.preload else "") + ")"


def fluid_words(fluid: Fluid) -> str:
    """A fluid in a few words."""
    text = f"fluid of {fluid.density:.4g} kg/m³ and {fluid.viscosity:.4g} Pa·s"
    wind = ", ".join(f"{x:g}" for x in fluid.wind)
    return f"{text}, wind ({wind}) m/s" if fluid.wind.any() else text


def _few(numbers: ArrayLike) -> str:
    """Numbers, or one where all are alike."""
    values = np.unique(numbers) if np.ptp(numbers) == 0 else np.asarray(numbers)
    return " ".join(f"{x:.4g}" for x in values)


def _joint(mechanism: Mechanism, joint: Joint) -> str:
    text = f"'{joint.name}' ({joint.motion.kind}"
    axis = getattr(joint.motion, "axis", None)
    if axis is not None:
        text += " " + " ".join(f"{x:.4g}" for x in axis)
    if joint.mimic is not None:
        text += f", {joint.mimic.multiplier:g} × '{joint.mimic.leader}' + {joint.mimic.offset:g}"
    elif joint.motion.nv:
        s = mechanism.v_slices[joint.name]
        text += f", v[{s.start}]" if joint.motion.nv == 1 else f", v[{s.start}:{s.stop}]"
    if np.any(joint.stiffness):
        text += f", spring {_few(joint.stiffness)} about {_few(joint.rest_position)}"
    limits = np.array([joint.lower, joint.upper], dtype=np.float64).reshape(2, -1)
    if joint.motion.nv == 1 and np.isfinite(limits).all():
        text += f", {limits[0, 0]:.4g} … {limits[1, 0]:.4g}"
    return text + ")"
