"""Functions evaluated by CasADi's virtual machine, without compilation.

It takes as long as compiled code for expressions that are long and flat, a term for every joint,
and nothing has to be compiled.
"""

from __future__ import annotations

from typing import Any, final

import casadi as ca
import numpy as np

from phalanx.mechanism.pose import Array


@final
class Interpreted:
    """A function with room for its numbers; not to be shared between threads."""

    def __init__(self, function: ca.Function) -> None:
        self._inputs: list[Any] = [np.zeros(function.numel_in(k)) for k in range(function.n_in())]
        self._outputs: list[Any] = [
            np.zeros(function.numel_out(k)) for k in range(function.n_out())
        ]
        buffer: Any
        buffer, self._evaluate = function.buffer()
        self._owned = function, buffer
        for k, array in enumerate(self._inputs):
            if array.size:
                buffer.set_arg(k, memoryview(array))
        for k, array in enumerate(self._outputs):
            if array.size:
                buffer.set_res(k, memoryview(array))

    def __call__(self, samples: int, *rows: Array | float) -> list[Array]:
        """Results (samples, n), of rows (samples, n) or (n,), or one number for all."""
        wide = [
            np.broadcast_to(np.asarray(row, float).reshape(-1, inner.size), (samples, inner.size))
            if inner.size
            else np.zeros((samples, 0))
            for row, inner in zip(rows, self._inputs, strict=True)
        ]
        results = [np.empty((samples, out.size)) for out in self._outputs]
        for s in range(samples):
            for inner, row in zip(self._inputs, wide, strict=True):
                inner[:] = row[s]
            self._evaluate()
            for out, result in zip(self._outputs, results, strict=True):
                result[s] = out
        return results
