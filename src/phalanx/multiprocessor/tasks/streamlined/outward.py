"""Subtasks 1 to 25: link motion, from the base outward."""

from __future__ import annotations

from dataclasses import dataclass, replace

import casadi as ca
from casadi import SX

from phalanx.equations.inverse_dynamics.modified import velocity_products
from phalanx.equations.spatial import cross, vector, zero
from phalanx.multiprocessor.tasks.piece import operations_of
from phalanx.multiprocessor.tasks.streamlined.chain import ChainLink
from phalanx.multiprocessor.tasks.streamlined.subtasks import layer
from phalanx.multiprocessor.tasks.streamlined.turns import into_link
from phalanx.multiprocessor.tasks.task_graph import Task
from phalanx.multiprocessor.tasks.writer import TaskWriter


@dataclass(frozen=True)
class LinkSymbols:
    """How a link moves, in its own axes: symbols for what tasks have computed.

    Attributes:
        w: Angular velocity [rad/s].
        dw: Angular acceleration [rad/s²].
        k: Products (w_y w_z, w_z w_x, w_x w_y).
        L: Acceleration-difference matrix λ.
        a: Acceleration of the origin, less gravity [m/s²].
    """

    w: SX
    dw: SX
    k: SX
    L: SX
    a: SX

    @staticmethod
    def of_the_base(gravity: SX) -> LinkSymbols:
        """Still, but for the acceleration that stands for gravity."""
        return LinkSymbols(zero(), zero(), zero(), SX(3, 3), -gravity)

    def general(self, writer: TaskWriter) -> LinkSymbols:
        """The same motion with symbols in place of its zeros."""
        parts = (self.w, self.dw, self.k, self.L, self.a)
        return LinkSymbols(*(writer.general(part) for part in parts))


def move(writer: TaskWriter, link: ChainLink, parent: LinkSymbols) -> LinkSymbols:
    """Steps 1 to 3: a link whose joint its parent carries."""
    t = link.subtasks
    carried = moved_point(writer, parent.a, parent.L, link.p, t.all(12, 13, 14), t.all(15, 16, 17))
    return (_turn if link.turn is not None else _slide)(writer, link, parent, carried)


def _turn(writer: TaskWriter, link: ChainLink, parent: LinkSymbols, carried: SX) -> LinkSymbols:
    t, rate = link.subtasks, link.rate
    turned = into_link(writer, link, parent.w, (1, 2))
    own = ca.vertcat(turned[2] + rate, rate * turned[1], -rate * turned[0])
    own = writer.task(t(3), own)
    w = ca.vertcat(turned[:2], own[0])
    c = ca.vertcat(own[1], own[2], link.acceleration)
    dw = writer.task(t(6), into_link(writer, link, parent.dw, (4, 5)) + c)
    k, L = _matrix(writer, link, w, dw)
    return LinkSymbols(w, dw, k, L, into_link(writer, link, carried, (18, 19)))


def _slide(writer: TaskWriter, link: ChainLink, parent: LinkSymbols, carried: SX) -> LinkSymbols:
    """The link keeps its parent's axes, and so ω, α and λ; subtasks 3 and 6 add to a.

    Subtask 6 takes the layer of 18 and 19, which have nothing to turn.
    """
    t = link.subtasks
    coriolis = writer.task(t(3), cross(parent.w, 2 * link.rate * link.axis))
    in_place_of_18 = layer(t.link, 18, t.links)
    a = writer.task(
        replace(t(6), label=t(18).label, layer=in_place_of_18),
        carried + link.acceleration * link.axis + coriolis,
    )
    return replace(parent, a=a)


def _matrix(writer: TaskWriter, link: ChainLink, w: SX, dw: SX) -> tuple[SX, SX]:
    """The products k and the matrix λ, in subtask 10 alone where three operations make them."""
    t = link.subtasks
    k, squares = velocity_products(w), w * w
    whole = ca.vertcat(k, ca.vec(difference_matrix(squares, k, dw)))
    if operations_of(whole) <= writer.size:
        whole = writer.task(t(10), whole)
        return whole[:3], ca.reshape(whole[3:], 3, 3)
    k = writer.task(t(7), k)
    L = difference_matrix(writer.task(t(8), squares), k, dw)
    for subtask, entries in (
        (9, ((0, 0), (1, 1), (2, 2))),
        (10, ((1, 0), (0, 2), (2, 1))),
        (11, ((0, 1), (2, 0), (1, 2))),
    ):
        computed = writer.task(t(subtask), ca.vertcat(*(L[entry] for entry in entries)))
        for entry, value in zip(entries, ca.vertsplit(computed), strict=True):
            L[entry] = value
    return k, L


def difference_matrix(squares: SX, k: SX, dw: SX) -> SX:
    """λ from the squares and products of ω, and from α."""
    xx, yy, zz = ca.vertsplit(squares)
    plus, minus = k + dw, k - dw
    return ca.vertcat(
        ca.horzcat(-(yy + zz), minus[2], plus[1]),
        ca.horzcat(plus[2], -(zz + xx), minus[0]),
        ca.horzcat(minus[1], plus[0], -(xx + yy)),
    )


def moved_point(
    writer: TaskWriter, a: SX, L: SX, r: SX, products: list[Task], sums: list[Task]
) -> SX:
    """Acceleration a + λ r of a point, products and sums in three subtasks each.

    With one zero in r a row of λ r is three operations and fits into a subtask; with two zeros all
    rows do, and the sums as well: six, four, two or no subtasks for no, one, two or three zeros.
    """
    rows = L @ r
    if all(operations_of(rows[i]) <= writer.size for i in range(3)):
        return writer.packed(sums, a + writer.packed(products, rows))
    terms = [writer.task(task, L[i, :].T * r) for i, task in enumerate(products)]
    return writer.each(sums, vector(*(a[i] + ca.sum1(terms[i]) for i in range(3))))


def centre_acceleration(writer: TaskWriter, link: ChainLink, motion: LinkSymbols) -> SX:
    """Step 4: a_c = a + λ s."""
    t = link.subtasks
    return moved_point(writer, motion.a, motion.L, link.s, t.all(20, 21, 22), t.all(23, 24, 25))
