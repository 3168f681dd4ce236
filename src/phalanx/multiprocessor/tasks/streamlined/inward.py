"""Subtasks 26 to 43: joint loads, from the tip inward."""

from __future__ import annotations

import casadi as ca
from casadi import SX

from phalanx.equations.spatial import Wrench, cross, vector, zero
from phalanx.multiprocessor.tasks.streamlined.chain import ChainLink
from phalanx.multiprocessor.tasks.streamlined.outward import LinkSymbols, centre_acceleration
from phalanx.multiprocessor.tasks.streamlined.turns import out_of_link
from phalanx.multiprocessor.tasks.writer import TaskWriter


def carry(
    writer: TaskWriter,
    link: ChainLink,
    inertial: LinkSymbols,
    motion: LinkSymbols,
    after: ChainLink | None,
    load_after: Wrench,
) -> Wrench:
    """Steps 4 to 8 of one link: what its joint carries, at the link's origin and in its axes.

    Args:
        writer: Takes the tasks.
        link: The link.
        inertial: Its motion, with all zeros that are known, for its inertial moment.
        motion: Its motion.
        after: The link that it carries.
        load_after: What that link's joint carries.
    """
    t = link.subtasks
    F = writer.task(t(26), link.m * centre_acceleration(writer, link, motion))
    N = writer.each(t.all(27, 28, 29), inertial_moment(link, inertial))
    f, n, lever = zero(), zero(), zero()
    if after is not None:
        f = out_of_link(writer, after, load_after.force, t.all(30, 31))
        n = out_of_link(writer, after, load_after.moment, t.all(39, 40))
        lever = writer.packed(t.all(33, 34, 35), cross(after.p, f))
    own = writer.packed(t.all(36, 37, 38), cross(link.s, F))
    force = writer.task(t(32), F + f)
    return Wrench(writer.each(t.all(41, 42, 43), N + lever + own + n), force)


def inertial_moment(link: ChainLink, motion: LinkSymbols) -> SX:
    """Step 6: N = I α + D k; products of inertia multiply entries of λ and take further tasks."""
    L, I = motion.L, link.products
    xy, xz, yz = I[0, 1], I[0, 2], I[1, 2]
    return (
        link.I * motion.dw
        + link.D * motion.k
        + vector(
            (L[1, 1] - L[2, 2]) * yz + L[1, 0] * xz - L[2, 0] * xy,
            (L[2, 2] - L[0, 0]) * xz + L[2, 1] * xy - L[0, 1] * yz,
            (L[0, 0] - L[1, 1]) * xy + L[0, 2] * yz - L[1, 2] * xz,
        )
    )


def along_the_axis(link: ChainLink, load: Wrench) -> SX:
    """Joint force along its freedom [N·m or N]."""
    return load.moment[2] if link.turn is not None else ca.dot(link.axis, load.force)
