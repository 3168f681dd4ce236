"""A compiled function over arrays: one sample, or any batch of them."""

from __future__ import annotations

import math
from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np

from phalanx.errors import InvalidInput
from phalanx.kernel import arrays
from phalanx.kernel.graph import Port
from phalanx.kernel.operations import Operations
from phalanx.kernel.target import Target


class Kernel:
    """Machine code of a function, called with NumPy arrays.

    Leading axes of the inputs are batch axes and broadcast together; trailing axes are those of
    `inputs`. Results do not depend on how the samples are batched, nor on the number of threads.

    Attributes:
        name: The function's name.
        inputs: Names, matrix sizes and trailing shapes of the arguments.
        outputs: The same of the results.
        operations: The arithmetic of one sample.
        dtype: ``float64`` or ``float32``.
        target: The processor the code is for.
        call: The same as calling the kernel, with the least overhead: keep it in a variable in a
            tight loop.
    """

    def __init__(
        self,
        name: str,
        inputs: tuple[Port, ...],
        outputs: tuple[Port, ...],
        operations: Operations,
        dtype: Any,
        target: Target,
        run: Callable[[list[tuple[int, int, int]], int], None],
    ) -> None:
        """Wrap machine code; use `phalanx.compile` to make one."""
        self.name = name
        self.inputs = inputs
        self.outputs = outputs
        self.operations = operations
        self.dtype = np.dtype(dtype)
        self.target = target
        self._run = run
        self._names = tuple(port.name for port in inputs)
        self._results = namedtuple(  # type: ignore[misc]
            name, [port.name for port in outputs], rename=True
        )
        self.call: Callable[..., Any] = self._call

    def __call__(self, *args: object, **keywords: object) -> Any:
        """Evaluate; ``out=`` takes the array (or tuple of arrays) to write to.

        Returns:
            The output's array, or a named tuple of arrays if there are several outputs.

        Raises:
            InvalidInput: An argument is missing, has the wrong shape or is not numeric.
        """
        return self.call(*args, **keywords)

    def __repr__(self) -> str:
        """Like ``Kernel ur5(q (6,), v (6,)) -> tau (6,), float64, avx2``."""
        inputs = ", ".join(f"{p.name} {p.shape}" for p in self.inputs)
        outputs = ", ".join(f"{p.name} {p.shape}" for p in self.outputs)
        return f"Kernel {self.name}({inputs}) -> {outputs}, {self.dtype}, {self.target.name}"

    def _call(self, *args: object, out: object = None, **keywords: object) -> Any:
        """The general way: any array, any batch."""
        values = self._bind(args, keywords)
        given = arrays.input_arrays(self.name, self.inputs, values, self.dtype)
        batch = arrays.batch_shape(self.name, self.inputs, given)
        results = arrays.output_arrays(self.name, self.outputs, out, batch, self.dtype)
        sources = [
            arrays.strided_input(port, array, batch)
            for port, array in zip(self.inputs, given, strict=True)
        ]
        targets = []
        read = [source.array for source in sources] if out is not None else []
        for port, array in zip(self.outputs, results, strict=True):
            target = arrays.strided_output(port, array, batch, read)
            targets.append(target)
            if out is not None:
                read.append(target.array)
        samples = math.prod(batch)
        if samples:
            self._run([s.record for s in (*sources, *targets)], samples)
        for array, target in zip(results, targets, strict=True):
            if array is not target.array:
                np.copyto(array, target.array)
        return results[0] if len(results) == 1 else self._results(*results)

    def _bind(self, args: tuple[object, ...], keywords: dict[str, object]) -> tuple[object, ...]:
        """The arguments in order, from positions and names."""
        if not keywords and len(args) == len(self._names):
            return args
        values = dict(zip(self._names, args, strict=False))
        repeated = values.keys() & keywords.keys()
        unknown = keywords.keys() - set(self._names)
        missing = [n for n in self._names if n not in values and n not in keywords]
        if len(args) > len(self._names):
            problem = f"got {len(args)} arguments"
        elif repeated:
            problem = f"got '{repeated.pop()}' twice"
        elif unknown:
            problem = f"has no input '{unknown.pop()}'"
        elif missing:
            problem = f"is missing {', '.join(missing)}"
        else:
            values |= keywords
            return tuple(values[name] for name in self._names)
        expected = ", ".join(f"{p.name} {p.shape}" for p in self.inputs)
        raise InvalidInput(f"kernel {self.name} {problem}; it takes ({expected}) and out=.")
