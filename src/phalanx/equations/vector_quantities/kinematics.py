"""Forward kinematics and Jacobian of a frame in vector operations.

Outward go the attitude of each link and the place of its O_i; inward goes the lever from each joint
to the frame, in axes of the root, so that no position is ever subtracted from another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic

from phalanx.equations.inverse_dynamics.vector_forms.chain import M2, V2, AxisChain, AxisFreedom
from phalanx.equations.inverse_dynamics.vector_forms.operators import (
    M,
    PassDirection,
    S,
    V,
    VectorOperators,
    Workplace,
)


@dataclass(frozen=True)
class LinkFrame(Generic[V, M]):
    """A frame fixed in a link.

    Attributes:
        link: Number of the link, from 1.
        R: From axes of the frame to those of O_i.
        p: From O_i to the frame, in O_i [m].
    """

    link: int
    R: M
    p: V

    def each(self, vector: Callable[[V], V2], matrix: Callable[[M], M2]) -> LinkFrame[V2, M2]:
        """The same in other vectors and matrices."""
        return LinkFrame(self.link, matrix(self.R), vector(self.p))


@dataclass(frozen=True)
class LinkAttitude(Generic[V, M]):
    """A link in axes of the root.

    Attributes:
        R: From axes of O_i to those of the root.
        arm: From the joint to O_i [m].
        offset: From O of what the link hangs on to the joint [m]; None where they coincide.
    """

    R: M
    arm: V
    offset: V | None


def path_to(chain: AxisChain[V, M, S], link: int) -> list[int]:
    """Numbers of the links from the base to a link, itself the last."""
    path = []
    while link:
        path.append(link)
        link = chain.links[link - 1].parent
    return path[::-1]


def attitudes(
    work: Workplace[V, M, S], chain: AxisChain[V, M, S], path: Iterable[int]
) -> dict[int, LinkAttitude[V, M]]:
    """Attitudes of the links of a path from the base."""
    found: dict[int, LinkAttitude[V, M]] = {}
    before = chain.base.A
    for i in path:
        o, link = work.at(PassDirection.OUTWARD, 0, i, i), chain.links[i - 1]
        R = o.product("R", before, link.A)
        offset = None if link.lever is None else o.turned("offset", before, link.lever)
        found[i] = LinkAttitude(R, o.turned("arm", R, link.p), offset)
        before = R
    return found


def frame_pose(
    work: Workplace[V, M, S], chain: AxisChain[V, M, S], frame: LinkFrame[V, M]
) -> tuple[M, V]:
    """Attitude and position of a frame in the root [m]."""
    path = path_to(chain, frame.link)
    x = work.at(PassDirection.OUTWARD, 0, 0, 0).turned("x", chain.base.A, chain.base.p)
    links = attitudes(work, chain, path)
    for i in path:
        o, link = work.at(PassDirection.OUTWARD, 0, i, i), links[i]
        if link.offset is not None:
            x = o.sum("joint", x, link.offset)
        x = o.sum("x", x, link.arm)
    o, R = work.at(PassDirection.READOUT, 0, frame.link, frame.link), links[frame.link].R
    x = o.sum("frame x", x, o.turned("frame p", R, frame.p))
    return o.product("frame R", R, frame.R), x


def frame_jacobian(
    work: Workplace[V, M, S], chain: AxisChain[V, M, S], frame: LinkFrame[V, M]
) -> dict[int, tuple[V, V]]:
    """Velocity and angular velocity of a frame for a unit of each coordinate that moves it."""
    path = path_to(chain, frame.link)
    links = attitudes(work, chain, path)
    lever = work.at(PassDirection.INWARD, 0, frame.link, frame.link).turned(
        "frame p", links[frame.link].R, frame.p
    )
    columns: dict[int, tuple[V, V]] = {}
    for i in reversed(path):
        o, link = work.at(PassDirection.INWARD, 0, i, i), links[i]
        lever = o.sum("lever", link.arm, lever)
        _take_columns(work, i, columns, chain.links[i - 1].freedoms, link, lever)
        if link.offset is not None:
            lever = o.sum("reach", lever, link.offset)
    return columns


def _take_columns(
    work: Workplace[V, M, S],
    i: int,
    columns: dict[int, tuple[V, V]],
    freedoms: Sequence[AxisFreedom[V]],
    link: LinkAttitude[V, M],
    lever: V,
) -> None:
    """Add the columns of a joint; joints that mimic each other share one."""
    o = work.at(PassDirection.READOUT, 0, i, i)
    for k, freedom in enumerate(freedoms, start=1):
        number = f".{k}" if len(freedoms) > 1 else ""
        linear, angular = column(o, number, freedom, link, lever)
        before = columns.get(freedom.coordinate)
        if before is not None:
            linear = o.sum(f"shared J{number}", before[0], linear)
            angular = o.sum(f"shared z{number}", before[1], angular)
        columns[freedom.coordinate] = linear, angular


def column(
    o: VectorOperators[V, M, S],
    number: str,
    freedom: AxisFreedom[V],
    link: LinkAttitude[V, M],
    lever: V,
) -> tuple[V, V]:
    """Velocity and angular velocity at the end of a lever for a unit of velocity."""
    slid = None if freedom.slide is None else o.turned(f"s{number}", link.R, freedom.slide)
    if freedom.turn is None:
        assert slid is not None, "a freedom turns or slides"
        return slid, o.zero
    z = o.turned(f"z{number}", link.R, freedom.turn)
    swung = o.cross(f"J{number}", z, lever)
    return swung if slid is None else o.sum(f"J+s{number}", swung, slid), z
