"""Compile steps over symbols into a native traversal of a tree."""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import NamedTuple, final

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from phalanx.kernel.build import DTYPES, cached, lowered
from phalanx.kernel.call.address import address
from phalanx.kernel.call.threads import Workload
from phalanx.kernel.graph.graph import Graph
from phalanx.kernel.graph.operations import Operations, operations
from phalanx.kernel.graph.passes.share_reciprocals import share_reciprocals
from phalanx.kernel.graph.passes.simplify import simplify
from phalanx.kernel.graph.read_casadi import read_casadi
from phalanx.kernel.interrupts.interruptible import repeated_interrupts
from phalanx.kernel.llvm import cache as object_cache
from phalanx.kernel.llvm.ir_text import Vector
from phalanx.kernel.llvm.native import Library, object_code
from phalanx.kernel.llvm.target import Target, host_target
from phalanx.kernel.traversal.emit_traversal import emit_traversal
from phalanx.kernel.traversal.layout import (
    ARRAY,
    HEADER,
    IN_PLACE,
    PASS,
    ZEROS,
    ArrayPort,
    TraversalLayout,
    TraversalPass,
)
from phalanx.kernel.traversal.node_table import NodeTable

Array = NDArray[np.float64]


@dataclass(frozen=True)
class PassSteps:
    """One pass: its direction, how much is handed on, and a step for every kind of node.

    Inputs of a step are ``carried``, ``numbers``, arrays and kept ports; outputs ``on`` (what is
    handed on), kept ports and arrays, all by name.
    """

    inward: bool
    carried: int
    steps: tuple[ca.Function, ...]


class Slice(NamedTuple):
    """An array as machine code sees it: its address, and bytes from sample to sample."""

    address: int
    stride: int

    @staticmethod
    def of(array: Array) -> Slice:
        """Of an array (samples, n)."""
        return Slice(address(array), array.strides[0] if len(array) > 1 else 0)


NOTHING = Slice(0, 0)


@final
class TraversalKernel:
    """Machine code of passes that follow each other.

    Attributes:
        lanes: How many samples it takes at a time.
        operations: The arithmetic of one node of each kind, all passes together.
        kept_words: How many numbers passes keep for a node of each kind.
        arrays: Names of the arrays that steps read or write.
        columns: Of the node table, beyond those that every one has.
        address: Where machine code begins: ``run(table, start, end, next)``.
    """

    def __init__(
        self,
        entry: object_cache.Entry,
        layout: TraversalLayout,
        kept_words: Sequence[int],
        lanes: int,
    ) -> None:
        """Link object code; :func:`compile_traversal` makes these."""
        self.lanes = lanes
        self.operations = tuple(Operations(**facts) for facts in entry.facts["operations"])
        self.kept_words = tuple(kept_words)
        self.arrays = tuple(port.name for port in layout.arrays)
        self.columns = layout.columns
        self._layout = layout
        self._library = Library(entry.code, ("share", "run"), {})
        self.address = self._library.address("run")
        prototype = ctypes.CFUNCTYPE(
            ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64
        )
        self._share = prototype(self._library.address("share"))

    def table(
        self,
        nodes: NodeTable,
        samples: int,
        arrays: Mapping[str, Slice],
        begins: Sequence[Slice] | None = None,
        ends: Sequence[Slice] | None = None,
        *,
        kept: Slice = NOTHING,
        numbers_stride: int = 0,
        passes: tuple[int, int] | None = None,
    ) -> Array:
        """The words of a call.

        Args:
            nodes: The tree.
            samples: How many.
            arrays: By name; those that are missing must be put in before the call.
            begins: For each pass, what the root hands on outward; zeros when not given. In place,
                also what is handed on to the tip inward.
            ends: For each pass, where what comes to the root inward goes; in place, also what the
                tip hands on outward.
            kept: Memory for what is kept, with the bytes from pack to pack.
            numbers_stride: Bytes from lane to lane in the nodes' own numbers.
            passes: The first one, and that before which to end; all when not given.
        """
        layout = self._layout
        words = [
            *(len(nodes.rows), address(nodes.rows)),
            *(address(nodes.numbers), numbers_stride),
            *(nodes.kept_words, kept.address, kept.stride, nodes.slots, samples),
            *(passes or (0, len(layout.passes))),
        ]
        assert len(words) == len(HEADER)
        for w, each in enumerate(layout.passes):
            begin = begins[w] if begins else NOTHING
            end = ends[w] if ends else NOTHING
            root = nodes.root_in if each.inward else nodes.root_out
            if layout.in_place:
                words += [*begin, IN_PLACE, *end, IN_PLACE]
            else:
                words += [*begin, ZEROS if each.inward else root, *end, root]
        for port in layout.arrays:
            words += arrays.get(port.name, NOTHING)
        assert len(words) == len(HEADER) + len(PASS) * len(layout.passes) + len(ARRAY) * len(
            layout.arrays
        )
        return np.array(words, np.int64)

    def place(self, name: str) -> int:
        """Where in a table the address of an array stands, of ``begin 0`` or of ``end 0``.

        Its stride comes next.
        """
        passes = len(self._layout.passes)
        if name in self.arrays:
            first = len(HEADER) + len(PASS) * passes + len(ARRAY) * self.arrays.index(name)
        else:
            which, number = name.split()
            first = len(HEADER) + len(PASS) * int(number) + PASS.index(which)
        return first

    def run(self, table: Array, samples: int, work: Workload, owned: Sequence[object] = ()) -> None:
        """Take all samples through all passes, on as many threads as are worth it."""
        work.run(self._share, address(table), samples, (self, table, *owned))


