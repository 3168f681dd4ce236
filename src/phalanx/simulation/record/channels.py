"""Channels of a run's recording, with names and units."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from phalanx.mechanism import Joint, Mechanism
from phalanx.mechanism.joint_units import position_units, velocity_units
from phalanx.simulation.record.energy_balance import SIGNAL
from phalanx.simulation.record.signal import Channel
from phalanx.simulation.run.energy_lines import balance_labels
from phalanx.simulation.setup.layout import Layout


def run_channels(
    mechanism: Mechanism, layout: Layout | None = None, rates: bool = False
) -> list[Channel]:
    """Positions, velocities, joint forces, energy, work, loss.

    With a layout, lines of the energy balance, commands and subsystem states follow. With
    ``rates``, accelerations ``a`` follow, and of each subsystem state its rate: of ``pressure``
    [Pa] there is ``pressure_rate`` [Pa/s].
    """
    joints = mechanism.moving_joints
    q = [label for joint in joints for label in _labels(joint, joint.motion.nq)]
    v = [label for joint in joints for label in _labels(joint, joint.motion.nv)]
    positions = [unit for joint in joints for unit in position_units(joint)]
    motions = [unit for joint in joints for unit in velocity_units(joint)]
    forces = ["N·m" if unit == "rad" else "N" for unit in motions]
    return [
        _channel("q", "rad or m", q, positions),
        _channel("v", "rad/s or m/s", v, [f"{unit}/s" for unit in motions]),
        _channel("tau", "N·m or N", v, forces),
        Channel("energy", "J", ()),
        Channel("work", "J", ()),
        Channel("loss", "J", ()),
        *((Channel(SIGNAL, "J", balance_labels(layout)),) if layout else ()),
        *(_subsystem_channels(layout) if layout else ()),
        *(
            _rates(layout, _channel("a", "rad/s² or m/s²", v, [f"{unit}/s²" for unit in motions]))
            if layout and rates
            else ()
        ),
    ]


def _subsystem_channels(layout: Layout) -> Iterator[Channel]:
    if layout.setup.actuation:
        yield Channel("command", "", layout.setup.actuation.commands(layout.mechanism))
    for quantity in layout.beside.quantities:
        yield Channel(quantity.name, quantity.unit, quantity.labels)


def _rates(layout: Layout, accelerations: Channel) -> Iterator[Channel]:
    yield accelerations
    for quantity in layout.integrated:
        yield Channel(f"{quantity.name}_rate", f"{quantity.unit or '1'}/s", quantity.labels)


def _channel(name: str, mixed: str, labels: Sequence[str], units: Sequence[str]) -> Channel:
    """A channel with one unit where all labels share it, else with a unit a label."""
    if len(set(units)) <= 1:
        return Channel(name, units[0] if units else mixed.partition(" ")[0], tuple(labels))
    return Channel(name, mixed, tuple(labels), tuple(units))


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
