"""Constraint-force equations: from a state to A f = b, and from f to accelerations.

Angular velocities of bodies follow from each other, from the root outward. All else is done for
every body at once: its blocks of A, and when f is known its acceleration.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypedDict, final

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from phalanx.base.cached import cached_property
from phalanx.base.errors import InvalidInput, InvalidModel
from phalanx.dynamics.evaluators.bodies import Integers
from phalanx.dynamics.evaluators.constraint_forces import blocks
from phalanx.dynamics.evaluators.constraint_forces.joint_passes import JointPasses
from phalanx.dynamics.evaluators.constraint_forces.joint_steps import (
    acceleration_step,
    contribution_step,
    joint_of,
    motion_step,
    moving_step,
    turning_step,
)
from phalanx.dynamics.evaluators.constraint_forces.jointed import JointedBodies, JointKind
from phalanx.dynamics.evaluators.constraint_forces.part import part_of
from phalanx.dynamics.evaluators.constraint_forces.system import ConstraintSystem
from phalanx.kernel import Kernel, compile
from phalanx.kernel.traversal.compile_traversal import PassSteps
from phalanx.mechanism.inertia import POSTURES
from phalanx.mechanism.pose import Array

# motions of a joint that are less apart from each other are one motion
LEAST_PIVOT = 1e-12


@final
@dataclass(frozen=True, eq=False)
class Posed:
    """A machine in some states: the system, and what accelerations need once it is solved.

    Attributes:
        system: A f = b.
        q: Positions, shape (samples, nq).
        tau: Joint forces, shape (samples, nv).
        Q: Directions that joints hold, in body axes, shape (samples, n, 6, width).
        G: The same on the body that the joint stands on, Tᵀ Q.
        c: Accelerations of bodies while joints and parents have none, shape (samples, n, 6).
        free: Accelerations of bodies under all but constraint forces, shape (samples, n, 6).
        root: Acceleration of the root, less free fall, shape (samples, 1, 6).
        on_links: Known wrenches on links within joints, for each kind of joint that has some,
            shape (samples, members, 6 links).
    """

    system: ConstraintSystem
    q: Array
    tau: Array
    Q: Array
    G: Array
    c: Array
    free: Array
    root: Array
    on_links: dict[JointKind, Array]


@final
class ConstraintEquations:
    """Machine code for the constraint forces of one machine."""

    def __init__(
        self, jointed: JointedBodies, threads: int = 1, whole: ConstraintEquations | None = None
    ) -> None:
        """Compile the steps of every kind of joint; a part takes the code of the ``whole``.

        Raises:
            InvalidModel: Joints with a massless link between them move by the same motion.
        """
        self.jointed, self.threads = jointed, threads
        if whole is None:
            _check_motions(jointed)
            width = jointed.structure.width
            self._code = [_Code(kind, width, threads) for kind in jointed.kinds]
            self._turning = _sweep("turning", jointed, threads, turning_step, "w", 3)
            self._moving = _sweep("moving", jointed, threads, motion_step, "V", 6)
        else:
            self._code, laid = whole._code, _laid_out(jointed)
            self._turning = whole._turning.part(jointed.structure, **laid)
            self._moving = whole._moving.part(jointed.structure, **laid)
        self._kinds = [
            _CompiledKind(jointed, kind, code)
            for kind, code in zip(jointed.kinds, self._code, strict=True)
            if len(kind.members)
        ]
        self._inverse_mass = jointed.inverse_mass[None]
        self._inverse_mass_parent = jointed.structure.of_parent(self._inverse_mass)

    def part(self, joints: NDArray[np.intp]) -> ConstraintEquations:
        """Those of some joints and their bodies (:func:`part_of`), by the same machine code."""
        return ConstraintEquations(part_of(self.jointed, joints), self.threads, self)

    def turning(self, q: Array, v: Array, w_root: Array) -> Array:
        """Angular velocities of bodies when the root turns at w_root, shape (samples, n, 3)."""
        count, n = len(q), len(self.jointed)
        return self._turning(count, {"q": q, "v": v}, {"w": 3 * n}, [w_root])["w"].reshape(
            count, n, 3
        )

    def pose(
        self, q: Array, v: Array, tau: Array, root: Array, external: Array | None = None
    ) -> Posed:
        """A f = b at states; arguments as for ``Solver.accelerations``.

        Raises:
            InvalidInput: A number is not finite, a locked joint moves, a wrench acts on a node
                within a joint, where there is no body, or joints with a massless link between
                them move by the same motion in this posture.
        """
        self._check(q, v, tau, root, external)
        w_root = np.ascontiguousarray(root[:, :3])
        w = self.turning(q, v, w_root)
        w_parent = self.jointed.structure.of_parent(w, w_root[:, None])

        def contribution(kind: _CompiledKind) -> Sequence[Array]:
            numbers = q[:, kind.q], v[:, kind.v], tau[:, kind.v], w_parent[:, kind.members]
            more = self._on_links(kind, len(q), external)
            parts: Sequence[Array] = kind.contribution(*numbers, kind.numbers, *more)
            return parts

        return self._posed(q, tau, root, external, contribution)

    def velocities(self, q: Array, v: Array, root: Array) -> Array:
        """Velocities of bodies that move as their joints say, shape (samples, n, 6)."""
        count, n = len(q), len(self.jointed)
        moving = self._moving(count, {"q": q, "v": v}, {"V": 6 * n}, [root_velocity(root)])
        return moving["V"].reshape(count, n, 6)

    def pose_bodies(
        self,
        q: Array,
        v: Array,
        V: Array,
        tau: Array,
        root: Array,
        external: Array | None = None,
    ) -> Posed:
        """A f = b for bodies that move by ``V``, which need not fit ``v``; else as :meth:`pose`.

        Accelerations of bodies are then rates of their velocities in body axes.

        Raises:
            InvalidInput: As for :meth:`pose`.
        """
        self._check(q, v, tau, root, external, V)
        V_parent = self.jointed.structure.of_parent(V, root_velocity(root)[:, None])

        def contribution(kind: _CompiledKind) -> Sequence[Array]:
            own = kind.members
            numbers = q[:, kind.q], v[:, kind.v], tau[:, kind.v], V[:, own], V_parent[:, own]
            more = self._on_links(kind, len(q), external)
            parts: Sequence[Array] = kind.moving(*numbers, kind.numbers, *more)
            return parts

        return self._posed(q, tau, root, external, contribution)

    def _posed(
        self,
        q: Array,
        tau: Array,
        root: Array,
        external: Array | None,
        contribution: Callable[[_CompiledKind], Sequence[Array]],
    ) -> Posed:
        jointed, at = self.jointed, self.jointed.structure
        count, n, w = len(q), len(jointed), at.width
        A_root = np.concatenate([root[:, 6:], root[:, 3:6]], axis=1)[:, None]
        Q, G = np.empty((count, n, 6, w)), np.empty((count, n, 6, w))
        c, h, u = (np.empty((count, n, 6)) for _ in range(3))
        of_links: list[tuple[_CompiledKind, Array]] = []
        on_links: dict[JointKind, Array] = {}
        for kind in self._kinds:
            own = kind.members
            Q[:, own], G[:, own], c[:, own], h[:, own], u[:, own], *more = contribution(kind)
            if more:
                s, on_links[kind.kind], pivot = more
                of_links.append((kind, s))
                self._check_pivot(kind.kind, pivot)
        if external is not None:
            h += external[:, jointed.node]
        at.add_to_parents(h, -u)
        free = blocks.accelerate_kernel(self.threads)(self._inverse_mass, h)
        D, L, b = blocks.assemble_kernel(w, self.threads)(
            Q,
            G,
            at.of_parent(Q),
            self._inverse_mass,
            self._inverse_mass_parent,
            free,
            at.of_parent(free, A_root),
            c,
            jointed.compliance,
        )
        for kind, s in of_links:
            b[:, kind.members] += s
        system = ConstraintSystem(at, D, L, self._sibling_blocks(G), b, self.threads)
        return Posed(system, q, tau, Q, G, c, free, A_root, on_links)

    def _on_links(self, kind: _CompiledKind, count: int, external: Array | None) -> list[Array]:
        """Wrenches on links within a kind's joints, as an argument of its steps if it has some."""
        if not kind.kind.within:
            return []
        nodes = self.jointed.within(kind.kind)
        if external is None:
            return [np.zeros((1, 1, 6 * nodes.shape[1]))]
        return [external[:, nodes].reshape(count, len(nodes), -1)]

    def _check_pivot(self, kind: JointKind, pivot: Array) -> None:
        wrong = np.argwhere(~(pivot > LEAST_PIVOT))
        if len(wrong):
            sample, member = (int(k) for k in wrong[0])
            raise InvalidInput(
                f"joints '{self.jointed.name(kind, member)}' of mechanism "
                f"'{self.jointed.bodies.mechanism.name}' have no body with inertia between them "
                f"and move by the same motion in the posture of sample {sample}, so that forces "
                "do not determine their accelerations there."
            )

    def body_accelerations(self, posed: Posed, f: Array) -> Array:
        """Accelerations of bodies under constraint forces f, shape (samples, n, 6).

        Of the body's origin and less free fall, then angular, in body axes; after
        :meth:`pose_bodies` rates of velocities in body axes, less free fall.
        """
        kernel = blocks.wrench_kernel(self.jointed.structure.width, self.threads)
        wrench, back = kernel(posed.Q, posed.G, f)
        self.jointed.structure.add_to_parents(wrench, back)
        pushed = blocks.accelerate_kernel(self.threads)(self._inverse_mass, wrench)
        return np.asarray(posed.free + pushed)

    def joint_accelerations(self, posed: Posed, A: Array) -> Array:
        """Accelerations of joints from those of bodies, shape (samples, nv)."""
        A_parent = self.jointed.structure.of_parent(A, posed.root)
        a = np.empty(posed.tau.shape)
        for kind in self._kinds:
            own = kind.members
            a[:, kind.v] = kind.acceleration(
                posed.q[:, kind.q], A[:, own], A_parent[:, own], posed.c[:, own], kind.numbers
            )
        return a

    def accelerations(self, posed: Posed, f: Array) -> Array:
        """Accelerations of joints under constraint forces f, shape (samples, nv)."""
        return self.joint_accelerations(posed, self.body_accelerations(posed, f))

    def _sibling_blocks(self, G: Array) -> Array:
        at = self.jointed.structure
        if not len(at.siblings):
            return np.empty((len(G), 0, at.width, at.width))
        first, second = at.siblings.T
        kernel = blocks.sibling_kernel(at.width, self.threads)
        W_parent = self._inverse_mass_parent[:, first]
        return np.asarray(kernel(G[:, first], G[:, second], W_parent))

    def _check(
        self,
        q: Array,
        v: Array,
        tau: Array,
        root: Array,
        external: Array | None,
        V: Array | None = None,
    ) -> None:
        mechanism = self.jointed.bodies.mechanism
        given = {"q": q, "v": v, "tau": tau, "root": root}
        if external is not None:
            given["external"] = external
        if V is not None:
            given["V"] = V
        for name, numbers in given.items():
            if not np.isfinite(numbers).all():
                sample, *where = (int(k) for k in np.argwhere(~np.isfinite(numbers))[0])
                raise InvalidInput(
                    f"'{name}' of mechanism '{mechanism.name}' has {numbers[sample, *where]} at "
                    f"{where} of sample {sample}; constraint forces need finite numbers."
                )
        for kind in self._kinds:
            locked = kind.v[:, list(kind.kind.locked)]
            if v[:, locked].any():
                moves = locked[v[:, locked].any(axis=0)][0]
                node = np.searchsorted(self.jointed.bodies.v, moves, side="right") - 1
                name = mechanism.joints[self.jointed.bodies.joint[node]].name
                raise InvalidInput(f"joint '{name}' is locked, but has a velocity; give it none.")
        inner = self.jointed.inner_nodes
        if external is not None and len(inner) and external[:, inner].any():
            at = inner[external[:, inner].any(axis=(0, 2)).argmax()]
            name = mechanism.joints[self.jointed.bodies.joint[at]].name
            raise InvalidInput(
                f"an external wrench acts within joint '{name}', where there is no body; give it "
                "to the node of the body that the joint carries."
            )


