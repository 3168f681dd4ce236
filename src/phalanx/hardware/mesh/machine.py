"""Machine on a mesh: columns and rows for its freedoms and bodies, and what its nodes hold.

Each freedom of a tree has a column and a row. A joint of several freedoms has as many columns; its
body stands in the last of them, and in the others stands nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.base.cached import cached_property
from phalanx.base.errors import InvalidModel
from phalanx.equations.loops.assembly.free_joints import independent_velocities
from phalanx.equations.loops.assembly.independent import independent_rows
from phalanx.equations.loops.closure.equations import constraint
from phalanx.equations.loops.methods.projection import partitioned
from phalanx.equations.model_of import model_in_given_frames
from phalanx.equations.orthogonal_complement.bodies import CentredBody, centred_bodies
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.node import Freedom, Node
from phalanx.mechanism import Mechanism

SINGLE = (Freedom.TURN, Freedom.SLIDE)
SEVERAL = (Freedom.BALL, Freedom.PLANE, Freedom.FREE)


class Column(NamedTuple):
    """A freedom.

    Attributes:
        body: The body that its joint carries, from 0.
        axis: Which of the joint's freedoms it is.
    """

    body: int
    axis: int


def _instead(node: Node) -> str:
    """What to put in the place of a joint that a mesh does not hold."""
    if node.is_scaled:
        return "let it move by itself (release_mimics)"
    return "put hinges and slides with massless links between in its place"


@dataclass(frozen=True)
class MeshMachine:
    """A tree of bodies, a column of the mesh for each of their freedoms; columns count from 1.

    Attributes:
        mechanism: The machine.
        model: Its tree in the frames that it was given in.
        bodies: Its bodies about their centres of mass.
        q: Symbols for the positions in them.
        columns: What each column is.
        rows: How many of the joints are independent, n: the first of them.
        follows: For each other joint the independent ones that move it through loops.
    """

    mechanism: Mechanism
    model: Model
    bodies: tuple[CentredBody, ...]
    q: SX = field(repr=False)
    columns: tuple[Column, ...]
    rows: int
    follows: Mapping[int, tuple[int, ...]] = field(default_factory=dict)

    @staticmethod
    def of(
        mechanism: Mechanism,
        columns: int | None = None,
        independent: Sequence[str] | None = None,
    ) -> MeshMachine:
        """The numbers of a machine.

        Args:
            mechanism: The machine.
            columns: Of the mesh that is to hold it; as many as its tree has freedoms when not
                given.
            independent: Joints that determine the motion of a machine with loops, as for
                ``equations.loops.orthogonal_complement``.

        Raises:
            InvalidModel: It has screws or joints that follow others, not a freedom for each
                column, loops with joints of several freedoms, or independent joints that do not
                come before all others.
        """
        model = model_in_given_frames(mechanism)
        for node in model.nodes:
            known = SINGLE if mechanism.loops else (*SINGLE, *SEVERAL)
            if node.freedom not in known or node.is_scaled:
                kind = "follows another" if node.is_scaled else f"moves {node.freedom.value[2]}"
                held = "joints with one axis" if mechanism.loops else "freedoms"
                raise InvalidModel(
                    f"joint '{node.joint}' of '{mechanism.name}' {kind}; columns of a triangular "
                    f"mesh hold {held} that move by themselves, along or about an axis. Lock it "
                    f"(phalanx.lock, --lock), or {_instead(node)}."
                )
        layout = tuple(
            Column(k, axis) for k, node in enumerate(model.nodes) for axis in range(node.freedom.nv)
        )
        count = len(layout)
        if not count:
            raise InvalidModel(f"'{mechanism.name}' has no joint, so there is nothing to compute.")
        if columns is not None and columns != count:
            first = model.nodes[layout[min(columns, count - 1)].body].joint
            extra = "" if columns > count else f"; joint '{first}' has none"
            raise InvalidModel(
                f"'{mechanism.name}' has {count} freedoms for {columns} columns{extra}. "
                f"Take a mesh of {count} columns, one for each freedom."
            )
        q = SX.sym("q", mechanism.nq)
        bodies = centred_bodies(model, q)
        if not mechanism.loops:
            return MeshMachine(mechanism, model, bodies, q, layout, count)
        rows, follows = _followers(model, independent)
        return MeshMachine(mechanism, model, bodies, q, layout, rows, follows)

    @property
    def size(self) -> int:
        """How many columns there are."""
        return len(self.columns)

    def body(self, i: int) -> CentredBody:
        """The body that the joint of column ``i`` carries."""
        return self.bodies[self.columns[i - 1].body]

    def holds(self, i: int) -> bool:
        """Whether a body stands in column ``i``: the last of its joint's."""
        return i == self.size or self.columns[i].body != self.columns[i - 1].body

    def of_joint(self, i: int) -> tuple[int, ...]:
        """The columns of the joint of column ``i``, in the order of its freedoms."""
        body = self.columns[i - 1].body
        return tuple(j for j, column in enumerate(self.columns, start=1) if column.body == body)

    def is_single(self, i: int) -> bool:
        """Whether the joint of column ``i`` is a hinge or a slide."""
        return self.body(i).freedom in SINGLE

    def v(self, i: int) -> int:
        """Place of column ``i`` among the velocities."""
        return self.body(i).node.v + self.columns[i - 1].axis

    def position(self, q: SX, i: int) -> SX:
        """Positions of the joint of column ``i``: one of a hinge or a slide, else all of them."""
        node = self.body(i).node
        return q[node.q : node.q + node.freedom.nq]

    @cached_property
    def _parents(self) -> tuple[int, ...]:
        """For each column that of the body which carries its joint; 0 for the root."""
        last = {column.body: i for i, column in enumerate(self.columns, start=1)}
        return tuple(last.get(self.bodies[column.body].parent, 0) for column in self.columns)

    def parent(self, i: int) -> int:
        """The body that carries body ``i``; 0 for the root."""
        return self._parents[i - 1]

    def children(self, i: int) -> tuple[int, ...]:
        """The bodies that body ``i`` carries."""
        others = range(1, self.size + 1)
        return tuple(j for j in others if self.holds(j) and self.parent(j) == i)

    @cached_property
    def paths(self) -> tuple[tuple[int, ...], ...]:
        """For each body the freedoms that move it, the nearest first; of other columns, none."""
        paths: list[tuple[int, ...]] = [()]
        for i in range(1, self.size + 1):
            own = (*reversed(self.of_joint(i)), *paths[self.parent(i)])
            paths.append(own if self.holds(i) else ())
        return tuple(paths)

    def movers(self, i: int) -> tuple[int, ...]:
        """The independent joints that move body ``i``, the nearest first, itself or by loops."""
        own = [j for j in self.paths[i] if j <= self.rows]
        through = {a for j in self.paths[i] for a in self.follows.get(j, ())}
        return (*sorted(through - set(own), reverse=True), *own)

    def follows_loops(self, i: int) -> bool:
        """Whether a joint that moves body ``i`` is moved by loops."""
        return any(j in self.follows for j in self.paths[i])

    def reach(self, j: int) -> int:
        """The last row that needs the axis of joint ``j``."""
        return max(self.follows.get(j, ()), default=0) if j > self.rows else j

    @property
    def is_chain(self) -> bool:
        """Whether each body carries the next."""
        return all(self.parent(i) == i - 1 for i in range(1, self.size + 1))

    def name(self, i: int) -> str:
        """The joint of body ``i``."""
        return self.body(i).node.joint

    @property
    def gravity(self) -> SX:
        """Acceleration of free fall [m/s²]."""
        return SX(ca.DM(np.asarray(self.mechanism.gravity, dtype=np.float64)))

    def slides(self, i: int) -> bool:
        """Whether freedom ``i`` is along an axis, and turns nothing."""
        axis = self.columns[i - 1].axis
        return bool(self.body(i).axes.angular[:, axis].is_zero())

    def axis(self, i: int) -> SX:
        """Axis of freedom ``i`` in the axes of its body: z of a hinge, the direction of a slide."""
        axes, axis = self.body(i).axes, self.columns[i - 1].axis
        return ca.densify((axes.linear if self.slides(i) else axes.angular)[:, axis])

    def travels(self, i: int) -> bool:
        """Whether joint ``i`` moves its hinge."""
        return not self.body(i).axes.linear.is_zero()

    def hinge(self, i: int) -> tuple[SX, SX]:
        """From the parent's centre of mass to hinge ``i``, in the parent's axes.

        Returns:
            When the joint stands at zero [m], and what units of its positions add, shape (3, nq).
        """
        body = self.body(i)
        along = ca.jacobian(body.l_parent, self.position(self.q, i))
        still = ca.substitute(body.l_parent, self.q, SX.zeros(*self.q.shape))
        return ca.densify(still), ca.densify(along)

    def rotation(self, i: int, q: SX) -> SX:
        """From the parent's axes to those of body ``i``, at positions of its joint."""
        return ca.substitute(self.body(i).A, self.position(self.q, i), q)

    def seat(self, i: int) -> SX:
        """Rotation from the axes of the joint to the parent's, shape (3, 3)."""
        return self.body(i).node.placement.rotation.matrix


