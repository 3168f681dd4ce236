"""Joining of paths: in sequence, overlapping, or with their corner rounded (blending)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from phalanx.base.arguments import checked, time
from phalanx.base.errors import InvalidInput
from phalanx.planning.paths.path import Path
from phalanx.planning.paths.polynomials import Polynomials, between

Array = NDArray[np.float64]
State = tuple[Array, Array, Array]
PathPart = tuple[Path, float, float]  # a path, where its part begins, and how long that is

NEAR = 1e-6  # [rad or m, and per second]: what is further apart is no corner


@checked
def join(*paths: Path) -> Path:
    """Paths after each other.

    Raises:
        InvalidInput: When one does not begin where the one before ends, or not as fast.
    """
    if not paths or not all(isinstance(path, Path) for path in paths):
        raise InvalidInput("join takes one or more paths.")
    for k, (first, second) in enumerate(itertools.pairwise(paths)):
        corner = _check_corner(first, second, f"path {k + 1}", f"path {k}")
        if np.abs(corner[0][1] - corner[1][1]).max() > NEAR:
            joint = int(np.argmax(np.abs(corner[0][1] - corner[1][1])))
            raise InvalidInput(
                f"path {k} ends with a velocity of {corner[0][1][joint]:.4g} of joint {joint}, "
                f"path {k + 1} begins with {corner[1][1][joint]:.4g}; round_corner makes them one."
            )
    return _sequence([(path, 0.0, path.duration) for path in paths])


@checked
def overlap(first: Path, second: Path, duration: float) -> Path:
    """The second path begins while the first still ends: the sum of both motions.

    Both stand at the corner. Nothing stops there any more, the corner is cut, and all becomes
    shorter by the overlap. While both move, velocities and accelerations add.

    Args:
        first: A path that ends at rest.
        second: A path that begins at rest, where the first one ends.
        duration: How long both move [s], at most as long as the shorter one.

    Raises:
        InvalidInput: When they do not meet, move at the corner, or the overlap is too long.
    """
    shared = _shared("an overlap", duration, min(first.duration, second.duration))
    last, begin = _check_corner(first, second, "the second path", "the first")
    moving = max(np.abs(last[1]).max(), np.abs(begin[1]).max())
    if moving > NEAR:
        raise InvalidInput(
            f"a joint moves at the corner, by {moving:.4g} a second; paths that overlap stand "
            "there. round_corner takes paths that move."
        )
    both = _Sum(first, second, first.duration - shared, last[0])
    known = first.symbols is not None and second.symbols is not None
    duration = first.duration + second.duration - shared
    return Path(duration, both.motion, both.symbols if known else None)


@checked
def round_corner(first: Path, second: Path, duration: float) -> Path:
    """Both paths with their corner replaced by a quintic: continuous up to accelerations.

    Args:
        first: A path.
        second: A path that begins where the first one ends, maybe with another velocity.
        duration: How long before the corner the first path is left, and how long behind it the
            second is met [s]; less than either lasts.

    Raises:
        InvalidInput: When they do not meet, or the duration is too long.
    """
    shared = _shared("a rounded corner", duration, min(first.duration, second.duration))
    _check_corner(first, second, "the second path", "the first")
    leave = tuple(part[0] for part in first(np.array([first.duration - shared])))
    meet = tuple(part[0] for part in second(np.array([shared])))
    c = between(np.full((1, 1), 2 * shared), leave, meet)
    curve = Path.of(Polynomials(np.array([0.0, 2 * shared]), c.reshape(1, *c.shape[-2:])))
    parts = [
        (first, 0.0, first.duration - shared),
        (curve, 0.0, 2 * shared),
        (second, shared, second.duration - shared),
    ]
    return _sequence([part for part in parts if part[2] > 0])


def _sequence(parts: Sequence[PathPart]) -> Path:
    """Segments of paths after each other."""
    begins = np.concatenate([[0.0], np.cumsum([lasting for *_, lasting in parts])])
    whole = _Sequence(tuple(parts), begins)
    known = all(path.symbols is not None for path, *_ in parts)
    return Path(float(begins[-1]), whole.motion, whole.symbols if known else None)


@dataclass(frozen=True, eq=False)
class _Sum:
    """Two motions at once, the second one later, that share a corner."""

    first: Path
    second: Path
    later: float
    corner: Array

    def motion(self, t: Array) -> State:
        one, two = self.first(t), self.second(t - self.later)
        q, v, a = (x + y for x, y in zip(one, two, strict=True))
        return q - self.corner, v, a

    def symbols(self, t: Any) -> tuple[Any, Any, Any]:
        one = self.first.trajectory.function(t)
        two = self.second.trajectory.function(t - self.later)
        q, v, a = (x + y for x, y in zip(one, two, strict=True))
        return q - ca.DM(self.corner), v, a


@dataclass(frozen=True, eq=False)
class _Sequence:
    """Segments of paths, and when each begins in the whole."""

    parts: tuple[PathPart, ...]
    begins: Array

    def motion(self, t: Array) -> State:
        which = np.searchsorted(self.begins[1:-1], t, side="right")
        size = self.parts[0][0].motion(np.zeros(1))[0].shape[1]
        out = [np.empty((len(t), size)) for _ in range(3)]
        for k, (path, since, _) in enumerate(self.parts):
            mine = which == k
            if mine.any():
                own = np.clip(since + t[mine] - self.begins[k], 0.0, path.duration)
                for whole, part in zip(out, path.motion(own), strict=True):
                    whole[mine] = part
        return out[0], out[1], out[2]

    def symbols(self, t: Any) -> tuple[Any, Any, Any]:
        chosen: Any = None
        for begin, (path, since, _) in zip(self.begins[:-1], self.parts, strict=True):
            assert path.symbols is not None
            own = path.symbols(ca.fmax(ca.fmin(since + t - begin, path.duration), 0.0))
            if chosen is None:
                chosen = own
                continue
            chosen = [ca.if_else(t >= begin, x, y) for x, y in zip(own, chosen, strict=True)]
        q, v, a = chosen
        return q, v, a


def _shared(what: str, duration: float, most: float) -> float:
    shared = time(f"duration of {what}", duration)
    if shared > most:
        raise InvalidInput(
            f"{what} of {shared:g} s is longer than the shorter path, which takes {most:g} s."
        )
    return shared


def _check_corner(first: Path, second: Path, one: str, other: str) -> tuple[State, State]:
    """States at the end of the first and at the begin of the second."""
    last = first(first.duration)
    begin = second(0.0)
    if last[0].shape != begin[0].shape:
        raise InvalidInput(
            f"{other} moves {last[0].shape[-1]} joints and {one} {begin[0].shape[-1]}."
        )
    apart = np.abs(last[0] - begin[0])
    if apart.max() > NEAR:
        joint = int(np.argmax(apart))
        raise InvalidInput(
            f"{one} begins {apart[joint]:.4g} away from where {other} ends, in joint {joint}; "
            "paths that are joined meet."
        )
    return last, begin
