"""General call of a kernel in Python: any array, any batch, any number of threads."""

from __future__ import annotations

import ctypes
import math
from collections import namedtuple
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from phalanx.kernel.call import arrays, direct_call
from phalanx.kernel.call.description import Description, bound
from phalanx.kernel.call.emit_call import Slot
from phalanx.kernel.call.threads import Workload
from phalanx.kernel.graph.graph import Port
from phalanx.kernel.llvm.native import Library


class GeneralCall:
    """A callable that checks its arguments, describes them to machine code and runs it.

    Attributes:
        results: The named tuple that several outputs are returned in.
    """

    def __init__(
        self,
        name: str,
        inputs: tuple[Port, ...],
        outputs: tuple[Port, ...],
        dtype: np.dtype[Any],
        workload: Workload,
    ) -> None:
        """Prepare; machine code is attached afterwards, since it refers back to this call."""
        self.name = name
        self.inputs = inputs
        self.outputs = outputs
        self.dtype = dtype
        self.workload = workload
        self.results: Any = namedtuple(  # type: ignore[misc]
            name, [port.name for port in outputs], rename=True
        )
        self._records = ctypes.c_int64 * (3 * (len(inputs) + len(outputs)))
        self._kept: list[object] = []
        self._table: Any = None

    @property
    def threads(self) -> int:
        """How many threads a large batch may use."""
        return self.workload.threads

    def attach(self, library: Library, table: Any = None) -> None:
        """Use the code of ``library``, which reads a table of pointers if CPython can call it."""
        self._library, self._table = library, table
        prototype = ctypes.CFUNCTYPE(
            ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64
        )
        self._begin = library.address("share")
        self._share = prototype(self._begin)

    def described(self, description: Description, results: type | None) -> Callable[..., Any]:
        if results is not None:
            self.results = results
        if self._table is None:
            return description.function(lambda args, out, named: self(*args, out=out, **named))
        self._table[Slot.RESULT_TYPE] = id(self.results)
        definition = direct_call.method_definition(description, self._library.address("call"))
        self._kept.append(definition)
        return direct_call.builtin(definition, self)

    def __call__(self, *args: object, out: object = None, **keywords: object) -> Any:
        values = bound(self.name, self.inputs, args, keywords)
        given = arrays.input_arrays(self.name, self.inputs, values, self.dtype)
        batch = arrays.batch_shape(self.name, self.inputs, given)
        results = arrays.output_arrays(self.name, self.outputs, out, batch, self.dtype)
        sources = [
            arrays.strided_input(port, array, batch)
            for port, array in zip(self.inputs, given, strict=True)
        ]
        # only the caller's arrays can overlap; new ones never do
        taken = [source.array for source in sources] if out is not None else []
        targets = []
        for port, array in zip(self.outputs, results, strict=True):
            target = arrays.strided_output(port, array, batch, taken)
            targets.append(target)
            if out is not None:
                taken.append(target.array)
        samples = math.prod(batch)
        if samples:
            numbers = (x for described in (*sources, *targets) for x in described.record)
            owned = (self, sources, targets)
            self.workload.run(self._share, self._records(*numbers), samples, owned)
        for array, target in zip(results, targets, strict=True):
            if array is not target.array:
                np.copyto(array, target.array)
        return results[0] if len(results) == 1 else self.results(*results)

    def in_place(
        self, inputs: Sequence[arrays.Array], outputs: Sequence[arrays.Array]
    ) -> tuple[int, arrays.Array]:
        numbers: list[int] = []
        ports = (*self.inputs, *self.outputs)
        for port, array in zip(ports, (*inputs, *outputs), strict=True):
            assert array.size == port.size and array.dtype == self.dtype, port
            assert array.flags.c_contiguous and array.flags.aligned, port
            numbers += [array.ctypes.data, array.nbytes, array.itemsize]
        return self._begin, np.array(numbers, np.int64)

    def on_arrays(
        self, inputs: Sequence[arrays.Array], outputs: Sequence[arrays.Array]
    ) -> Callable[[], None]:
        batch = outputs[0].shape[: outputs[0].ndim - len(self.outputs[0].shape)]
        ports = (*self.inputs, *self.outputs)
        described = [
            arrays.strided(port, array, batch)
            for port, array in zip(ports, (*inputs, *outputs), strict=True)
        ]
        found = [x for x in described if x is not None]
        assert len(found) == len(ports), "an array that two strides do not describe"
        assert all(x.array.dtype == self.dtype for x in found)
        records = self._records(*(x for one in found for x in one.record))
        samples, owned = math.prod(batch), (self, found)
        run, share = self.workload.run, self._share
        return lambda: run(share, records, samples, owned)