def _followers(
    model: Model, independent: Sequence[str] | None
) -> tuple[int, dict[int, tuple[int, ...]]]:
    """How many joints are independent, and for each other the ones that it follows, from 1."""
    mechanism = model.mechanism
    picked = sorted(independent_velocities(mechanism, independent))
    rows = len(picked)
    first = [node.v for node in model.nodes[:rows]]
    if sorted(first) != picked:
        names = [node.joint for node in model.nodes]
        free = ", ".join(f"'{node.joint}'" for node in model.nodes if node.v in picked)
        raise InvalidModel(
            f"the independent joints of '{mechanism.name}' are {free}; on a mesh they come before "
            f"all others, and its joints are {', '.join(names)}. Choose others with independent=…, "
            "or list the joints of the machine in another order."
        )
    driven = [node.joint for node in model.nodes[rows:] if not node.armature.is_zero()]
    if driven:
        raise InvalidModel(
            f"joint '{driven[0]}' of '{mechanism.name}' follows loops and has a rotor, whose "
            "inertia no node of a mesh adds. Move it to an independent joint, or set it to zero."
        )
    q, v = SX.sym("q", mechanism.nq), SX.sym("v", mechanism.nv)
    A = constraint(model, q, v, independent_rows(mechanism)).A
    T = partitioned(model, A, first).T
    follows = {
        j: tuple(a for a in range(1, rows + 1) if not T[node.v, a - 1].is_zero())
        for j, node in enumerate(model.nodes, start=1)
        if j > rows
    }
    return rows, follows
