"""Inverse-kinematics solver: a machine and its tasks, for batches of targets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, final

import numpy as np

from phalanx.base.arguments import checked, checked_but, finite_numbers, numbers, positive, whole
from phalanx.base.cached import cached_property
from phalanx.base.errors import InvalidInput, shown
from phalanx.dynamics.evaluators.choice import check_unrolled_size
from phalanx.equations.loops.assembly.closed_loops import closed_loops
from phalanx.mechanism import Mechanism
from phalanx.mechanism.pose import Array
from phalanx.planning.inverse_kinematics.engine import Quest, SearchKernels
from phalanx.planning.inverse_kinematics.problem import Problem, problem_of
from phalanx.planning.inverse_kinematics.solution import Solution
from phalanx.planning.inverse_kinematics.starts import shift_of_seed
from phalanx.planning.inverse_kinematics.targets import within_reach
from phalanx.planning.inverse_kinematics.tasks import FrameTask, PoseTask
from phalanx.planning.inverse_kinematics.unreachable import UnreachableTarget

TOLERANCE = 1e-8  # [m or rad]
STARTS = 32
STEPS = 30  # that a start has


class _Search(NamedTuple):
    """Arguments of a search."""

    starts: int
    posture: Any
    seed: int
    tolerance: float
    steps: int


@final
class InverseKinematics:
    """Postures in which frames of a machine are where they are wanted.

    Damped least squares within the limits of the joints, from many starts, for whole batches of
    targets in one native call. Machines with loops are found closed, to the tolerance of
    :func:`assemble`.

    >>> ik = InverseKinematics(panda, frame="panda_hand")
    >>> ik.solve(targets).converged.all()

    Attributes:
        mechanism: The machine.
        tasks: What is wanted of it.
    """

    @checked_but("mechanism")
    def __init__(
        self,
        mechanism: Mechanism,
        frame: str | None = None,
        *,
        tasks: Sequence[Any] = (),
        threads: int | None = None,
        cache: bool = True,
    ) -> None:
        """Describe the problem; the search is compiled on first use.

        Args:
            mechanism: The machine.
            frame: A frame that is to come to a pose: short for ``tasks=[PoseTask(frame)]``.
            tasks: What is wanted: :class:`PoseTask`, :class:`PointTask`, :class:`OrientationTask`,
                :class:`DirectionTask`.
            threads: For large batches; all cores when not given.
            cache: Whether compiled code is kept on disk.

        Raises:
            UnknownName: When a frame does not exist.
            InvalidInput: When no task is given, something else is one, nothing moves its frame, or
                limits leave a joint no position.
            OpenLoop: When the loops of the machine do not close.
        """
        if not isinstance(mechanism, Mechanism):
            hint = "; pass its .mechanism" if hasattr(mechanism, "mechanism") else ""
            raise InvalidInput(f"mechanism must be a Mechanism, got {shown(mechanism)}{hint}.")
        if (frame is None) == (not tasks):
            raise InvalidInput("give either frame=, or tasks=[PoseTask(frame), …].")
        wanted = list(tasks) if frame is None else [PoseTask(frame)]
        for task in wanted:
            if not isinstance(task, FrameTask):
                raise InvalidInput(
                    f"a task must be PoseTask(frame), PointTask(frame), …, got {shown(task)}."
                )
        check_unrolled_size(mechanism, "inverse kinematics is asked for")
        self._problem: Problem = problem_of(mechanism, wanted)
        self._problem.limits  # noqa: B018 - where they leave nothing, that is said now
        self._engine = SearchKernels(self._problem, threads, cache)

    def __reduce__(self) -> tuple[Any, ...]:
        """What it was made of; the search is compiled, or found in the cache, on the other side."""
        return _again, (self.mechanism, self.tasks, self._engine.threads, self._engine.cache)

    @property
    def mechanism(self) -> Mechanism:
        """The machine."""
        return self._problem.mechanism

    @property
    def tasks(self) -> tuple[FrameTask, ...]:
        """What is wanted of it."""
        return self._problem.tasks

    @property
    def parts(self) -> tuple[str, ...]:
        """Names of the parts of all tasks, "panda_hand position [m]"."""
        return self._problem.labels

    @cached_property
    def home(self) -> Array:
        """The posture that searches start from when none is given, shape (nq,).

        The middle of all limits, or zero where a joint has none; where loops are, the first posture
        that closes them, which need not keep the limits.
        """
        q = self._problem.limits.middle
        return q if not self.mechanism.loops else closed_loops(self.mechanism).first.q

    # -- interface -------------------------------------------------------------------------------

    @checked
    def __call__(
        self,
        target: Any,
        q0: Any = None,
        *,
        starts: int = STARTS,
        posture: Any = None,
        seed: int = 0,
        tolerance: float = TOLERANCE,
        steps: int = STEPS,
    ) -> Array:
        """The posture for one target, shape (nq,); see :meth:`solve` for the arguments.

        Raises:
            UnreachableTarget: No posture was found; it says which part of the target fails, and
                how close one can get.
        """
        search = _Search(starts, posture, seed, tolerance, steps)
        found = self._solved(target, q0, search)
        if found.converged.shape != ():
            raise InvalidInput(
                f"a call takes one target, got a batch of shape {found.converged.shape}; "
                "solve(targets) takes batches and says which of them converged."
            )
        if not found.converged:
            alone = self._misses_alone(target, q0, search)
            raise UnreachableTarget(self._problem, found, alone, starts)
        return found.q

    @checked
    def solve(
        self,
        targets: Any,
        q0: Any = None,
        *,
        starts: int = STARTS,
        nearest: bool = False,
        posture: Any = None,
        seed: int = 0,
        tolerance: float = TOLERANCE,
        steps: int = STEPS,
    ) -> Solution:
        """Postures for targets.

        A target is searched for from one start after the other: the first posture within tolerance
        is taken. Where none is, ``converged`` is False, and the posture is that of the least error.

        Args:
            targets: Of the task: poses (..., 4, 4) or :class:`Pose` values, places (..., 3), … Of
                several tasks: a list with one for each. Leading axes are targets.
            q0: The posture to start from, shape (..., nq); :attr:`home` when not given.
            starts: From how many postures to search at most: ``q0``, then others spread evenly.
            nearest: Whether to search from all of them, and to take the posture nearest to ``q0``
                (or ``posture``) of those within tolerance.
            posture: Preferred posture (null space), shape (..., nq): the tasks come first, and what
                they leave free is used to be near it.
            seed: Of the starts.
            tolerance: How far each part may miss [m or rad].
            steps: How many a start has.

        Raises:
            InvalidInput: A target has the wrong shape, is not finite or no rotation; another
                argument is wrong.
        """
        search = _Search(starts, posture, seed, tolerance, steps)
        if nearest:
            return _nearest(self._solved(targets, q0, search, from_each=True))
        return self._solved(targets, q0, search)

    @checked
    def from_each_start(
        self,
        targets: Any,
        q0: Any = None,
        *,
        starts: int = STARTS,
        posture: Any = None,
        seed: int = 0,
        tolerance: float = TOLERANCE,
        steps: int = STEPS,
    ) -> Solution:
        """Where every single start leads, with a last axis of starts: shape (..., starts).

        The arguments are those of :meth:`solve`.
        """
        search = _Search(starts, posture, seed, tolerance, steps)
        return self._solved(targets, q0, search, from_each=True)

    def __repr__(self) -> str:
        wanted = ", ".join(f"{type(task).__name__}('{task.frame}')" for task in self.tasks)
        return f"<InverseKinematics of '{self.mechanism.name}': {wanted}>"

    # -- how it is done --------------------------------------------------------------------------

    def _solved(
        self, targets: Any, q0: Any, search: _Search, *, from_each: bool = False
    ) -> Solution:
        target, given = self._target_numbers(targets), self._posture("q0", q0)
        starts = whole("starts", search.starts)
        whole("seed", search.seed, 0)
        tolerance = positive("tolerance", search.tolerance)
        preferred = None
        if search.posture is not None:
            limits = self._problem.limits
            wanted = self._posture("posture", search.posture)
            preferred = np.clip(wanted, limits.lower, limits.upper)
        if from_each:
            target, given = target[..., None, :], given[..., None, :]
            preferred = None if preferred is None else preferred[..., None, :]
        quest = Quest(
            target,
            given,
            self._problem.weights,
            np.full(len(self.parts), tolerance),
            shift_of_seed(search.seed, self.mechanism.nv),
            whole("steps", search.steps),
        )
        if not from_each:
            return self._engine.search(quest, np.zeros(()), np.array(float(starts)), preferred)
        each = np.arange(starts, dtype=np.float64)
        return self._engine.search(quest, each, each + 1.0, preferred)

    def _misses_alone(self, target: Any, q0: Any, search: _Search) -> list[float]:
        """How far each part of a target misses when nothing else is wanted."""
        count = len(self.parts)
        wanted = np.eye(count)
        quest = Quest(
            self._target_numbers(target),
            self._posture("q0", q0),
            wanted,
            np.where(wanted, float(search.tolerance), np.inf),
            shift_of_seed(search.seed, self.mechanism.nv),
            search.steps,
        )
        found = self._engine.search(quest, np.zeros(count), np.array(float(search.starts)))
        return [0.0 if found.converged[k] else float(found.errors[k, k]) for k in range(count)]

    def _target_numbers(self, targets: Any) -> Array:
        """All targets as rows of numbers."""
        tasks = self.tasks
        if len(tasks) == 1:
            return tasks[0].numbers(targets)
        if not isinstance(targets, list | tuple) or len(targets) != len(tasks):
            wanted = ", ".join(f"{task.wanted} for '{task.frame}'" for task in tasks)
            raise InvalidInput(
                f"{len(tasks)} tasks need a list of as many targets: {wanted}; got "
                f"{shown(targets)}."
            )
        given = [task.numbers(target) for task, target in zip(tasks, targets, strict=True)]
        try:
            leading = np.broadcast_shapes(*(x.shape[:-1] for x in given))
        except ValueError:
            shapes = ", ".join(str(x.shape[:-1]) for x in given)
            raise InvalidInput(
                f"the leading axes of the targets do not broadcast together: {shapes}."
            ) from None
        return np.concatenate([np.broadcast_to(x, (*leading, x.shape[-1])) for x in given], axis=-1)

    def _posture(self, name: str, q: Any) -> Array:
        """A posture, or many, with quaternions of length one."""
        if q is None:
            return self.home
        m = self.mechanism
        given = within_reach(name, finite_numbers(name, numbers(name, q)))
        if given.ndim < 1 or given.shape[-1] != m.nq:
            raise InvalidInput(
                f"{name} has shape {given.shape}; expected (..., {m.nq}) for '{m.name}'."
            )
        if m.nq == m.nv:
            return given
        rows = [closed_loops(m).plain.with_unit_quaternions(row) for row in given.reshape(-1, m.nq)]
        unit = np.array(rows).reshape(given.shape)
        if not np.isfinite(unit).all():
            raise InvalidInput(f"{name} holds a quaternion of length zero.")
        return unit


def _nearest(each: Solution) -> Solution:
    """Of what every start led to, the nearest that converged; else that of the least error."""
    total = np.square(each.errors).sum(axis=-1)
    rank = np.where(each.converged, each.distance, np.inf)
    which = np.where(each.converged.any(axis=-1), rank.argmin(axis=-1), total.argmin(axis=-1))
    chosen = (*np.indices(which.shape, sparse=True), which)
    return each[chosen]


def _again(
    mechanism: Mechanism, tasks: tuple[FrameTask, ...], threads: int | None, cache: bool
) -> InverseKinematics:
    return InverseKinematics(mechanism, tasks=tasks, threads=threads, cache=cache)
