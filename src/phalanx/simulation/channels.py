"""What a run records of a mechanism, with names and units."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from phalanx.mechanism import Joint, Mechanism
from phalanx.simulation.layout import Layout
from phalanx.simulation.record.signal import Channel

_TURNS = ("revolute", "continuous", "screw", "universal")


def run_channels(
    mechanism: Mechanism, layout: Layout | None = None, rates: bool = False
) -> list[Channel]:
    """Positions, velocities, joint forces, energy, work, loss; then commands, states beside.

    With ``rates``, accelerations ``a`` follow, and of each state beside its rate: of ``pressure``
    [Pa] there is ``pressure_rate`` [Pa/s].
    """
    joints = mechanism.moving_joints
    q = [label for joint in joints for label in _labels(joint, joint.motion.nq)]
    v = [label for joint in joints for label in _labels(joint, joint.motion.nv)]
    kinds = {joint.motion.kind for joint in joints}
    angles = kinds <= set(_TURNS)
    lengths = kinds == {"prismatic"}
    mixed = not (angles or lengths)
    unit = "rad" if angles else "m" if lengths else "rad or m"
    force = "N·m or N" if mixed else "N·m" if angles else "N"
    return [
        Channel("q", unit, tuple(q)),
        Channel("v", "rad/s or m/s" if mixed else f"{unit}/s", tuple(v)),
        Channel("tau", force, tuple(v)),
        Channel("energy", "J", ()),
        Channel("work", "J", ()),
        Channel("loss", "J", ()),
        *(_beside(layout) if layout else ()),
        *(
            _rates(layout, v, "rad/s² or m/s²" if mixed else f"{unit}/s²")
            if layout and rates
            else ()
        ),
    ]


def _beside(layout: Layout) -> Iterator[Channel]:
    if layout.setup.actuation:
        yield Channel("command", "", layout.setup.actuation.commands(layout.mechanism))
    for quantity in layout.beside.quantities:
        yield Channel(quantity.name, quantity.unit, quantity.labels)


def _rates(layout: Layout, labels: Sequence[str], unit: str) -> Iterator[Channel]:
    yield Channel("a", unit, tuple(labels))
    for quantity in layout.integrated:
        yield Channel(f"{quantity.name}_rate", f"{quantity.unit or '1'}/s", quantity.labels)


def _labels(joint: Joint, count: int) -> list[str]:
    if count == 1:
        return [joint.name]
    parts = {
        ("cylindrical", 2): ("angle", "shift"),
        ("universal", 2): ("first", "second"),
        ("spherical", 4): ("qx", "qy", "qz", "qw"),
        ("spherical", 3): ("wx", "wy", "wz"),
        ("planar", 3): ("x", "y", "angle"),
        ("floating", 7): ("x", "y", "z", "qx", "qy", "qz", "qw"),
        ("floating", 6): ("vx", "vy", "vz", "wx", "wy", "wz"),
    }[joint.motion.kind, count]
    return [f"{joint.name}.{part}" for part in parts]
