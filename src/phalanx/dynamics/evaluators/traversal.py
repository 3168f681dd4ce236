"""Compiled traversal: recursions over a machine's nodes as machine code, on arrays of samples.

Policy: one sample is taken by scalar code, several by code for as many lanes as a vector has. Both
are compiled on first use.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, final

import casadi as ca
import numpy as np

from phalanx.base.cached import cached_property
from phalanx.dynamics.evaluators.bodies import Bodies
from phalanx.dynamics.evaluators.node_types import NodeType, node_types_of
from phalanx.dynamics.evaluators.recursion import PORTS, Recursion
from phalanx.kernel.call.address import address
from phalanx.kernel.call.threads import Workload
from phalanx.kernel.graph.operations import Operations
from phalanx.kernel.interrupts.interruptible import repeated_interrupts
from phalanx.kernel.traversal.compile_traversal import PassSteps, TraversalKernel, compile_traversal
from phalanx.kernel.traversal.node_table import NodeTable, node_table
from phalanx.mechanism.pose import Array

# numbers of samples that tables are kept for
MOST_FRAMES = 32

# where a node's numbers begin: a column of the node table, or so many for every node
_COLUMNS: dict[str, str | int] = {
    port: {"nq": "q", "nv": "v"}[size] if isinstance(size, str) else size
    for port, size in PORTS.items()
}


@final
@dataclass(frozen=True)
class TraversalResult:
    """Result of a traversal.

    Attributes:
        results: Arrays that steps wrote, (samples, total), by name.
        ends: For each inward pass what came to the root, (samples, carried); None for others.
    """

    results: dict[str, Array]
    ends: tuple[Array | None, ...]


@final
class BoundCall(NamedTuple):
    """A call of a program on arrays that stay where they are.

    Attributes:
        kernel: Machine code.
        table: The words of the call.
        samples: How many.
        work: What threads need to know.
        owned: All that the table points at.
        swept: What a call leaves.
    """

    kernel: TraversalKernel
    table: Any
    samples: int
    work: Workload
    owned: tuple[object, ...]
    swept: TraversalResult

    def run(self) -> None:
        """Take the samples through all passes."""
        self.kernel.run(self.table, self.samples, self.work, self.owned)


@final
class Traversal:
    """A program over the nodes of one machine.

    Attributes:
        program: What is done at a node.
        bodies: The nodes.
        threads: How many may share the samples.
    """

    def __init__(
        self, program: Recursion, bodies: Bodies, threads: int, cache: bool = True
    ) -> None:
        self.program, self.bodies, self.threads = program, bodies, threads
        self._cache = cache
        self._kernels: dict[int, TraversalKernel] = {}
        self._frames: dict[int, _Frame] = {}

    @cached_property
    def kinds(self) -> tuple[NodeType, ...]:
        """Kinds of nodes that code is made for."""
        return node_types_of(self.bodies)

    @cached_property
    def traced(self) -> list[list[ca.Function]]:
        """The step of each pass (columns) for each kind (rows)."""
        return [self.program.traced(kind) for kind in self.kinds]

    @cached_property
    def steps(self) -> list[PassSteps]:
        """The passes with a step for each kind."""
        return [
            PassSteps(each.direction == "inward", each.carried, tuple(k[w] for k in self.traced))
            for w, each in enumerate(self.program.passes)
        ]

    @repeated_interrupts()
    def kernel(self, lanes: int | None = None) -> TraversalKernel:
        """Machine code for so many lanes, as many as a vector has when not given."""
        made = self._kernels.get(lanes or 0)
        if made is None:
            made = compile_traversal(
                self.program.name,
                self.steps,
                _COLUMNS,
                lanes=lanes,
                in_place=self.bodies.is_chain,
                cache=self._cache,
            )
            self._kernels[lanes or 0] = made
        return made

    @cached_property
    def nodes(self) -> NodeTable:
        """The table of the machine's nodes."""
        bodies, kernel = self.bodies, self._some_kernel
        columns = {"q": bodies.q, "v": bodies.v}
        return node_table(
            bodies.parent,
            node_type_numbers(bodies, self.kinds),
            [kind.numbers for kind in self.kinds],
            kernel.kept_words,
            {name: columns[name] for name in kernel.columns},
        )

    @property
    def _some_kernel(self) -> TraversalKernel:
        """One that is there, for what all have in common."""
        return next(iter(self._kernels.values()), None) or self.kernel(1)

    @cached_property
    def operations(self) -> Operations:
        """Arithmetic of one evaluation, all nodes together."""
        total = Operations()
        for kind, own in zip(self.kinds, self._some_kernel.operations, strict=True):
            total = total + own.times(len(kind.members))
        return total

    @cached_property
    def _widths(self) -> dict[str, int]:
        """Numbers of one sample in every array."""
        m, count = self.bodies.mechanism, len(self.bodies)
        return {
            port: {"nq": m.nq, "nv": m.nv}[size] if isinstance(size, str) else size * count
            for port, size in PORTS.items()
        }

    @cached_property
    def _written(self) -> tuple[str, ...]:
        outputs = {name for each in self.steps for name in each.steps[0].name_out()}
        return tuple(name for name in PORTS if name in outputs)

    def __call__(
        self,
        samples: int,
        arrays: Mapping[str, Array],
        begins: Sequence[Array | None] | None = None,
        out: Mapping[str, Array] | None = None,
        ends: bool = True,
    ) -> TraversalResult:
        """Take samples through all passes.

        Args:
            samples: How many.
            arrays: (samples, total) or (1, total), C-contiguous and of double precision, by name.
            begins: For each outward pass what the root hands on, (samples, carried) or
                (1, carried); zeros where there is None.
            out: Arrays to write results to, by name; new ones for the others.
            ends: Whether what comes to the root is asked for.
        """
        call = self.bound(samples, arrays, begins, out, ends=ends)
        call.run()
        return call.swept

    def bound(
        self,
        samples: int,
        arrays: Mapping[str, Array],
        begins: Sequence[Array | None] | None = None,
        out: Mapping[str, Array] | None = None,
        *,
        ends: bool = True,
    ) -> BoundCall:
        """The same call on the same arrays, as often as wanted; see :meth:`__call__`.

        What it leaves is always written to the same arrays.
        """
        frame = self._frame(samples)
        table = frame.table.copy()
        results: dict[str, Array] = {}
        for name in self._written:
            array = out.get(name) if out else None
            results[name] = np.empty((samples, self._widths[name])) if array is None else array
        put: list[tuple[int, Array]] = [
            (place, results[name] if name in results else arrays[name])
            for name, place in frame.arrays
        ]
        put += [
            (place, begin)
            for place, begin in zip(frame.begins, begins or (), strict=False)
            if begin is not None
        ]
        made: list[Array | None] = [None] * len(self.steps)
        if ends:
            for k, place in frame.ends:
                end = made[k] = np.empty((samples, self.steps[k].carried))
                put.append((place, end))
        for place, array in put:
            table[place] = address(array)
            if samples > 1:
                table[place + 1] = array.strides[0] if len(array) > 1 else 0
        swept = TraversalResult(results, tuple(made))
        return BoundCall(frame.kernel, table, samples, frame.work, (self, put), swept)

    def _frame(self, samples: int) -> _Frame:
        """What calls with so many samples have in common."""
        known = self._frames.get(samples)
        if known is None:
            kernel = self.kernel(1 if samples == 1 else None)
            inward = [k for k, each in enumerate(self.steps) if each.inward and each.carried]
            known = _Frame(
                kernel,
                kernel.table(self.nodes, samples, {}),
                [(name, kernel.place(name)) for name in kernel.arrays],
                [kernel.place(f"begin {k}") for k in range(len(self.steps))],
                [(k, kernel.place(f"end {k}")) for k in inward],
                Workload(self.threads, kernel.lanes, self._work),
            )
            if len(self._frames) >= MOST_FRAMES:
                self._frames.clear()
            self._frames[samples] = known
        return known

    @cached_property
    def _work(self) -> int:
        return Workload.of(self.operations, self.threads, 1).work


@dataclass(frozen=True)
class _Frame:
    """A table with gaps, and where arrays go."""

    kernel: TraversalKernel
    table: Any
    arrays: list[tuple[str, int]]
    begins: list[int]
    ends: list[tuple[int, int]]
    work: Workload


def node_type_numbers(bodies: Bodies, kinds: Sequence[NodeType]) -> Any:
    """The number of each node's kind, shape (n,)."""
    numbers = np.zeros(len(bodies), np.int32)
    for k, kind in enumerate(kinds):
        numbers[kind.members] = k
    return numbers
