"""Parallel rivals as the source models them: costs of one evaluation along the critical processor.

Table 4.8. Forces are computed beside the inertia matrix by processors of their own and are hidden
behind it; messages are not counted. A multiplication of a T800 takes 1 us and an addition half.
Rivals work in one frame and form sums over bodies in pairs, by recursive doubling, in
ceil(log2 n) levels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum

from phalanx.base.errors import InvalidInput

MULTIPLY, ADD = 1.0, 0.5  # [us], T800


@dataclass(frozen=True)
class Cost:
    """Multiplications and additions, one after the other."""

    multiply: int
    add: int

    def __add__(self, other: Cost) -> Cost:
        """One after the other."""
        return Cost(self.multiply + other.multiply, self.add + other.add)

    def times(self, count: int) -> Cost:
        """So many times."""
        return Cost(count * self.multiply, count * self.add)

    def time(self, multiply: float = MULTIPLY, add: float = ADD) -> float:
        """How long they take [us]."""
        return self.multiply * multiply + self.add * add


class Rival(StrEnum):
    """Rival methods, with the letters of the source."""

    LEE = "L"
    WONG = "W"
    FIJANY = "F"
    HWANG = "H"


def levels(n: int) -> int:
    """ceil(log2 n): levels of recursive doubling over n bodies."""
    if n < 1:
        raise InvalidInput(f"a chain has at least one joint, got {n}.")
    return (n - 1).bit_length()


def _lee(n: int) -> Cost:
    half = n // 2 + 1  # ceil((n + 1) / 2)
    return Cost(9 * half + 31 * levels(n) + 116, 5 * half + 28 * levels(n) + 3 * n + 92)


def _fijany(n: int) -> Cost:
    return Cost(48 * levels(n) + 102, 63 * levels(n) + 66)


def _hwang(n: int) -> Cost:
    return Cost(27 * levels(n) + 6 * n + 109, 31 * levels(n) + 5 * n + 92)


INERTIA: dict[Rival, Callable[[int], Cost]] = {
    Rival.LEE: _lee,
    Rival.WONG: lambda n: Cost(22 * n + 24, 22 * n + 5),
    Rival.FIJANY: _fijany,
    Rival.HWANG: _hwang,
}


def amin_javaheri(n: int) -> int:
    """Cycles of 1 us for the inertia matrix after Amin-Javaheri and Orin, on n processors."""
    return 27 * n + 99 * levels(n) - 1


def force_cost(rival: Rival, n: int) -> Cost | None:
    """The force vector, where the source gives it."""
    match rival:
        case Rival.LEE:
            return Cost(87, 15 * levels(n) + 65)
        case Rival.WONG:
            return Cost(24 * n + 27, 19 * n + 25)
        case _:
            return None


def solver_cost(rival: Rival, n: int) -> Cost:
    """The feed-forward solver of the mesh; for rivals, factorizing and substituting on a mesh."""
    return Cost(4 * n + 1, 4 * n) if rival is Rival.WONG else Cost(7 * n - 5, 7 * n - 5)


def inertia_cost(rival: Rival, n: int) -> Cost:
    """The inertia matrix alone."""
    return INERTIA[rival](n)


def whole_cost(rival: Rival, n: int) -> Cost:
    """Inertia matrix and solver."""
    return inertia_cost(rival, n) + solver_cost(rival, n)


def longest_path_cost(rival: Rival, n: int) -> Cost:
    """As :func:`whole_cost`, with the force vector where that takes longer than the matrix.

    On the mesh it always does, so that nothing hides it there.
    """
    inertia, force = inertia_cost(rival, n), force_cost(rival, n)
    longer = inertia if force is None else max(inertia, force, key=Cost.time)
    return longer + solver_cost(rival, n)


def best_up_to(
    cost: Callable[[Rival, int], Cost],
    rival: Rival = Rival.WONG,
    among: Iterable[int] = range(2, 41),
    *,
    multiply: float = MULTIPLY,
    add: float = ADD,
) -> int:
    """The longest chain up to which a method is quicker than all others.

    Args:
        cost: What is compared, such as :func:`whole_cost`.
        rival: Whose method.
        among: Numbers of joints, growing.
        multiply: Time of a multiplication, in the units of ``add``.
        add: Time of an addition.

    Returns:
        0 when it is not the quickest for the shortest chain.
    """
    last = 0
    for n in among:
        times = {other: cost(other, n).time(multiply, add) for other in Rival}
        own = times.pop(rival)
        if min(times.values()) <= own:
            return last
        last = n
    return last


# Table 4.9: what Hwang's inertia matrix consists of, (fixed), (per level), (per joint)
HWANG_STEPS: dict[str, tuple[Cost, Cost, Cost]] = {
    "A": (Cost(4, 0), Cost(0, 0), Cost(0, 0)),
    "A0": (Cost(0, 0), Cost(27, 18), Cost(0, 0)),
    "A0 J A0'": (Cost(36, 24), Cost(0, 0), Cost(0, 0)),
    "v": (Cost(18, 15), Cost(0, 0), Cost(0, 0)),
    "x": (Cost(0, 0), Cost(0, 3), Cost(0, 0)),
    "m x": (Cost(3, 0), Cost(0, 0), Cost(0, 0)),
    "m x~2": (Cost(6, 3), Cost(0, 0), Cost(0, 0)),
    "J - m x~2": (Cost(0, 9), Cost(0, 0), Cost(0, 0)),
    "B": (Cost(6, 8), Cost(0, 0), Cost(0, 0)),
    "K": (Cost(0, 0), Cost(0, 10), Cost(0, 0)),
    "B'K": (Cost(36, 30), Cost(0, 0), Cost(0, 0)),
    "B'K B": (Cost(0, 0), Cost(0, 0), Cost(6, 5)),
}


def hwang_by_steps(n: int) -> Cost:
    """The sum of Table 4.9, which has three additions fewer than Table 4.8 says."""
    total = Cost(0, 0)
    for fixed, per_level, per_joint in HWANG_STEPS.values():
        total = total + fixed + per_level.times(levels(n)) + per_joint.times(n)
    return total


def hwang_messages(n: int) -> int:
    """Numbers that a processor of Hwang's method sends for the inertia matrix, by Table 4.9."""
    return (6 + 6 + 20) * levels(n) + 3 + 6 * (n - 1)


class ProcessorNetwork(StrEnum):
    """Networks for recursive doubling."""

    CUBE = "hypercube"
    CUBE_WITH_COPIES = "hypercube, sums formed at both ends"
    MESH = "mesh"


def doubling_hops(n: int, network: ProcessorNetwork) -> int:
    """Hops of one recursive doubling over n bodies, by §4.7.

    On a cube a level reaches one hop farther than the one before, unless both ends form every sum,
    which takes one hop each way; on a mesh a level reaches twice as far.
    """
    L = levels(n)
    match network:
        case ProcessorNetwork.CUBE:
            return L * (L + 1) // 2
        case ProcessorNetwork.CUBE_WITH_COPIES:
            return 2 * L
        case ProcessorNetwork.MESH:
            return 2**L - 1


# Table 5.4: the excavator on one T800 and on the mesh, by counting
EXCAVATOR_SERIAL = Cost(286, 209) + Cost(312, 253) + Cost(44, 24) + Cost(32, 22)
EXCAVATOR_PARALLEL = Cost(143, 115)


def excavator_speedup() -> float:
    """By the source's arithmetic: time of one processor over that of the mesh."""
    return EXCAVATOR_SERIAL.time() / EXCAVATOR_PARALLEL.time()
