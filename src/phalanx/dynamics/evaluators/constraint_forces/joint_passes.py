"""Passes over joints as machine code, for values that go from one joint to the next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, final

import numpy as np

from phalanx.base.cached import cached_property
from phalanx.dynamics.evaluators.bodies import Integers
from phalanx.dynamics.evaluators.constraint_forces.structure import Structure
from phalanx.kernel.call.threads import Workload
from phalanx.kernel.graph.operations import Operations
from phalanx.kernel.traversal.compile_traversal import (
    NOTHING,
    PassSteps,
    Slice,
    TraversalKernel,
    compile_traversal,
)
from phalanx.kernel.traversal.node_table import NodeTable, node_table
from phalanx.mechanism.pose import Array


@final
class JointPasses:
    """Passes over the joints of a machine, for one sample by scalar code, for several in lanes."""

    def __init__(
        self,
        name: str,
        passes: Sequence[PassSteps],
        arrays: Mapping[str, str | int],
        structure: Structure,
        threads: int,
        *,
        kind_of: Integers | None = None,
        numbers: Sequence[Array] | None = None,
        columns: Mapping[str, Integers] | None = None,
    ) -> None:
        """Prepare the passes; they are compiled on first use.

        Args:
            name: Of the passes.
            passes: Each with a step for every kind of joint.
            arrays: Ports of the steps that are arrays: how many numbers each joint has, or the
                name of the column that says where they begin.
            structure: Which joint follows which.
            threads: How many may share the samples.
            kind_of: Kind of each joint; the first for all if not given.
            numbers: Arguments of each kind's steps, (members, arguments); none if not given.
            columns: By name.
        """
        self._name, self._passes, self._arrays = name, list(passes), dict(arrays)
        self._structure, self._threads = structure, threads
        count = len(structure)
        self._kind_of = np.zeros(count, np.int32) if kind_of is None else kind_of
        self._numbers = [np.empty((count, 0))] if numbers is None else list(numbers)
        self._columns = dict(columns or {})
        self._kernels: dict[int, TraversalKernel] = {}

    def part(
        self,
        structure: Structure,
        kind_of: Integers,
        numbers: Sequence[Array],
        columns: Mapping[str, Integers],
    ) -> JointPasses:
        """The same passes over some of the joints, by the same machine code."""
        made = JointPasses(
            self._name,
            self._passes,
            self._arrays,
            structure,
            self._threads,
            kind_of=kind_of,
            numbers=numbers,
            columns=columns,
        )
        made._kernels = self._kernels
        return made

    def _kernel(self, lanes: int) -> TraversalKernel:
        made = self._kernels.get(lanes)
        if made is None:
            made = compile_traversal(self._name, self._passes, self._arrays, lanes=lanes or None)
            self._kernels[lanes] = made
        return made

    @cached_property
    def _nodes(self) -> NodeTable:
        kernel = self._kernel(1)
        return node_table(
            self._structure.parent,
            self._kind_of,
            self._numbers,
            kernel.kept_words,
            {name: self._columns[name] for name in kernel.columns},
        )

    @cached_property
    def _work(self) -> int:
        counts = np.bincount(self._kind_of, minlength=len(self._numbers)).tolist()
        each = zip(self._kernel(1).operations, counts, strict=True)
        total = sum((own.times(count) for own, count in each), Operations())
        return Workload.of(total, self._threads, 1).work

    def __call__(
        self,
        samples: int,
        arrays: Mapping[str, Array],
        results: Mapping[str, int],
        begins: Sequence[Array | None] | None = None,
    ) -> dict[str, Array]:
        """Take samples through all passes.

        Args:
            samples: How many.
            arrays: Arguments, C-contiguous, the samples first.
            results: Of the arrays that steps write, how many numbers a sample has.
            begins: For each pass what the root hands on, (samples, carried); zeros for None.

        Returns:
            The results, (samples, numbers), by name.
        """
        kernel = self._kernel(1 if samples == 1 else 0)
        made = {name: np.empty((samples, size)) for name, size in results.items()}
        given: dict[str, Any] = {**arrays, **made}
        assert all(array.flags.c_contiguous for array in given.values())
        starts = [NOTHING if x is None else Slice.of(x) for x in begins] if begins else None
        slices = {name: Slice.of(given[name]) for name in kernel.arrays}
        table = kernel.table(self._nodes, samples, slices, starts)
        work = Workload(self._threads, kernel.lanes, self._work)
        kernel.run(table, samples, work, (self, given, begins))
        return made
