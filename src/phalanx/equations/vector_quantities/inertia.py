"""Spatial inertia as 3×3 blocks in vector operations: moved, turned, added, without a freedom.

A moment answers to an angular acceleration by ``rotation`` and to a linear one by ``coupling``, a
force by the transpose of ``coupling`` and by ``translation``. Rigid and articulated bodies have the
same form.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic

from phalanx.equations.inverse_dynamics.vector_forms.chain import (
    M2,
    S2,
    AxisFreedom,
    AxisLink,
    JointLoad,
)
from phalanx.equations.inverse_dynamics.vector_forms.operators import (
    M,
    PassDirection,
    S,
    V,
    VectorOperators,
    Workplace,
)


@dataclass(frozen=True)
class BlockInertia(Generic[M]):
    """Symmetric 6×6 matrix.

    Attributes:
        rotation: Moment of an angular acceleration [kg·m²].
        coupling: Moment of a linear acceleration [kg·m].
        translation: Force of a linear acceleration [kg].
    """

    rotation: M
    coupling: M
    translation: M

    def each(self, matrix: Callable[[M], M2]) -> BlockInertia[M2]:
        """The same in other matrices."""
        blocks = self.rotation, self.coupling, self.translation
        return BlockInertia(*(matrix(block) for block in blocks))


@dataclass(frozen=True)
class AxisBody(Generic[M, S]):
    """Inertia of a link and levers as matrices, ``[p]`` with [p] x = p × x.

    Attributes:
        inertia: Of the link about O_i, in its axes.
        arm: [p] of the link.
        lever: [b] of the lever to its joint; None where it has none.
        rotors: Inertia of a rotor along each freedom; None where there is none.
    """

    inertia: BlockInertia[M]
    arm: M
    lever: M | None
    rotors: tuple[S | None, ...]

    def each(self, matrix: Callable[[M], M2], scalar: Callable[[S], S2]) -> AxisBody[M2, S2]:
        """The same in other matrices and scalars."""
        return AxisBody(
            self.inertia.each(matrix),
            matrix(self.arm),
            None if self.lever is None else matrix(self.lever),
            tuple(None if rotor is None else scalar(rotor) for rotor in self.rotors),
        )


def about(o: VectorOperators[V, M, S], role: str, I: BlockInertia[M], lever: M) -> BlockInertia[M]:
    """Inertia about a point from which ``lever`` leads to where it was."""
    moved = o.product(f"{role}T", lever, I.translation)
    swung = o.product(f"{role}C", lever, o.transposed(I.coupling))
    both = matrix_sum(o, f"{role}CC", swung, o.transposed(swung))
    twice = o.product(f"{role}Tp", moved, o.transposed(lever))
    rotation = matrix_sum(o, f"{role}I+", I.rotation, both)
    return BlockInertia(
        matrix_sum(o, f"{role}I", rotation, twice),
        matrix_sum(o, f"{role}C+", I.coupling, moved),
        I.translation,
    )


def turned_inertia(
    o: VectorOperators[V, M, S], role: str, A: M, I: BlockInertia[M]
) -> BlockInertia[M]:
    """Inertia in other axes, A I Aᵀ block by block."""
    back = o.transposed(A)

    def turned(name: str, block: M) -> M:
        return o.product(f"{role}{name}A", o.product(f"{role}A{name}", A, block), back)

    return BlockInertia(
        turned("I", I.rotation), turned("C", I.coupling), turned("T", I.translation)
    )


def inertia_sum(
    o: VectorOperators[V, M, S], role: str, I: BlockInertia[M], J: BlockInertia[M]
) -> BlockInertia[M]:
    """Two bodies joined."""
    return BlockInertia(
        matrix_sum(o, f"{role}I", I.rotation, J.rotation),
        matrix_sum(o, f"{role}C", I.coupling, J.coupling),
        matrix_sum(o, f"{role}T", I.translation, J.translation),
    )


def matrix_sum(o: VectorOperators[V, M, S], role: str, A: M, B: M) -> M:
    """A + B, column by column."""
    pairs = zip(o.columns(A), o.columns(B), strict=True)
    return o.matrix([o.sum(f"{role}.{k}", x, y) for k, (x, y) in enumerate(pairs, start=1)])


def less_product(o: VectorOperators[V, M, S], role: str, A: M, x: V, y: V) -> M:
    """A - x yᵀ, column by column."""
    columns = [
        o.difference(f"{role}.{k + 1}", column, o.scaled(f"{role}x.{k + 1}", o.entry(y, k), x))
        for k, column in enumerate(o.columns(A))
    ]
    return o.matrix(columns)


def response(
    o: VectorOperators[V, M, S], role: str, I: BlockInertia[M], freedom: AxisFreedom[V]
) -> JointLoad[V]:
    """Wrench that a unit of acceleration along a freedom asks for."""
    n = f = None
    if freedom.turn is not None:
        n = o.turned(f"{role}It", I.rotation, freedom.turn)
        f = o.turned_back(f"{role}Ct", I.coupling, freedom.turn)
    if freedom.slide is not None:
        n_slid = o.turned(f"{role}Cs", I.coupling, freedom.slide)
        f_slid = o.turned(f"{role}Ts", I.translation, freedom.slide)
        n = n_slid if n is None else o.sum(f"{role}n", n, n_slid)
        f = f_slid if f is None else o.sum(f"{role}f", f, f_slid)
    assert n is not None and f is not None, "a freedom turns or slides"
    return JointLoad(f, n)


def along(o: VectorOperators[V, M, S], role: str, freedom: AxisFreedom[V], load: JointLoad[V]) -> S:
    """Part of a wrench along a freedom."""
    turning = None if freedom.turn is None else o.dot(f"{role}.n", freedom.turn, load.n)
    if freedom.slide is None:
        assert turning is not None, "a freedom turns or slides"
        return turning
    sliding = o.dot(f"{role}.f", freedom.slide, load.f)
    return sliding if turning is None else o.added(role, turning, sliding)


def handed_inertia(
    work: Workplace[V, M, S],
    i: int,
    link: AxisLink[V, M, S],
    body: AxisBody[M, S],
    at_joint: BlockInertia[M],
) -> BlockInertia[M]:
    """Inertia at joint i as what carries it sees it: about its O, in its axes."""
    o = work.at(PassDirection.INWARD, 0, i, i)
    I = turned_inertia(o, "A", link.A, at_joint)
    return I if body.lever is None else about(o, "b", I, body.lever)


def handed_load(
    o: VectorOperators[V, M, S], role: str, link: AxisLink[V, M, S], load: JointLoad[V]
) -> JointLoad[V]:
    """Wrench at a joint as what carries it sees it: about its O, in its axes."""
    f, n = o.turned(f"{role}f", link.A, load.f), o.turned(f"{role}n", link.A, load.n)
    if link.lever is None:
        return JointLoad(f, n)
    return JointLoad(f, o.sum(f"{role}n+", n, o.cross(f"{role}b", link.lever, f)))


def load_at_joint(
    o: VectorOperators[V, M, S], role: str, link: AxisLink[V, M, S], load: JointLoad[V]
) -> JointLoad[V]:
    """Wrench about O_i as joint i carries it."""
    return JointLoad(load.f, o.sum(f"{role}n'", load.n, o.cross(f"{role}p", link.p, load.f)))
