"""Call of a kernel that is a Python function over arrays instead of one piece of machine code."""

from __future__ import annotations

import math
from collections import namedtuple
from collections.abc import Callable, Sequence
from typing import Any, final

import numpy as np

from phalanx.base.errors import InvalidInput
from phalanx.kernel.call import arrays
from phalanx.kernel.call.description import Description, bound
from phalanx.kernel.graph.graph import Port

# inputs of shape (samples, size) each, contiguous -> outputs of as many samples
Work = Callable[[Sequence[arrays.Array]], Sequence[arrays.Array]]


@final
class PlainCall:
    """A callable that checks its arguments as kernels do, and does its work on plain arrays.

    Attributes:
        threads: How many the work may use.
        results: The named tuple that several outputs are returned in.
    """

    def __init__(
        self,
        name: str,
        inputs: tuple[Port, ...],
        outputs: tuple[Port, ...],
        threads: int,
        work: Work,
    ) -> None:
        self.name = name
        self.inputs = inputs
        self.outputs = outputs
        self.dtype = np.dtype(np.float64)
        self.threads = threads
        self.results: Any = namedtuple(  # type: ignore[misc]
            name, [port.name for port in outputs], rename=True
        )
        self._work = work

    def described(self, description: Description, results: type | None) -> Callable[..., Any]:
        if results is not None:
            self.results = results
        return description.function(self.evaluate)

    def evaluate(self, args: tuple[object, ...], out: object, keywords: dict[str, object]) -> Any:
        values = bound(self.name, self.inputs, args, keywords)
        given = arrays.input_arrays(self.name, self.inputs, values, self.dtype)
        batch = arrays.batch_shape(self.name, self.inputs, given)
        shapes = [batch + port.shape for port in self.outputs]
        targets = None
        if out is not None:
            targets = arrays.output_arrays(self.name, self.outputs, out, batch, self.dtype)
        samples = math.prod(batch)
        if samples:
            found = self._work(
                [
                    _flat(port, array, batch, samples)
                    for port, array in zip(self.inputs, given, strict=True)
                ]
            )
        else:
            found = [np.empty(shape) for shape in shapes]
        results = [array.reshape(shape) for array, shape in zip(found, shapes, strict=True)]
        if targets is not None:
            for target, result in zip(targets, results, strict=True):
                np.copyto(target, result)
            results = targets
        return results[0] if len(results) == 1 else self.results(*results)

    def in_place(
        self, inputs: Sequence[arrays.Array], outputs: Sequence[arrays.Array]
    ) -> tuple[int, arrays.Array]:
        """Nothing that a loop in native code could call."""
        raise self._no_single_piece()

    def on_arrays(
        self, inputs: Sequence[arrays.Array], outputs: Sequence[arrays.Array]
    ) -> Callable[[], None]:
        """Nothing that could be called so either."""
        raise self._no_single_piece()

    def _no_single_piece(self) -> InvalidInput:
        return InvalidInput(f"{self.name} traverses bodies and is no single piece of machine code.")


def _flat(port: Port, array: arrays.Array, batch: arrays.Shape, samples: int) -> arrays.Array:
    if array.shape == batch + port.shape and array.flags.c_contiguous:
        return array.reshape(samples, port.size)
    whole = np.broadcast_to(array, batch + port.shape).reshape(samples, port.size)
    return np.ascontiguousarray(whole)
