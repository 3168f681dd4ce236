"""Named inputs of a rollout that a sweep can vary, and their nominal values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import ArrayLike

from phalanx.base.arguments import finite_numbers
from phalanx.base.errors import InvalidInput, UnknownName
from phalanx.distribute.sweeps.chunk import Array
from phalanx.distribute.sweeps.inputs import Inputs, InputSlot, stem
from phalanx.equations.loops.assembly.assemble import closed_start
from phalanx.mechanism import Mechanism, Prismatic
from phalanx.simulation.setup.forces.joint_forces import Damping, ForceOfEach, Friction
from phalanx.simulation.setup.forces.stops import Stops
from phalanx.simulation.setup.layout import Layout
from phalanx.simulation.setup.parameters import parameters_of_setup

WRENCH, STATE = "wrench.", "state."
_CHOICES: tuple[ForceOfEach, ...] = (
    Damping(),
    Friction(),
    Stops(stiffness=1e4, damping=1e2),
)


def sizes_told(layouts: Iterable[Layout]) -> dict[str, int]:
    """Return sizes of the inputs of all controls and of the surroundings.

    Raises:
        InvalidInput: When two of them mean different things by a name.
    """
    sizes: dict[str, int] = {}
    for layout in layouts:
        for name, size in layout.named_inputs.items():
            if sizes.setdefault(name, size) != size:
                raise InvalidInput(
                    f"two controls have an input '{name}', of {sizes[name]} and {size} numbers."
                )
    return sizes


def rollout_inputs(
    layout: Layout,
    sizes: Mapping[str, int],
    begin: tuple[ArrayLike | None, ArrayLike | None],
    inputs: Mapping[str, ArrayLike],
    wrenches: Mapping[str, ArrayLike],
) -> Inputs:
    """Inputs of a rollout with one of its controls.

    Args:
        layout: Of the setup with that control.
        sizes: Of the inputs of any control; those without a value are not numbers.
        begin: Where runs begin and how fast; neutral, with loops closed, and at rest when not
            given.
        inputs: Values of these.
        wrenches: Frame to external wrench.

    Raises:
        UnknownName: When no control has an input that is given.
        InvalidInput: When values are not finite.
    """
    m = layout.mechanism
    q0 = closed_start(m) if begin[0] is None else finite_numbers("q0", begin[0])
    v0 = np.zeros(m.nv) if begin[1] is None else finite_numbers("v0", begin[1])
    nominal: dict[str, Array] = {"q0": q0, "v0": v0}
    for name, size in sizes.items():
        shape = () if size == 1 else (size,)
        given = inputs.get(name, layout.defaults.get(name, np.full(shape, np.nan)))
        nominal[name] = np.broadcast_to(np.asarray(given, dtype=np.float64), shape)
    for name in inputs:
        if name not in sizes:
            raise UnknownName("the control", "input", name, sizes)
    for frame in layout.setup.wrenches:
        wrench = wrenches.get(frame, np.zeros(6))
        nominal[f"{WRENCH}{frame}"] = finite_numbers(f"wrench of {frame}", wrench)
    states = layout.subsystems.split(layout.subsystems.initial(q0, None))
    nominal |= {f"{STATE}{name}": np.asarray(value) for name, value in states.items()}
    parts = {
        f"{name}.{joint.name}": InputSlot(name, s.start if s.stop - s.start == 1 else s)
        for name, slices in (("q0", m.q_slices), ("v0", m.v_slices))
        for joint in m.moving_joints
        for s in (slices[joint.name],)
    }
    owner = f"a rollout of '{m.name}'"
    return Inputs(owner, m, nominal, parts, parameters_of_setup(layout.setup))


def check_forces(layout: Layout, names: Iterable[str]) -> None:
    """That forces whose numbers are varied are among those of a setup.

    Raises:
        InvalidInput: When one is not; what is varied would change nothing.
    """
    present = parameters_of_setup(layout.setup)
    for name in names:
        for force in _CHOICES:
            if stem(name) in force.parameters(layout.mechanism).keys() - present.keys():
                raise InvalidInput(
                    f"'{name}' is varied, and no force of this rollout depends on it: add "
                    f"{force!r} to its forces=."
                )


def force_units(mechanism: Mechanism) -> dict[str, str]:
    """Units of the damping and friction of joints that turn or slide."""
    found = {}
    for joint in mechanism.joints:
        if joint.motion.nv == 1:
            slides = isinstance(joint.motion, Prismatic)
            found[f"{joint.name}.damping"] = "N·s/m" if slides else "N·m·s/rad"
            found[f"{joint.name}.friction"] = "N" if slides else "N·m"
    return found