def root_velocity(root: Array) -> Array:
    """Motion of the root, linear part first, shape (samples, 6)."""
    return np.concatenate([np.zeros((len(root), 3)), root[:, :3]], axis=1)


def _sweep(
    name: str,
    jointed: JointedBodies,
    threads: int,
    step: Callable[[JointKind], ca.Function],
    result: str,
    carried: int,
) -> JointPasses:
    """Run an outward pass over the bodies."""
    return JointPasses(
        name,
        [PassSteps(False, carried, tuple(step(kind) for kind in jointed.kinds))],
        {"q": "q", "v": "v", result: carried},
        jointed.structure,
        threads,
        **_laid_out(jointed),
    )


def _check_motions(jointed: JointedBodies) -> None:
    """Raise InvalidModel where motions joined by massless links are never independent."""
    q = jointed.bodies.mechanism.random_positions(POSTURES, seed=0)
    for kind in jointed.kinds:
        if not kind.within:
            continue
        joint, numbers = joint_of(kind)
        find = ca.Function("pivot", [joint.q, numbers], [joint.pivot])
        columns, table = jointed.columns(kind)[0], np.concatenate(kind.numbers, axis=1)
        for k, (own, row) in enumerate(zip(columns, table, strict=True)):
            if not any(float(find(at[own], row)) > LEAST_PIVOT for at in q):
                raise InvalidModel(
                    f"joints '{jointed.name(kind, k)}' of mechanism "
                    f"'{jointed.bodies.mechanism.name}' have no body with inertia between them "
                    "and move by the same motion in every posture. Forces do not determine their "
                    "accelerations: give a body between them mass and moments of inertia, or "
                    "make a joint fixed."
                )


