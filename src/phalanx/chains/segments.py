"""Forward dynamics with the bodies of one chain shared out to lanes and threads.

A long run of bodies is cut into segments of equal length and equal kinds of nodes, which lie in the
lanes of vectors and on threads. Each becomes a stretch with two ends (:mod:`.stretch`); between
them, and over the bodies that belong to no segment, the usual recursion runs on a machine that is
much shorter. Twice the arithmetic of the serial sweep, on as many lanes and threads as there are.

Stages: spins of all segments, in parallel; angular velocities at their ends, in a row; stretches,
in parallel; what they hand on and how their ends move, in a row; accelerations within, in parallel.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, final

import casadi as ca
import numpy as np
from casadi import SX
from numpy.typing import NDArray

from phalanx.chains.articulated import FORWARD_DYNAMICS, INERTIA, MOTION
from phalanx.chains.bodies import Bodies, runs
from phalanx.chains.kinds import Kind, kinds_of
from phalanx.chains.method import Method, Solver
from phalanx.chains.stretch import (
    BODY,
    DRIVEN,
    SPIN,
    body_at_tip,
    driven,
    gathering,
    spin_at_parent,
    spinning,
    stretch_accelerating,
    stretch_turning,
    stretch_yielding,
    turned,
)
from phalanx.chains.swept import kind_numbers
from phalanx.chains.walks import Program, Walk
from phalanx.errors import InvalidInput, InvalidModel
from phalanx.kernel.call.address import address
from phalanx.kernel.interrupts.insistent import insistent
from phalanx.kernel.sweeps.course import Course, Stage
from phalanx.kernel.sweeps.node_table import NodeTable, node_table
from phalanx.kernel.sweeps.sweep import (
    NOTHING,
    Slice,
    SweepKernel,
    WalkSteps,
    compile_sweep,
)
from phalanx.mechanism.pose import Array
from phalanx.symbols import quick_operators

# the longest pattern of kinds that repeats along a run
LONGEST_PERIOD = 8
# segments for each lane of each thread: more of them share the work better and cost more between
SEGMENTS_PER_LANE = 2

WITHIN = Program(
    "segments",
    (
        Walk("outward", SPIN, spinning),
        Walk("outward", 3, turned),
        Walk("inward", BODY, gathering),
        Walk("outward", DRIVEN, driven),
    ),
)


@final
@dataclass(frozen=True)
class Segments(Method):
    """Divide and conquer: segments of a chain in lanes and on threads, a recursion between them.

    Attributes:
        segments: How many; as lanes and threads ask for when not given.
    """

    name: ClassVar[str] = "segments"
    segments: int | None = None

    def __post_init__(self) -> None:
        """Check the number."""
        if self.segments is not None and self.segments < 1:
            raise InvalidInput(f"segments={self.segments}; a chain is cut into at least one.")

    def solver(self, bodies: Bodies, threads: int) -> SegmentsSolver:
        """See `Method`; the machine needs a run of bodies without branches that repeats itself."""
        return SegmentsSolver(bodies, threads, self.segments)


@final
@dataclass(frozen=True)
class Cut:
    """Where a machine is cut.

    Attributes:
        first: The first node of the first segment.
        length: Nodes of a segment.
        count: Segments.
    """

    first: int
    length: int
    count: int

    @property
    def nodes(self) -> range:
        """All nodes of segments."""
        return range(self.first, self.first + self.count * self.length)


def best_cut(bodies: Bodies, kind: NDArray[np.int32], wanted: int) -> Cut:
    """The cut into ``wanted`` segments, or fewer, that takes most nodes.

    Raises:
        InvalidModel: No body has mass, where a segment could end.
    """
    best: Cut | None = None
    for run in runs(bodies):
        own = kind[run.start : run.stop]
        # a segment must end on a body: the last turn of a joint, not one within it
        end = len(own)
        while end and bodies.massless[run.start + end - 1]:
            end -= 1
        for period in range(1, min(LONGEST_PERIOD, end) + 1):
            differs = np.flatnonzero(own[: end - period] != own[period:end])
            begin = int(differs[-1]) + 1 if len(differs) else 0
            count = min(wanted, (end - begin) // period)
            length = (end - begin) // (count * period) * period
            found = Cut(run.start + end - count * length, length, count)
            if best is None or len(found.nodes) > len(best.nodes):
                best = found
    if best is None:
        raise _cannot_be_cut(bodies)
    return best


def _cannot_be_cut(bodies: Bodies) -> InvalidModel:
    return InvalidModel(
        f"mechanism '{bodies.mechanism.name}' has no moving bodies with mass, so there is nothing "
        "to share out; take Serial()."
    )


@final
class SegmentsSolver(Solver):
    """Forward dynamics of a machine by segments.

    Attributes:
        bodies: The machine.
        cut: Where it is cut.
    """

    def __init__(self, bodies: Bodies, threads: int, wanted: int | None) -> None:
        """Compile nothing yet."""
        if not len(bodies):
            raise _cannot_be_cut(bodies)
        self.bodies, self.threads = bodies, threads
        self.kinds = kinds_of(bodies)
        self._kind = kind_numbers(bodies, self.kinds)
        self._wanted = wanted
        self._lock = threading.Lock()

    @cached_property
    def cut(self) -> Cut:
        """Where the machine is cut."""
        lanes = self._within_kernel.lanes
        return best_cut(
            self.bodies, self._kind, self._wanted or SEGMENTS_PER_LANE * lanes * self.threads
        )

    @cached_property
    def depth(self) -> int:  # type: ignore[override]
        """Four walks within a segment, three between segments and over what is in none."""
        return 4 * self.cut.length + 3 * len(self._between.nodes.rows)

    @cached_property
    def _within_kernel(self) -> SweepKernel:
        """Machine code within segments, whose lanes are segments."""
        traced = [WITHIN.traced(kind) for kind in self.kinds]
        return _compiled("segments", WITHIN, traced, shared_numbers=False, in_place=True)

    @cached_property
    def _within(self) -> NodeTable:
        """The nodes of the first segment; those of others lie as far apart as segments do."""
        cut, kind = self.cut, self._kind
        chosen = np.arange(cut.first, cut.first + cut.length)
        everywhere = np.fromiter(self.cut.nodes, np.int64)
        numbers = []
        for k, one in enumerate(self.kinds):
            of_kind = one.numbers[np.searchsorted(one.members, everywhere[kind[everywhere] == k])]
            numbers.append(of_kind)
        bodies, kernel = self.bodies, self._within_kernel
        # numbers of all segments, rows of the first
        whole = node_table(
            np.arange(-1, len(everywhere) - 1, dtype=np.int32),
            kind[everywhere],
            numbers,
            kernel.kept_words,
            {},
        )
        columns = {
            "q": bodies.q[chosen] - bodies.q[cut.first],
            "v": bodies.v[chosen] - bodies.v[cut.first],
        }
        first = node_table(
            np.arange(-1, cut.length - 1, dtype=np.int32),
            kind[chosen],
            [
                np.zeros((int((kind[chosen] == k).sum()), one.numbers.shape[1]))
                for k, one in enumerate(self.kinds)
            ],
            kernel.kept_words,
            {name: columns[name] for name in kernel.columns},
        )
        return NodeTable(
            first.rows, whole.numbers, first.kept_words, first.slots, first.root_out, first.root_in
        )

    @cached_property
    def _between(self) -> _Between:
        return _Between(self.bodies, self.kinds, self._kind, self.cut)

    def accelerations(
        self,
        q: Array,
        v: Array,
        tau: Array,
        root: Array,
        external: Array | None = None,
        out: Array | None = None,
    ) -> Array:
        """See `Solver`."""
        a = np.empty_like(v) if out is None else out
        with self._lock:  # what segments leave lies in arrays of this solver
            for k in range(len(q)):
                acting = self._none if external is None else external[k]
                self._bound.motion[:] = root[k % len(root)]
                self._bound.point(
                    {"q": q[k], "v": v[k], "tau": tau[k], "external": acting, "a": a[k]}
                )
                self._bound.course()
        return a

    @cached_property
    def _bound(self) -> _Bound:
        return _Bound(self)

    @cached_property
    def _none(self) -> Array:
        """No wrench on any node."""
        return np.zeros(6 * len(self.bodies))

    @cached_property
    def _shared(self) -> dict[str, Array]:
        """What passes between segments and the machine between them."""
        rows = len(self._between.nodes.rows)
        return {name: np.zeros(rows * size) for name, size in _PASSED.items()}

    @cached_property
    def _kept(self) -> Array:
        """What walks keep within segments: whole vectors, a block for each pack."""
        kernel = self._within_kernel
        packs = -(-self.cut.count // kernel.lanes)
        words = packs * self._within.kept_words * kernel.lanes
        memory = np.empty(words + 8)
        shift = -(address(memory) // 8) % 8  # vectors are loaded from aligned addresses
        return memory[shift : shift + words]


@final
class _Bound:
    """The stages of a solver, ready to run when arrays are put in.

    Attributes:
        motion: Of the root.
        course: The stages.
    """

    def __init__(self, solver: SegmentsSolver) -> None:
        cut, kernel, bodies = solver.cut, solver._within_kernel, solver.bodies
        between, passed = solver._between, solver._shared
        end = cut.first + cut.length
        strides = {
            "q": int(bodies.nq[cut.first : end].sum()),
            "v": int(bodies.nv[cut.first : end].sum()),
            "external": 6 * cut.length,
        }
        starts = {"q": bodies.q[cut.first], "v": bodies.v[cut.first], "external": 6 * cut.first}
        column = {"q": "q", "v": "v", "tau": "v", "a": "v", "external": "external"}
        arrays = {name: Slice(0, 8 * strides[column[name]]) for name in kernel.arrays}

        def ends(name: str) -> Slice:
            size = _PASSED[name]
            return Slice(address(passed[name]) + 8 * size * between.first, 8 * size)

        self.motion = np.zeros(MOTION)
        spin, tip = np.array(spin_at_parent()), np.array(body_at_tip())
        begins = [
            Slice(address(spin), 0),
            ends("parent_turning"),
            Slice(address(tip), 0),
            ends("driving"),
        ]
        finals = [ends("spin"), NOTHING, ends("stretch"), NOTHING]
        numbers = 8 * (len(solver._within.numbers) // cut.count)
        kept = Slice(address(solver._kept), 8 * kernel.lanes * solver._within.kept_words)
        self._within = np.array(
            [
                kernel.table(
                    solver._within,
                    cut.count,
                    arrays,
                    begins,
                    finals,
                    kept=kept,
                    numbers_stride=numbers,
                    walks=walks,
                )
                for walks in ((0, 1), (1, 3), (3, 4))
            ]
        )
        root = Slice(address(self.motion), 0)
        self._in_a_row = np.array(
            [
                between.kernel.table(
                    between.nodes,
                    1,
                    {name: Slice(address(array), 0) for name, array in passed.items()},
                    [root, NOTHING, root],
                    kept=Slice(address(between.kept), 0),
                    walks=walks,
                )
                for walks in ((0, 1), (1, 3))
            ]
        )
        # address of each array in both tables, and where segments begin in it [byte]
        self._places = [
            (name, kernel.place(name), 8 * int(starts[column[name]])) for name in kernel.arrays
        ]
        self._singles = [
            (name, between.kernel.place(name))
            for name in between.kernel.arrays
            if name not in _PASSED
        ]
        shared = [Stage(kernel, table, cut.count, kernel.lanes) for table in self._within]
        alone = [Stage(between.kernel, table, 1, 1) for table in self._in_a_row]
        stages = [shared[0], alone[0], shared[1], alone[1], shared[2]]
        self.course = Course(stages, solver.threads, solver, spin, tip, self.motion)

    def point(self, arrays: dict[str, Array]) -> None:
        """Put arrays in; they must live until the course is over."""
        addresses = {name: address(array) for name, array in arrays.items()}
        for name, place, start in self._places:
            self._within[:, place] = addresses[name] + start
        for name, place in self._singles:
            self._in_a_row[:, place] = addresses[name]


# what passes between segments and the machine between them, and how many numbers that is
_PASSED = {"spin": SPIN, "parent_turning": 3, "stretch": BODY, "driving": DRIVEN}


@final
class _Between:
    """The machine whose nodes are segments, and those nodes that are in none.

    Attributes:
        first: Its node that is the first segment.
        nodes: Its node table.
    """

    def __init__(
        self, bodies: Bodies, kinds: Sequence[Kind], kind: NDArray[np.int32], cut: Cut
    ) -> None:
        inside = np.zeros(len(bodies), bool)
        inside[cut.first : cut.first + cut.count * cut.length] = True
        single = np.flatnonzero(~inside)
        used = sorted(set(kind[single].tolist()))
        self._kinds = [kinds[k] for k in used]
        # where each node of the machine is found here: segments stand where the first one began
        self.first = int((single < cut.first).sum())
        place = np.zeros(len(bodies), np.int64)
        place[single] = np.arange(len(single)) + cut.count * (single > cut.first)
        within = np.arange(cut.count * cut.length)
        place[inside] = self.first + within // cut.length
        count = len(single) + cut.count
        parent, own = np.full(count, -1, np.int32), np.full(count, len(used), np.int32)
        heads = np.concatenate([single, cut.first + cut.length * np.arange(cut.count)])
        above = bodies.parent[heads]
        parent[place[heads]] = np.where(above >= 0, place[above], -1)
        renamed = {k: i for i, k in enumerate(used)}
        own[place[single]] = [renamed[k] for k in kind[single].tolist()]
        columns = {name: np.zeros(count, np.int32) for name in ("q", "v", "external")}
        columns["q"][place[single]] = bodies.q[single]
        columns["v"][place[single]] = bodies.v[single]
        columns["external"][place[single]] = 6 * single
        numbers = [
            one.numbers[np.searchsorted(one.members, single[kind[single] == k])]
            for k, one in zip(used, self._kinds, strict=True)
        ]
        self.nodes = node_table(
            parent,
            own,
            [*numbers, np.zeros((cut.count, 0))],
            self.kernel.kept_words,
            {name: columns[name] for name in self.kernel.columns},
        )
        self.kept = np.empty(max(1, self.nodes.kept_words))

    @cached_property
    def kernel(self) -> SweepKernel:
        """Machine code for one sample."""
        traced = [FORWARD_DYNAMICS.traced(kind) for kind in self._kinds]
        steps = [*traced, _stretch_steps()]
        columns = {"q": "q", "v": "v", "tau": "v", "a": "v", "external": "external"}
        return _compiled("between", FORWARD_DYNAMICS, steps, columns | _PASSED, lanes=1)


@quick_operators()
def _stretch_steps() -> list[ca.Function]:
    """Steps of forward dynamics for a node that is a stretch."""
    w, spin = SX.sym("carried", 3), SX.sym("spin", SPIN)
    handed, body = SX.sym("carried", INERTIA + 6), SX.sym("stretch", BODY)
    motion, TK, rest = SX.sym("carried", MOTION), SX.sym("TK", 36), SX.sym("rest", 6)
    none = SX.sym("numbers", 0)
    turning = stretch_turning(w, spin)
    yielding = stretch_yielding(handed, body)
    moving = stretch_accelerating(motion, spin, body, TK, rest)
    return [
        _step("turning", {"carried": w, "numbers": none, "spin": spin},
              dict(zip(("on", "parent_turning"), turning, strict=True))),
        _step("yielding", {"carried": handed, "numbers": none, "stretch": body},
              dict(zip(("on", "TK", "rest"), yielding, strict=True))),
        _step("moving", {"carried": motion, "numbers": none, "spin": spin, "stretch": body,
               "TK": TK, "rest": rest}, dict(zip(("on", "driving"), moving, strict=True))),
    ]  # fmt: skip


def _step(name: str, inputs: dict[str, SX], outputs: dict[str, SX]) -> ca.Function:
    dense = ca.cse([ca.densify(x) for x in outputs.values()])
    return ca.Function(name, list(inputs.values()), dense, list(inputs), list(outputs))


_MACHINE: dict[str, str | int] = {
    "q": "q", "v": "v", "tau": "v", "a": "v", "external": 6,
}  # fmt: skip


@insistent()
def _compiled(
    name: str,
    program: Program,
    traced: Sequence[Sequence[ca.Function]],
    arrays: Any = None,
    **options: Any,
) -> SweepKernel:
    """Machine code of a program whose steps are traced, a row for each kind."""
    walks = [
        WalkSteps(walk.direction == "inward", walk.carried, tuple(kind[w] for kind in traced))
        for w, walk in enumerate(program.walks)
    ]
    return compile_sweep(name, walks, arrays or _MACHINE, **options)
