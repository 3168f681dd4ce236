"""Phase 2: M = H'H and F_v = H'[dL/dt; m p''] by sums that move west.

In step s, node (k, i) multiplies the column j = k + s of H for body i, [c_ij; rho_ij x c_ij], with
what it keeps: [J c; m rho x c] of joint k, or the load of body i in row 0. The sum for column j
starts in column n at step j - k and moves one column west a step, so that it ends in node (k, j) at
step n - k. What a column of H needs of rows below comes from the south, one row a step (variant
``pass``), or is computed again from axes and arms that are there already (``recompute``).

Reference:
    Wong (1991), §4.4.1 and table 4.7.
"""

from __future__ import annotations

from typing import NamedTuple

from casadi import SX

from phalanx.hardware.mesh.motion import MeshKinematics
from phalanx.hardware.mesh.patterns import (
    CROSS,
    PRODUCT,
    PRODUCT_3,
    SUM,
)
from phalanx.hardware.mesh.program import PASS, SUMS, Held, MeshProgram
from phalanx.hardware.mesh.shape import NORTH, WEST


class Sums(NamedTuple):
    """Results of the sums, with their nodes.

    Attributes:
        mass: M_kj in node (k, j), by (k, j) with k <= j.
        force: F_v of joint j in node (0, j), by j.
    """

    mass: dict[tuple[int, int], Held]
    force: dict[int, Held]


def write_moving_sums(program: MeshProgram, motion: MeshKinematics) -> Sums:
    """Phase 2 of one evaluation."""
    n = program.machine.rows
    if program.variant == PASS:
        for (i, j), held in motion.moved.items():
            if not program.machine.slides(j):  # its axis is in all rows already
                program.send(held, (j, i), [NORTH] * j, SUMS)
    totals = {
        (k, j): _total(program, motion, k, j) for k in range(n + 1) for j in range(max(k, 1), n + 1)
    }
    mass = {place: held for place, held in totals.items() if place[0]}
    return Sums(mass, {j: totals[0, j] for j in range(1, n + 1)})


def _total(program: MeshProgram, motion: MeshKinematics, k: int, j: int) -> Held:
    """The sum for column j in row k, from column n west to column j."""
    n, machine = program.machine.size, program.machine
    name = f"M {k},{j}" if k else f"F {j}"
    total: Held | None = None
    for i in range(n, j - 1, -1):
        if total is not None and i < n:
            program.send(total, (k, i + 1), [WEST], SUMS)
        movers = machine.movers(i)
        if j not in movers or (k and k not in movers):
            continue  # a block of zeros
        product = _product(program, motion, k, i, j)
        step = j - k + n - i
        if total is None:
            total = product
            continue
        values = total.value, product.value
        total = program.repeated(
            f"{name} to {i}", (k, i), SUMS, 3 * step + 2, SUM, *values, label=f"sum of {name}"
        )
    if total is None:  # joints of different branches
        return program.load(name, (k, j), SUMS, 0, SX(0.0), f"{name} is zero")
    if k == j:
        total = _with_rotor(program, k, total)
    return total


def _product(program: MeshProgram, motion: MeshKinematics, k: int, i: int, j: int) -> Held:
    """What body i adds to the sum of column j, in node (k, i)."""
    here, step = (k, i), 3 * (j - k) + 1
    kept = motion.inertial[i, k] if k else motion.load[i]
    target = f"M {k},{j}" if k else f"F {j}"
    at = f"{target} of {i}", here, SUMS, step
    label = f"what body {i} adds to {target}"
    if (k, i, j) in motion.closed:
        return program.repeated(*at, PRODUCT, motion.closed[k, i, j], kept, label=label)
    c, moved = motion.c[i, j].value, _moved(program, motion, k, i, j)
    if program.machine.slides(j) or kept.numel() == 3:  # what slides has no share in what turns
        return program.repeated(*at, PRODUCT_3, moved, kept[-3:], label=label)
    return program.repeated(*at, PRODUCT, c, moved, kept, label=label)


def _moved(program: MeshProgram, motion: MeshKinematics, k: int, i: int, j: int) -> SX:
    """How joint j moves the centre of body i, as node (k, i) comes by it."""
    if j == k or program.variant == PASS or program.machine.slides(j):
        return motion.moved[i, j].value
    return program.repeated(
        f"rho x c {i},{j} in {k}",
        (k, i),
        SUMS,
        3 * (j - k),
        CROSS,
        motion.rho[i, j].value,
        motion.c[i, j].value,
        label=f"motion of body {i}'s centre about axis {j}",
    ).value


def _with_rotor(program: MeshProgram, k: int, total: Held) -> Held:
    """The reflected inertia of a drive, where there is one."""
    machine = program.machine
    rotor = machine.body(k).node.armature[machine.columns[k - 1].axis]
    if rotor.is_zero():
        return total
    value = total.value + program.stored((k, k), "rotor", rotor)
    step = 3 * (program.machine.size - k) + 2
    return program.task(f"M {k},{k} with rotor", (k, k), SUMS, step, value, f"rotor {k}")
