"""Gymnasium environments of excavators, one or thousands at once; needs the extra ``gym``.

Importing this module registers ``phalanx/ExcavatorReach-v0`` and ``phalanx/ExcavatorDig-v0``, so
``gymnasium.make("phalanx.machines.excavator.environment:phalanx/ExcavatorReach-v0")`` works in a
program that has not heard of Phalanx; ``gymnasium.make_vec`` makes many.
"""

from __future__ import annotations

from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from phalanx.base.errors import InvalidInput, MissingExtra
from phalanx.machines.excavator.episodes import FARTHEST, Episodes, EpisodeStep
from phalanx.machines.excavator.tasks import DigAndDump, ExcavatorTask, ReachPoint

try:
    # the classes below have to inherit; nothing else in Phalanx imports this module
    import gymnasium
    from gymnasium.spaces import Box, Space
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ImportError as error:
    raise MissingExtra("an excavator as Gymnasium environment", "gym") from error

Observation = NDArray[np.float32]
Action = NDArray[np.float32]
Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


@final
class ExcavatorEnv(gymnasium.Env[Observation, Action]):
    """One excavator at a task.

    Actions are deflections of four sticks, -1 to 1, held for a period: swing, boom, stick and
    bucket, or radius, arc, height and bucket in RESOLVED mode. What is seen is described in
    :meth:`Episodes.observation`, what is earned in the task. An episode terminates when the task is
    done, or when the simulation fails (``info["lost"]``, reward -10), and is truncated when its
    time is over.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012, as Gymnasium declares it

    def __init__(self, task: ExcavatorTask | None = None, **options: Any) -> None:
        """Compile the machine.

        Args:
            task: What is to be done; :class:`ReachPoint` when not given.
            options: Of :class:`Episodes`: excavator, mode, period, threads.
        """
        _check_no_rendering(options)
        self.episodes = Episodes(task or ReachPoint(), 1, **({"threads": 1} | options))
        self.observation_space, self.action_space = _spaces(self.episodes)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode; with a seed, always the same one. There are no options."""
        super().reset(seed=seed)
        self.episodes.begin(np.ones(1, dtype=np.bool_), self.np_random)
        return self.episodes.observation()[0], self._info()

    def step(self, action: Action) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Hold the sticks for a period."""
        outcome = self.episodes.step(np.asarray(action)[None])
        return (
            self.episodes.observation()[0],
            float(outcome.reward[0]),
            bool(outcome.done[0] or outcome.lost[0]),
            bool(outcome.late[0]),
            self._info(outcome),
        )

    def _info(self, outcome: EpisodeStep | None = None) -> dict[str, Any]:
        return {name: values[0] for name, values in _facts(self.episodes, outcome).items()}


@final
class ExcavatorVectorEnv(VectorEnv[Observation, Action, NDArray[Any]]):
    """Many excavators at a task, in one compiled call a step.

    Each is as :class:`ExcavatorEnv`. Autoreset is ``NEXT_STEP``: the step that ends an episode
    returns its last observation, and the step after it ignores that machine's action, begins anew
    and returns the first observation with a reward of zero.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012, as Gymnasium declares it
        "render_modes": [],
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self, num_envs: int = 1024, task: ExcavatorTask | None = None, **options: Any
    ) -> None:
        """Compile the machines.

        Args:
            num_envs: How many.
            task: What is to be done; :class:`ReachPoint` when not given.
            options: Of :class:`Episodes`: excavator, mode, period, threads.
        """
        _check_no_rendering(options)
        self.episodes = Episodes(task or ReachPoint(), num_envs, **options)
        self.num_envs = self.episodes.count
        self.single_observation_space, self.single_action_space = _spaces(self.episodes)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._ended = np.ones(self.num_envs, dtype=np.bool_)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode with every machine; with a seed, always the same ones."""
        super().reset(seed=seed)
        self._ended[:] = False
        self.episodes.begin(np.ones(self.num_envs, dtype=np.bool_), self.np_random)
        return self.episodes.observation(), self._info()

    def step(self, actions: Action) -> tuple[Observation, Array, Mask, Mask, dict[str, Any]]:
        """Hold the sticks for a period; machines whose episode has ended begin anew."""
        anew = self._ended
        outcome = self.episodes.step(actions)
        self.episodes.begin(anew, self.np_random)
        terminated = (outcome.done | outcome.lost) & ~anew
        truncated = outcome.late & ~anew
        self._ended = terminated | truncated
        return (
            self.episodes.observation(),
            np.where(anew, 0.0, outcome.reward),
            terminated,
            truncated,
            self._info(outcome),
        )

    def _info(self, outcome: EpisodeStep | None = None) -> dict[str, Any]:
        facts = _facts(self.episodes, outcome)
        everyone = np.ones(self.num_envs, dtype=np.bool_)
        return facts | {f"_{name}": everyone for name in facts}


def _spaces(episodes: Episodes) -> tuple[Space[Observation], Space[Action]]:
    seen: Any = Box(-FARTHEST, FARTHEST, (episodes.width,), np.float32)
    sticks: Any = Box(-1.0, 1.0, (4,), np.float32)
    return seen, sticks


def _facts(episodes: Episodes, outcome: EpisodeStep | None) -> dict[str, NDArray[Any]]:
    """For ``info``: teeth [m], share of a heaped bucket, what was achieved, whether it was lost."""
    seen = episodes.seen()
    lost = np.zeros(episodes.count, dtype=np.bool_) if outcome is None else outcome.lost
    return {
        "tip": seen.tip.copy(),
        "load": seen.load,
        "achieved": episodes.achieved.copy(),
        "lost": lost,
    }


def _check_no_rendering(options: dict[str, Any]) -> None:
    """Gymnasium passes a render mode to environments; there is none here."""
    wanted = options.pop("render_mode", None)
    if wanted is not None:
        raise InvalidInput(
            f"render_mode={wanted!r}; these environments draw nothing. Record a run with "
            "Excavator.run() and look at it with phalanx replay."
        )


for _name, _task in (("Reach", ReachPoint()), ("Dig", DigAndDump())):
    gymnasium.register(
        f"phalanx/Excavator{_name}-v0",
        entry_point=f"{__name__}:ExcavatorEnv",
        vector_entry_point=f"{__name__}:ExcavatorVectorEnv",
        kwargs={"task": _task},
    )