class _LaidOut(TypedDict):
    """Data of a pass about its joints."""

    kind_of: Integers
    numbers: list[Array]
    columns: dict[str, Integers]


def _laid_out(jointed: JointedBodies) -> _LaidOut:
    bodies, kinds = jointed.bodies, jointed.kinds
    kind_of = np.zeros(len(jointed), np.int32)
    for k, kind in enumerate(kinds):
        kind_of[kind.members] = k
    return {
        "kind_of": kind_of,
        "numbers": [np.concatenate(kind.numbers, axis=1) for kind in kinds],
        "columns": {"q": bodies.q[jointed.first_node], "v": bodies.v[jointed.first_node]},
    }


class _Code:
    """Machine code of a kind of joint, for blocks of a width."""

    def __init__(self, kind: JointKind, width: int, threads: int) -> None:
        self._shapes: dict[str, tuple[int, ...]] = {"Q": (6, width), "G": (6, width)}
        if kind.within:
            self._shapes["pivot"] = ()
        self._kind, self._width, self._threads = kind, width, threads
        self.contribution = compile(
            contribution_step(kind, width), shapes=self._shapes, threads=threads
        )
        self.acceleration = compile(acceleration_step(kind), threads=threads)

    @cached_property
    def moving(self) -> Kernel:
        """Contributions of bodies that move each by itself."""
        step = moving_step(self._kind, self._width)
        return compile(step, shapes=self._shapes, threads=self._threads)


class _CompiledKind:
    """Steps of a kind of joint, and where its numbers are."""

    def __init__(self, jointed: JointedBodies, kind: JointKind, code: _Code) -> None:
        self.kind = kind
        every = len(kind.members) == len(jointed)
        self.members = slice(None) if every else kind.members
        self.q, self.v = jointed.columns(kind)
        self.numbers = np.concatenate(kind.numbers, axis=1)[None]
        self.contribution, self.acceleration, self._code = (
            code.contribution,
            code.acceleration,
            code,
        )

    @property
    def moving(self) -> Kernel:
        """Contributions of bodies that move each by itself."""
        return self._code.moving
