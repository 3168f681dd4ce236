"""Channels of a recording: names, units, bytes of a row; a check that all fit in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from struct import Struct
from typing import Any

import numpy as np

from phalanx.base.errors import InvalidInput
from phalanx.mechanism import Joint, Mechanism
from phalanx.mechanism.joint import position_units, velocity_units
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
    for quantity in layout.subsystems.quantities:
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


FLOAT64 = np.dtype("<f8")
UNFIT = b""  # in the place of a row that has to be converted, or refused
_pack = Struct("<d").pack
_join = b"".join


def converted(channels: Sequence[Channel], time: float, values: Sequence[Any]) -> bytes:
    """A row of anything that stands for numbers, one value a channel.

    Raises:
        InvalidInput: When a value does not fit its channel.
    """
    parts = [_pack(time)]
    for channel, value in zip(channels, values, strict=True):
        shape = (len(channel.labels),) if channel.labels else ()
        try:
            array = np.asarray(value, dtype=FLOAT64)
        except (TypeError, ValueError):
            raise InvalidInput(f"'{channel.name}' is {value!r}; expected numbers.") from None
        if array.shape != shape:
            raise InvalidInput(
                f"'{channel.name}' has shape {array.shape}; expected {shape}"
                + (f", one number each for {', '.join(channel.labels[:8])}." if shape else ".")
            )
        parts.append(array.tobytes())
    return _join(parts)


def row_maker(sizes: Sequence[int]) -> Callable[..., bytes]:
    """A function from time and values to the bytes of a row, or to ``UNFIT``.

    Made as one expression without a loop over the channels, which would take twice the time.

    Args:
        sizes: Numbers in each array; zero for a scalar.
    """
    names = [f"x{k}" for k in range(len(sizes))]
    arrays = [(x, size) for x, size in zip(names, sizes, strict=True) if size]
    fit = " and ".join(f"{x}.dtype is FLOAT64 and len({x}) == {size}" for x, size in arrays)
    parts = [x if size else f"pack({x})" for x, size in zip(names, sizes, strict=True)]
    row = f"join(({', '.join(['pack(time)', *parts])},))"
    source = f"lambda {', '.join(['time', *names])}: {row} if {fit or True} else UNFIT"
    known = {"FLOAT64": FLOAT64, "UNFIT": UNFIT, "pack": _pack, "join": _join}
    maker: Callable[..., bytes] = eval(source, known)
    return maker


# of a recording in memory [byte]
LARGEST = 2e9


def check_recording_size(channels: Sequence[Channel], samples: float) -> None:
    """Raise InvalidInput when a recording would fill the memory."""
    width = 1 + sum(channel.width for channel in channels)
    size = 8.0 * width * (samples + 1)
    if size > LARGEST:
        raise InvalidInput(
            f"recording {samples:.0f} samples of {width} numbers takes {size / 1e9:.1f} GB, more "
            f"than {LARGEST / 1e9:g} GB. Record chosen joints (joints=[...], or () for none), "
            "where chosen bodies are (bodies=[...]), or every k-th step (every=k)."
        )
