"""Arguments of kernels: arrays checked, broadcast, and described by strides to machine code.

Nothing is copied if that can be avoided. Machine code walks an array with two strides, from
sample to sample and from element to element. An array whose leading axes, after broadcasting, or
whose trailing axes do not collapse to one stride is copied.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from phalanx.base.arguments.kinds import is_masked
from phalanx.base.errors import InvalidInput
from phalanx.kernel.graph.graph import Port

Array = np.ndarray[Any, Any]
Shape = tuple[int, ...]


class Strided(NamedTuple):
    """An array as machine code sees it: (address, sample stride, element stride) [byte]."""

    array: Array  # keeps the memory alive
    record: tuple[int, int, int]


def input_arrays(
    kernel: str, ports: Sequence[Port], values: Sequence[object], dtype: Any
) -> list[Array]:
    """The arguments as arrays of ``dtype`` with the right trailing shapes."""
    return [_input_array(kernel, p, value, dtype) for p, value in zip(ports, values, strict=True)]


def _input_array(kernel: str, port: Port, value: object, dtype: Any) -> Array:
    if type(value) is np.ndarray and value.dtype == dtype:
        array: Array = value
    else:
        try:
            array = np.asarray(value)
        except Exception as error:  # MemoryError, and what a stranger's class raises
            raise InvalidInput(
                f"'{port.name}' of {kernel} is not an array of numbers: {error}"
            ) from error
        if is_masked(value):
            raise InvalidInput(
                f"'{port.name}' of {kernel} is an array with masked entries, for which there are "
                "no numbers; fill them first, as with value.filled(0.0)."
            )
        if array.dtype.kind not in "biuf":
            raise InvalidInput(
                f"'{port.name}' of {kernel} has dtype {array.dtype}; expected real numbers "
                f"that convert to {np.dtype(dtype)}."
            )
        array = array.astype(dtype, copy=False)
    trailing = len(port.shape)
    if array.ndim < trailing or array.shape[array.ndim - trailing :] != port.shape:
        wanted = ", ".join(["...", *map(str, port.shape)])
        raise InvalidInput(
            f"'{port.name}' of {kernel} has shape {array.shape}; expected ({wanted}), "
            f"where ... are batch axes."
        )
    return array


def batch_shape(kernel: str, ports: Sequence[Port], arrays: Sequence[Array]) -> Shape:
    """The leading axes of all inputs, broadcast together."""
    leading = [a.shape[: a.ndim - len(p.shape)] for p, a in zip(ports, arrays, strict=True)]
    if all(shape == leading[0] for shape in leading[1:]):
        return leading[0] if leading else ()
    try:
        return np.broadcast_shapes(*leading)
    except ValueError:
        listed = ", ".join(f"{p.name} {s}" for p, s in zip(ports, leading, strict=True))
        raise InvalidInput(
            f"the batch axes of {kernel}'s inputs do not broadcast together: {listed}. "
            "Each must be equal, 1 or missing, counted from the right."
        ) from None


def strided_input(port: Port, array: Array, batch: Shape) -> Strided:
    """An input for machine code; copied only if two strides cannot describe it."""
    found = strided(port, array, batch)
    if found is None:
        whole = np.broadcast_to(array, batch + port.shape)
        found = strided(port, np.array(whole, order="C"), batch)
        assert found is not None
    return found


def strided(port: Port, array: Array, batch: Shape) -> Strided | None:
    """``array``, broadcast to ``batch``, with one stride per sample and element, if it has them."""
    flags = array.flags
    item = array.itemsize
    own_axes = array.ndim - len(port.shape)
    if flags.c_contiguous and array.shape[:own_axes] == batch and flags.aligned:
        return Strided(array, (_address(array), port.size * item, item))
    if not flags.aligned:
        return None
    missing = len(batch) - own_axes
    leading_strides = [0] * missing + [
        0 if n == 1 else s
        for n, s in zip(array.shape[:own_axes], array.strides[:own_axes], strict=True)
    ]
    sample = _one_stride(batch, leading_strides, 0)
    element = _one_stride(port.shape, array.strides[own_axes:], item)
    if sample is None or element is None:
        return None
    return Strided(array, (_address(array), sample, element))


def _one_stride(shape: Shape, strides: Sequence[int], default: int) -> int | None:
    """The single stride that walks all these axes in C order, if there is one."""
    axes = [(n, s) for n, s in zip(shape, strides, strict=True) if n != 1]
    if not axes:
        return default
    for (_, outer), (n, inner) in itertools.pairwise(axes):
        if outer != inner * n:
            return None
    return axes[-1][1]


def _address(array: Array) -> int:
    return int(array.ctypes.data)


def output_arrays(
    kernel: str, ports: Sequence[Port], out: object, batch: Shape, dtype: Any
) -> list[Array]:
    """New arrays for the results, or the caller's after checking them."""
    if out is None:
        return [np.empty(batch + port.shape, dtype) for port in ports]
    given = out if isinstance(out, tuple) else (out,)
    if len(given) != len(ports):
        raise InvalidInput(
            f"out= of {kernel} has {len(given)} arrays; expected "
            f"{len(ports)}: {', '.join(port.name for port in ports)}."
        )
    for port, array in zip(ports, given, strict=True):
        wanted = batch + port.shape
        if not isinstance(array, np.ndarray):
            problem = f"is a {type(array).__name__}; expected a NumPy array"
        elif array.shape != wanted:
            problem = f"has shape {array.shape}; expected {wanted}"
        elif array.dtype != dtype:
            problem = f"has dtype {array.dtype}; expected {np.dtype(dtype)}"
        elif not array.flags.writeable:
            problem = "is read-only; pass a writeable array"
        else:
            continue
        raise InvalidInput(f"out= for '{port.name}' of {kernel} {problem}.")
    return list(given)


def strided_output(port: Port, array: Array, batch: Shape, others: Sequence[Array]) -> Strided:
    """Return the array to write to: the result itself, or a copy if it overlaps ``others``."""
    overlaps = any(np.may_share_memory(array, other) for other in others)
    found = None if overlaps else strided(port, array, batch)
    # what an output that repeats its memory holds must not depend on the order of threads
    if found is None or (0 in found.record[1:] and math.prod(array.shape) > 1):
        found = strided(port, np.empty(array.shape, array.dtype), batch)
        assert found is not None
    return found
