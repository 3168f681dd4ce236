"""Kernel: a compiled function over arrays, for one sample or a batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, final

from phalanx.kernel.call.arrays import Array
from phalanx.kernel.call.description import Description
from phalanx.kernel.graph.graph import Port
from phalanx.kernel.graph.operations import Operations
from phalanx.kernel.llvm.target import Target


class KernelCall(Protocol):
    """Interface of the implementation that a kernel calls."""

    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    dtype: Any

    @property
    def threads(self) -> int:
        """How many threads a large batch may use."""

    def described(self, description: Description, results: type | None) -> Callable[..., Any]:
        """A call that says of itself what it is; see `Kernel.describe`."""

    def in_place(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> tuple[int, Array]: ...

    def on_arrays(
        self, inputs: Sequence[Array], outputs: Sequence[Array]
    ) -> Callable[[], None]: ...


@final
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
        threads: How many threads a large batch may use.
        target: The processor the code is for.
        call: The same as calling the kernel, without the cost of a Python method: keep it in a
            variable where a single evaluation must be quick.
    """

    def __init__(self, call: KernelCall, operations: Operations, target: Target) -> None:
        """Wrap machine code; `phalanx.compile` makes kernels."""
        self.name = call.name
        self.inputs = call.inputs
        self.outputs = call.outputs
        self.operations = operations
        self.dtype = call.dtype
        self.threads = call.threads
        self.target = target
        self._call = call
        self.describe(self.name)

    def describe(self, name: str, text: str = "", results: type | None = None) -> None:
        """Say more of what is called: for ``help``, ``inspect.signature`` and editors.

        Args:
            name: Its display name.
            text: What it does; shapes of what goes in and out are added.
            results: A named tuple for several outputs, with a field for each; one that is made of
                their names when not given.
        """
        description = Description(name, self.inputs, self.outputs, text)
        self.call: Callable[..., Any] = self._call.described(description, results)
        # a kernel is called like its call
        self.__signature__ = description.signature
        self.__doc__ = description.doc

    def __call__(self, *args: object, **keywords: object) -> Any:
        """Evaluate; ``out=`` takes the array (or tuple of arrays) to write to.

        Returns:
            The output's array, or a named tuple of arrays if there are several outputs.

        Raises:
            InvalidInput: An argument is missing, has the wrong shape or is not numeric.
        """
        return self.call(*args, **keywords)

    def in_place(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> tuple[int, Array]:
        """For loops in native code: where machine code begins, and the records it takes.

        With these it evaluates one sample on these very arrays, which must be contiguous and
        outlive the loop, as must this kernel.
        """
        return self._call.in_place(inputs, outputs)

    def on_arrays(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> Callable[[], None]:
        """For programs of many calls: what evaluates a batch on these very arrays, again and again.

        Nothing is checked when it is called, so a call costs a few microseconds. Arrays have all
        batch axes and the kernel's dtype, and one stride from sample to sample; none is both read
        and written.
        """
        return self._call.on_arrays(inputs, outputs)

    def __repr__(self) -> str:
        """Like ``Kernel ur5(q (6,), v (6,)) -> tau (6,), float64, avx2``."""
        inputs = ", ".join(f"{p.name} {p.shape}" for p in self.inputs)
        outputs = ", ".join(f"{p.name} {p.shape}" for p in self.outputs)
        return f"Kernel {self.name}({inputs}) -> {outputs}, {self.dtype}, {self.target.name}"
