"""Stages of forward dynamics by segments, as machine code.

How the tips of all segments turn, in parallel; angular velocities there, in a row; segments as
bodies, in parallel; what they hand on and how their tips move, in a row; accelerations within, in
parallel.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

import casadi as ca
import numpy as np
from casadi import SX
from numpy.typing import NDArray

from phalanx.base.casadi_operators import quick_operators
from phalanx.dynamics.evaluators.articulated import (
    FORWARD_DYNAMICS,
    FORWARD_DYNAMICS_ACTED_ON,
    INERTIA,
    MOTION,
)
from phalanx.dynamics.evaluators.bodies import Bodies
from phalanx.dynamics.evaluators.cut import Cut
from phalanx.dynamics.evaluators.node_types import NodeType
from phalanx.dynamics.evaluators.recursion import Pass, Recursion
from phalanx.dynamics.evaluators.segment import (
    DRIVEN,
    SPIN,
    TIP,
    driven,
    gathering,
    segment_accelerating,
    segment_turning,
    segment_yielding,
    spin_at_base,
    spinning,
)
from phalanx.dynamics.evaluators.traversal import node_type_numbers
from phalanx.kernel.call.address import address
from phalanx.kernel.interrupts.interruptible import repeated_interrupts
from phalanx.kernel.traversal.compile_traversal import (
    NOTHING,
    PassSteps,
    Slice,
    TraversalKernel,
    compile_traversal,
)
from phalanx.kernel.traversal.node_table import NodeTable, node_table
from phalanx.kernel.traversal.stage_pipeline import Stage, StagePipeline
from phalanx.mechanism.pose import Array

# what passes between segments and the machine between them, and how many numbers that is
_PASSED = {"spin": SPIN, "tip": TIP, "segment": TIP, "driving": DRIVEN}

# columns of node tables in which arrays are indexed
_COLUMN = {"q": "q", "v": "v", "tau": "v", "a": "v", "external": "external"}

_ITEM = 8  # bytes of a number


_WITHIN_ACTED_ON = Recursion(
    "segments_acted_on",
    (
        Pass("outward", SPIN, spinning),
        Pass("inward", TIP, gathering),
        Pass("outward", DRIVEN, driven),
    ),
)
_WITHIN = _WITHIN_ACTED_ON.without("external", name="segments")

# passes of each stage, in the order in which stages within and between take turns
_STAGES_WITHIN = ((0, 1), (1, 2), (2, 3))
_STAGES_BETWEEN = ((0, 1), (1, 3))


@final
class SegmentStages:
    """All stages for one machine, ready to run when arrays are put in; one caller at a time."""

    def __init__(
        self, bodies: Bodies, kinds: Sequence[NodeType], cut: Cut, threads: int, *, acted_on: bool
    ) -> None:
        kind = node_type_numbers(bodies, kinds)
        inside = _Inside(bodies, kinds, kind, cut, _WITHIN_ACTED_ON if acted_on else _WITHIN)
        between = _Between(
            bodies, kinds, kind, cut, FORWARD_DYNAMICS_ACTED_ON if acted_on else FORWARD_DYNAMICS
        )
        passed = {name: np.zeros(len(between.nodes.rows) * n) for name, n in _PASSED.items()}
        self._motion = np.zeros(MOTION)
        self._within = inside.tables(passed, between.first)
        self._in_a_row = between.tables(passed, self._motion)
        shared = [Stage(inside.kernel, table, cut.count, inside.lanes) for table in self._within]
        alone = [Stage(between.kernel, table, 1, 1) for table in self._in_a_row]
        stages = [shared[0], alone[0], shared[1], alone[1], shared[2]]
        self._pipeline = StagePipeline(stages, threads, inside, between, passed)
        # where each array's address stands, and where in it the segments begin [byte]
        self._places = inside.places
        self._singles = between.places

    def run(self, arrays: dict[str, Array], root: Array) -> None:
        """Read and write the arrays of one sample."""
        self._motion[:] = root
        addresses = {name: address(array) for name, array in arrays.items()}
        for name, place, start in self._places:
            self._within[:, place] = addresses[name] + start
        for name, place in self._singles:
            self._in_a_row[:, place] = addresses[name]
        self._pipeline()


@final
class _Inside:
    """Segments: their machine code, whose lanes are segments, and their tables.

    Attributes:
        kernel: Machine code.
        lanes: Segments that are taken at a time.
        places: Of arrays: name, place in the tables, byte at which segments begin.
    """

    def __init__(
        self,
        bodies: Bodies,
        kinds: Sequence[NodeType],
        kind: NDArray[np.int32],
        cut: Cut,
        program: Recursion,
    ) -> None:
        self.bodies, self.cut = bodies, cut
        # the pattern of kinds is that of the first segment
        used, chosen, traced = _used(kinds, kind[cut.first : cut.first + cut.length], program)
        arrays = {name: column for name, column in _COLUMN.items() if name != "external"}
        self.kernel = _compiled(
            program, traced, arrays | {"external": 6}, shared_numbers=False, in_place=True
        )
        self.lanes = self.kernel.lanes
        own = np.searchsorted(used, kind[cut.first : cut.nodes.stop]).astype(np.int32)
        self.nodes = self._table(chosen, own)
        first = {"q": bodies.q[cut.first], "v": bodies.v[cut.first], "external": 6 * cut.first}
        self.places = [
            (name, self.kernel.place(name), _ITEM * int(first[_COLUMN[name]]))
            for name in self.kernel.arrays
        ]
        packs = -(-cut.count // self.lanes)
        words = packs * self.nodes.kept_words * self.lanes
        memory = np.empty(words + 8)
        shift = -(address(memory) // _ITEM) % 8  # vectors are loaded from aligned addresses
        self._kept = memory[shift : shift + words]
        self._spin = np.array(ca.DM(spin_at_base())).ravel()

    def _table(self, kinds: Sequence[NodeType], kind: NDArray[np.int32]) -> NodeTable:
        """Rows of the first segment, and numbers of all: they lie as far apart as segments do."""
        cut, bodies, kernel = self.cut, self.bodies, self.kernel
        nodes, one = np.arange(cut.first, cut.nodes.stop), slice(cut.first, cut.first + cut.length)
        numbers = [
            k.numbers[np.searchsorted(k.members, nodes[kind == number])]
            for number, k in enumerate(kinds)
        ]
        parent = np.arange(-1, len(nodes) - 1, dtype=np.int32)
        columns = {"q": bodies.q - bodies.q[cut.first], "v": bodies.v - bodies.v[cut.first]}
        whole = node_table(
            parent,
            kind,
            numbers,
            kernel.kept_words,
            {name: columns[name][cut.first : cut.nodes.stop] for name in kernel.columns},
        )
        rows = whole.rows[: one.stop - one.start].copy()
        kept_words = whole.kept_words // cut.count
        return NodeTable(
            rows, whole.numbers, kept_words, whole.slots, whole.root_out, whole.root_in
        )

    def tables(self, passed: dict[str, Array], at: int) -> NDArray[np.int64]:
        """A table for each stage; segments begin ``at`` that node of the machine between them."""
        cut, bodies, kernel = self.cut, self.bodies, self.kernel
        end = cut.first + cut.length
        strides = {
            "q": int(bodies.nq[cut.first : end].sum()),
            "v": int(bodies.nv[cut.first : end].sum()),
            "external": 6 * cut.length,
        }

        def ends(name: str) -> Slice:
            size = _ITEM * _PASSED[name]
            return Slice(address(passed[name]) + size * at, size)

        spin = Slice(address(self._spin), 0)
        return np.array(
            [
                kernel.table(
                    self.nodes,
                    cut.count,
                    {n: Slice(0, _ITEM * strides[_COLUMN[n]]) for n in kernel.arrays},
                    [spin, ends("tip"), ends("driving")],
                    [ends("spin"), ends("segment"), NOTHING],
                    kept=Slice(address(self._kept), _ITEM * kernel.lanes * self.nodes.kept_words),
                    numbers_stride=_ITEM * (len(self.nodes.numbers) // cut.count),
                    passes=passes,
                )
                for passes in _STAGES_WITHIN
            ]
        )


@final
class _Between:
    """The machine whose nodes are segments, and those nodes that are in none.

    Attributes:
        kernel: Machine code for one sample.
        first: Its node that is the first segment.
        nodes: Its node table.
        places: Of the arrays of the machine: name, place in the tables.
    """

    def __init__(
        self,
        bodies: Bodies,
        kinds: Sequence[NodeType],
        kind: NDArray[np.int32],
        cut: Cut,
        program: Recursion,
    ) -> None:
        inside = np.zeros(len(bodies), bool)
        inside[cut.first : cut.nodes.stop] = True
        single = np.flatnonzero(~inside)
        used, chosen, traced = _used(kinds, kind[single], program)
        arrays: dict[str, str | int] = {**_COLUMN, **_PASSED}
        self.kernel = _compiled(program, [*traced, _segment_steps()], arrays, lanes=1)
        # where each node of the machine is found here: segments stand where the first one began
        self.first = int((single < cut.first).sum())
        place = np.zeros(len(bodies), np.int64)
        place[single] = np.arange(len(single)) + cut.count * (single > cut.first)
        place[inside] = self.first + np.arange(cut.count * cut.length) // cut.length
        count = len(single) + cut.count
        parent, own = np.full(count, -1, np.int32), np.full(count, len(used), np.int32)
        heads = np.concatenate([single, cut.first + cut.length * np.arange(cut.count)])
        above = bodies.parent[heads]
        parent[place[heads]] = np.where(above >= 0, place[above], -1)
        own[place[single]] = np.searchsorted(used, kind[single])
        columns = {name: np.zeros(count, np.int32) for name in ("q", "v", "external")}
        columns["q"][place[single]] = bodies.q[single]
        columns["v"][place[single]] = bodies.v[single]
        columns["external"][place[single]] = 6 * single
        numbers = [
            one.numbers[np.searchsorted(one.members, single[kind[single] == k])]
            for k, one in zip(used, chosen, strict=True)
        ]
        self.nodes = node_table(
            parent,
            own,
            [*numbers, np.zeros((cut.count, 0))],
            self.kernel.kept_words,
            {name: columns[name] for name in self.kernel.columns},
        )
        self.places = [
            (name, self.kernel.place(name)) for name in self.kernel.arrays if name not in _PASSED
        ]
        self._kept = np.empty(max(1, self.nodes.kept_words))

    def tables(self, passed: dict[str, Array], motion: Array) -> NDArray[np.int64]:
        """A table for each stage; ``motion`` is that of the root."""
        root = Slice(address(motion), 0)
        return np.array(
            [
                self.kernel.table(
                    self.nodes,
                    1,
                    {name: Slice(address(array), 0) for name, array in passed.items()},
                    [root, NOTHING, root],
                    kept=Slice(address(self._kept), 0),
                    passes=passes,
                )
                for passes in _STAGES_BETWEEN
            ]
        )


def _used(
    kinds: Sequence[NodeType], kind: NDArray[np.int32], program: Recursion
) -> tuple[list[int], list[NodeType], list[list[ca.Function]]]:
    """Those node types that some nodes are of: numbers, types, and the steps of the program."""
    used = sorted(set(kind.tolist()))
    return used, [kinds[k] for k in used], [program.traced(kinds[k]) for k in used]


@quick_operators()
def _segment_steps() -> list[ca.Function]:
    """Steps of forward dynamics for a node that is a segment."""
    w, spin = SX.sym("carried", 3), SX.sym("spin", SPIN)
    handed, body = SX.sym("carried", INERTIA + 6), SX.sym("segment", TIP)
    motion, TK, rest = SX.sym("carried", MOTION), SX.sym("TK", 36), SX.sym("rest", 6)
    none = {"numbers": SX.sym("numbers", 0)}
    turning = dict(zip(("on", "tip"), segment_turning(w, spin), strict=True))
    yielding = dict(zip(("on", "TK", "rest"), segment_yielding(handed, body), strict=True))
    moved = segment_accelerating(motion, spin, body, TK, rest)
    moving = dict(zip(("on", "driving"), moved, strict=True))
    both = {"spin": spin, "segment": body}
    return [
        _step("turning", {"carried": w, **none, "spin": spin}, turning),
        _step("yielding", {"carried": handed, **none, "segment": body}, yielding),
        _step("moving", {"carried": motion, **none, **both, "TK": TK, "rest": rest}, moving),
    ]


def _step(name: str, inputs: dict[str, SX], outputs: dict[str, SX]) -> ca.Function:
    dense = ca.cse([ca.densify(x) for x in outputs.values()])
    return ca.Function(name, list(inputs.values()), dense, list(inputs), list(outputs))


@repeated_interrupts()
def _compiled(
    program: Recursion,
    traced: Sequence[Sequence[ca.Function]],
    arrays: dict[str, str | int],
    **options: Any,
) -> TraversalKernel:
    """Machine code of a program whose steps are traced, a row for each kind."""
    passes = [
        PassSteps(each.direction == "inward", each.carried, tuple(kind[w] for kind in traced))
        for w, each in enumerate(program.passes)
    ]
    return compile_traversal(program.name, passes, arrays, **options)
