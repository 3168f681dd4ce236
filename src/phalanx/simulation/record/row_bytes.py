"""Encoding of a sample as the bytes of a row: time, then the numbers of all channels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from struct import Struct
from typing import Any

import numpy as np

from phalanx.base.errors import InvalidInput
from phalanx.simulation.record.signal import Channel

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