@repeated_interrupts()
def compile_traversal(
    name: str,
    passes: Sequence[PassSteps],
    arrays: Mapping[str, str | int],
    *,
    lanes: int | None = None,
    shared_numbers: bool = True,
    in_place: bool = False,
    dtype: str = "float64",
    cache: bool = True,
) -> TraversalKernel:
    """Machine code for passes over the nodes of any tree of these kinds.

    Args:
        name: Of the algorithm.
        passes: In order, each with a step for every kind.
        arrays: Ports that are arrays of the caller: the column of the node table where a node's
            numbers begin, or how many every node has.
        lanes: How many samples at a time; as many as a vector has when not given.
        shared_numbers: Whether lanes are samples of the same nodes; else other nodes.
        in_place: For chains alone: one slot for all.
        dtype: Of the numbers.
        cache: Whether to keep machine code on disk and look for it there.
    """
    target = host_target()
    scalar = DTYPES[dtype]
    vector = Vector(scalar, lanes or target.lanes(np.dtype(dtype).itemsize))
    used = _used_arrays(passes, arrays)
    columns = tuple(dict.fromkeys(column for column in used.values() if isinstance(column, str)))
    kept = tuple(_kept(passes, k, used) for k in range(len(passes[0].steps)))
    ports = tuple(ArrayPort(port, column) for port, column in used.items())
    facts = (
        name,
        ports,
        columns,
        kept,
        shared_numbers,
        in_place,
        [(w.inward, w.carried) for w in passes],
    )

    def layout(graphs: Sequence[Sequence[Graph]]) -> TraversalLayout:
        built = tuple(
            TraversalPass(each.inward, each.carried, tuple(steps))
            for each, steps in zip(passes, graphs, strict=True)
        )
        return TraversalLayout(
            built, ports, columns, tuple(k for k, _ in kept), shared_numbers, in_place
        )

    def build() -> object_cache.Entry:
        plain = [[simplify(read_casadi(step, None)) for step in each.steps] for each in passes]
        low = [[lowered(share_reciprocals(graph), target) for graph in steps] for steps in plain]
        counted = [
            asdict(sum((operations(steps[k].nodes) for steps in plain), Operations()))
            for k in range(len(kept))
        ]
        code = object_code(emit_traversal(layout(low), vector, target.has_fma), target, effort=1)
        return object_cache.Entry({"name": name, "operations": counted}, code)

    def link(entry: object_cache.Entry) -> TraversalKernel:
        empty: list[list[Graph]] = [[] for _ in passes]
        return TraversalKernel(entry, layout(empty), [size for _, size in kept], vector.lanes)

    if not cache:
        return link(build())
    return cached(_key(passes, facts, vector, target), build, link)


def _key(passes: Sequence[PassSteps], facts: object, vector: Vector, target: Target) -> str:
    texts = hashlib.sha256()
    for each in passes:
        for step in each.steps:
            texts.update(step.serialize().encode())
    extra = f"{facts!r} {vector} {texts.hexdigest()}"
    first = passes[0].steps[0]
    return object_cache.key(first, None, vector.scalar, target, extra)


def _used_arrays(
    passes: Sequence[PassSteps], arrays: Mapping[str, str | int]
) -> dict[str, str | int]:
    """The arrays that some step reads or writes, in a fixed order."""
    named = {
        port
        for each in passes
        for step in each.steps
        for port in (*step.name_in(), *step.name_out())
    }
    return {port: column for port, column in arrays.items() if port in named}


def _kept(
    passes: Sequence[PassSteps], kind: int, arrays: Mapping[str, object]
) -> tuple[dict[str, int], int]:
    """Where each kept port of a kind begins, and how many numbers that makes."""
    places: dict[str, int] = {}
    size = 0
    for each in passes:
        step = each.steps[kind]
        for port in step.name_out():
            if port != "on" and port not in arrays and port not in places:
                places[port] = size
                size += step.numel_out(port)
    return places, size
