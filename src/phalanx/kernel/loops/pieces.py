"""Chunking of a long native call, so that its progress can be shown.

Policy: what is carried goes from piece to piece as it is, so the numbers are those of one call to
the last bit. Pieces take a few tenths of a second each. Many runs need none of this: threads count
the blocks of runs that they have taken.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from phalanx.kernel.loops.loop import LoopKernel, LoopResult

A_PIECE = 0.2  # [s]
MOST_GROWTH = 8  # from one piece to the next, in steps


def in_pieces(
    kernel: LoopKernel,
    values: Sequence[Any],
    steps: int,
    every: int,
    progress: Callable[[float], None],
) -> LoopResult:
    """What ``kernel(steps, *values, every=every)`` returns.

    Args:
        kernel: The loop.
        values: The step's inputs in order, as arrays.
        steps: How many.
        every: Record after every so many steps.
        progress: Told which part of the steps is taken.
    """
    carried, streamed = kernel.loop.carried, kernel.loop.streamed
    unit = every if kernel.loop.recorded else 1
    piece, done = unit, 0
    recorded: list[Any] = []
    values = list(values)
    while True:
        last = done + piece > steps - unit  # what is left over joins the last one
        count = steps - done if last else piece
        part = [
            value[_window(kernel, p, done, count)] if p in streamed else value
            for p, value in enumerate(values)
        ]
        begun = time.perf_counter()
        result = kernel(count, *part, every=every)
        took = time.perf_counter() - begun
        if not recorded:
            recorded = [_room(kernel, p, rows, steps // every) for p, rows in _kept(kernel, result)]
        for room, (p, rows) in zip(recorded, _kept(kernel, result), strict=True):
            room[_window(kernel, p, done // every, count // every, output=True)] = rows
        done += count
        progress(done / steps)
        if done == steps:
            return result._replace(recorded=type(result.recorded)(*recorded))
        values[:carried] = result.final
        growth = min(MOST_GROWTH, max(1 / MOST_GROWTH, A_PIECE / max(took, 1e-6)))
        piece = max(unit, int(piece * growth) // unit * unit)


def _kept(kernel: LoopKernel, result: LoopResult) -> list[tuple[int, Any]]:
    """Recorded outputs by their number."""
    return list(zip(kernel.loop.recorded, result.recorded, strict=True))


def _room(kernel: LoopKernel, p: int, rows: Any, count: int) -> Any:
    """For all rows of a recording, of which some are there."""
    axis = rows.ndim - 1 - len(kernel.outputs[p].shape)
    return np.empty((*rows.shape[:axis], count, *rows.shape[axis + 1 :]), rows.dtype)


def _window(kernel: LoopKernel, p: int, first: int, count: int, *, output: bool = False) -> Any:
    """Some rows along the axis of time."""
    port = (kernel.outputs if output else kernel.inputs)[p]
    return (..., slice(first, first + count), *(slice(None),) * len(port.shape))
