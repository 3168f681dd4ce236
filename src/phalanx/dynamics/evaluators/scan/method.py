"""Forward dynamics of one chain by a parallel scan (logarithmic depth).

Policy: nodes are cut into blocks (``blocks``), which are taken node after node,
all at the same time; their segments are joined in pairs, level
by level, until one is left, and parted again on the way down (``levels``). Every
step is one call of a compiled kernel over all blocks or pairs, which fills lanes and threads.
Nothing else is sequential. Arrays are kept from call to call, one set for each calling thread.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, final

import numpy as np

from phalanx.base.arguments import whole
from phalanx.dynamics.evaluators.bodies import Bodies, checked_chain
from phalanx.dynamics.evaluators.method import Method, Solver
from phalanx.dynamics.evaluators.node_types import node_types_of
from phalanx.dynamics.evaluators.scan.blocks import BlockStage, BlockStep, block_tips
from phalanx.dynamics.evaluators.scan.kernels import PARTS, NodeKernels, pair_kernels
from phalanx.dynamics.evaluators.scan.levels import Levels, level_sizes
from phalanx.dynamics.evaluators.scan.segments import BIAS
from phalanx.dynamics.evaluators.scan.tape import Place, Tape
from phalanx.mechanism.pose import Array

BLOCK = 8


@final
@dataclass(frozen=True)
class Scan(Method):
    """Segments of articulated bodies joined in pairs: logarithmic depth.

    Attributes:
        block: How many nodes are taken one after the other before blocks are joined in pairs.
        refine: How many times what the solution misses is solved for and added.
    """

    name: ClassVar[str] = "scan"
    block: int = BLOCK
    refine: int = 0

    def __post_init__(self) -> None:
        """Check the numbers.

        Raises:
            InvalidInput: One of them is too small or no whole number.
        """
        whole("block", self.block, 1)
        whole("refine", self.refine, 0)

    def solver(self, bodies: Bodies, threads: int) -> Solver:
        """See `Method`; chains only."""
        return _ScanSolver(bodies, self.block, self.refine, threads)


@final
class _ScanSolver(Solver):
    """See `Scan`."""

    def __init__(self, bodies: Bodies, block: int, refine: int, threads: int) -> None:
        self.bodies = checked_chain(bodies, "a scan")
        self.refine = refine
        self.pairs = pair_kernels(threads)
        kernels = [NodeKernels(kind, threads) for kind in node_types_of(bodies)]
        kind_of = np.empty(len(bodies), np.intp)
        for k, one in enumerate(kernels):
            kind_of[one.kind.members] = k
        tips = block_tips(bodies, block)
        longest = int(np.diff(tips, prepend=-1).max(initial=0))
        self.blocks = len(tips)
        self.stages = [BlockStage(bodies, kernels, kind_of, tips, s) for s in range(longest)]
        none = np.zeros(0, np.intp)
        self.kinds = [BlockStep(bodies, one, one.kind.members, none, none) for one in kernels]
        levels = len(level_sizes(self.blocks)) - 1
        # inertias inward, velocities outward, biases inward, accelerations outward, for which
        # loads go inward within a block
        self.depth = 4 * levels + 5 * longest - 1 + refine * (2 * levels + 3 * longest)
        self._kept = threading.local()

    def accelerations(
        self, q: Array, v: Array, tau: Array, root: Array, external: Array | None = None
    ) -> Array:
        if not len(self.bodies):
            return np.zeros((len(q), 0))
        work: _Work | None = getattr(self._kept, "work", None)
        if work is None or work.samples != len(q):
            work = self._kept.work = _Work(self, len(q))
        return work.accelerations(q, v, tau, root, external)


class _Forces(NamedTuple):
    """Forces on a machine: joint forces, and velocity-dependent terms."""

    tau: Array
    swing: Array
    held: Array


class _Solution(NamedTuple):
    """Accelerations of joints and nodes, and wrenches that joints pass on, at both their ends."""

    a: Array
    here: Array
    passed: Array
    outer: Array


@final
class _Work:
    """Arrays for so many samples, and tapes of what is done on them."""

    def __init__(self, solver: _ScanSolver, samples: int) -> None:
        bodies = solver.bodies
        self.samples, self.refine = samples, solver.refine
        self.stages, self.kinds = solver.stages, solver.kinds
        self.levels = Levels(solver.pairs, solver.blocks, samples)

        def room(nodes: int, *numbers: int) -> list[Array]:
            return [np.zeros((samples, nodes, n)) for n in numbers]

        self.q = np.zeros((samples, len(bodies.mechanism.neutral())))
        self.v = np.zeros((samples, len(bodies.armature)))
        (self.external,) = room(len(bodies), 6)
        self.has_external = False
        self.parts = [
            dict(zip(PARTS, room(stage.count, *PARTS.values()), strict=True))
            for stage in self.stages
        ]
        sizes = (3, 3, BIAS, 6, 6, 6)
        rooms = [room(stage.count, *sizes) for stage in self.stages]
        self.w_above, self.w, self.bias, self.carried, self.passed_on, self.above = zip(
            *rooms, strict=True
        )
        self.given, self.left = (
            _Forces(np.zeros_like(self.v), *room(len(bodies), 6, 6)) for _ in range(2)
        )
        self.found, self.more = (
            _Solution(np.zeros_like(self.v), *room(len(bodies), 6, 6, 6)) for _ in range(2)
        )
        # accelerations of the parents of nodes, and what nodes pass on
        self.parents, self.outer = room(len(bodies), 6, 6)
        self.prepared, self.solved = Tape(), Tape()
        self._join(self.prepared)
        self._move(self.prepared)
        self._solve(self.solved, self.given, self.found)
        if self.refine:
            self.missed, self.corrected = Tape(), Tape()
            self._mismatch(self.missed)
            self._solve(self.corrected, self.left, self.more)

    def accelerations(
        self, q: Array, v: Array, tau: Array, root: Array, external: Array | None
    ) -> Array:
        self.q[...], self.v[...], self.given.tau[...] = q, v, tau
        if external is not None or self.has_external:
            self.external[...] = 0.0 if external is None else external
            self.has_external = external is not None
        self.levels.root_w[:, 0] = root[:, :3]
        self.levels.root_ends[:, 0, :6] = root[:, 3:]
        self.levels.root_ends[:, 0, 6:] = 0.0
        self.prepared.play()
        self.solved.play()
        for _ in range(self.refine):
            self._correct(root[:, 3:])
        return self.found.a.copy()

    def _correct(self, root: Array) -> None:
        """Solve for what the solution misses, every node by itself, and add it."""
        self.parents[:, 0], self.parents[:, 1:] = root, self.found.here[:, :-1]
        self.outer[:, :-1] = self.found.outer[:, 1:]
        self.missed.play()
        self.levels.root_ends[...] = 0.0
        self.corrected.play()
        for x, more in zip(self.found, self.more, strict=True):
            x += more

    def _join(self, tape: Tape) -> None:
        """Inward: all segments, those of blocks and those of pairs."""
        for s, stage in enumerate(self.stages):
            here = self.parts[s]
            for step in stage.steps:
                tape.call(
                    step.kernels.extended if s else step.kernels.extended_tip,
                    [
                        *self._beyond(s, step, *PARTS),
                        (self.q, step.q),
                        (self.v, step.v),
                        step.numbers(self.samples),
                    ],
                    [(x, step.at) for x in here.values()],
                )
            for part, x in here.items():
                stage.hand(tape, x, self.levels.parts[part])
        self.levels.join(tape)

    def _move(self, tape: Tape) -> None:
        """Outward: angular velocities, and what they make of accelerations and wrenches."""
        self.levels.turn(tape)
        for s, stage in reversed(list(enumerate(self.stages))):
            stage.take(tape, self.levels.w, self.w_above[s])
            for step in stage.steps:
                tape.call(
                    step.kernels.moving,
                    [
                        (self.w_above[s], step.at),
                        (self.q, step.q),
                        (self.v, step.v),
                        (self.external, step.nodes),
                        step.numbers(self.samples),
                    ],
                    [
                        (self.w[s], step.at),
                        (self.given.swing, step.nodes),
                        (self.given.held, step.nodes),
                    ],
                )
            if s:
                tape.copy(self.w[s], (self.w_above[s - 1], stage.beyond))

    def _solve(self, tape: Tape, forces: _Forces, found: _Solution) -> None:
        """Accelerations of everything, inward and outward, once segments are known."""
        none = np.zeros((self.samples, self.stages[0].count, BIAS))
        for s, stage in enumerate(self.stages):
            for step in stage.steps:
                beyond = (self.bias[s - 1], step.beyond) if s else (none, step.at)
                tape.call(
                    step.kernels.bias if s else step.kernels.bias_tip,
                    [
                        *self._beyond(s, step, "inertia", "reach"),
                        *self._forces(step, forces),
                        beyond,
                        step.numbers(self.samples),
                    ],
                    [(self.bias[s], step.at)],
                )
            stage.hand(tape, self.bias[s], self.levels.bias)
        self.levels.solve(tape)
        self._load(tape, forces)
        self._settle(tape, forces, found)

    def _load(self, tape: Tape, forces: _Forces) -> None:
        """Inward within blocks: bias wrenches, now that those at the tips are known."""
        tape.copy(self.levels.ends[:, :, 6:], self.carried[0])
        for s, stage in enumerate(self.stages[:-1]):
            for step in stage.steps:
                tape.call(
                    step.kernels.passed_on if s else step.kernels.passed_on_tip,
                    [
                        *self._beyond(s, step, "inertia"),
                        *self._forces(step, forces),
                        (self.carried[s], step.at),
                        step.numbers(self.samples),
                    ],
                    [(self.passed_on[s], step.at)],
                )
            tape.copy((self.passed_on[s], self.stages[s + 1].beyond), self.carried[s + 1])

    def _settle(self, tape: Tape, forces: _Forces, found: _Solution) -> None:
        """Outward within blocks: accelerations, now that those at the bases are known."""
        for s, stage in reversed(list(enumerate(self.stages))):
            stage.take(tape, self.levels.ends[:, :, :6], self.above[s])
            for step in stage.steps:
                tape.call(
                    step.kernels.settled if s else step.kernels.settled_tip,
                    [
                        *self._beyond(s, step, "inertia"),
                        *self._forces(step, forces),
                        (self.carried[s], step.at),
                        (self.above[s], step.at),
                        step.numbers(self.samples),
                    ],
                    [(found.a, step.v), *((x, step.nodes) for x in found[1:])],
                )
                if s:
                    tape.copy((found.here, step.nodes), (self.above[s - 1], step.beyond))

    def _mismatch(self, tape: Tape) -> None:
        """What a solution misses, every node by itself."""
        found, left = self.found, self.left
        for step in self.kinds:
            nodes = (self.parents, found.here, found.passed, self.outer)
            tape.call(
                step.kernels.mismatch,
                [
                    *self._forces(step, self.given),
                    (found.a, step.v),
                    *((x, step.nodes) for x in nodes),
                    step.numbers(self.samples),
                ],
                [(left.tau, step.v), (left.swing, step.nodes), (left.held, step.nodes)],
            )

    def _forces(self, step: BlockStep, forces: _Forces) -> list[Place]:
        return [
            (self.q, step.q),
            (forces.tau, step.v),
            (forces.swing, step.nodes),
            (forces.held, step.nodes),
        ]

    def _beyond(self, s: int, step: BlockStep, *parts: str) -> list[Place]:
        """Parts of the segments beyond the nodes of a step; none at the tips."""
        return [(self.parts[s - 1][part], step.beyond) for part in parts] if s else []
