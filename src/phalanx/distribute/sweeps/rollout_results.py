"""Results of a batch of runs: ends, signals, statistics, and why some of them ended early."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from phalanx.distribute.sweeps.chunk import Array, Chunk, Variable
from phalanx.distribute.sweeps.signals import STATISTICS, Signals
from phalanx.simulation.batch.result import RolloutResult
from phalanx.simulation.run.divergence import Cause

COST = "cost"


def chunk_of(
    done: RolloutResult, numbers: Sequence[int], variables: Mapping[str, Variable], signals: Signals
) -> Chunk:
    """The chunk that a batch makes; runs that diverged are failures.

    Args:
        done: The batch; one run for all where nothing is varied.
        numbers: Of the cases, in the study.
        variables: What is kept.
        signals: Of the runs.
    """
    count = len(numbers)
    ended = np.broadcast_to(done.diverged, count)
    results = {}
    for name, variable in variables.items():
        array = np.asarray(_kept(done, name, signals))
        results[name] = np.array(np.broadcast_to(array, (count, *variable.shape)))
        results[name][ended] = np.nan
    return Chunk(results, _reasons(done, ended, numbers))


def _kept(done: RolloutResult, name: str, signals: Signals) -> Array:
    if name == COST:
        assert done.cost is not None
        return done.cost
    base, what = signals.signal(name)
    if what == "end":
        return {"q": done.final_q, "v": done.final_v, **done.final_states}[base]
    whole = {"q": done.q, "v": done.v, "tau": done.tau, **done.states}[base]
    assert whole is not None
    whole = whole if whole.ndim > 2 else whole[None]
    return STATISTICS[what](whole) if what else whole


def _reasons(done: RolloutResult, ended: Array, numbers: Sequence[int]) -> dict[int, str]:
    step = np.broadcast_to(done.divergence.step, len(numbers))
    cause = np.broadcast_to(done.divergence.cause, len(numbers))
    return {
        numbers[k]: f"in step {step[k]}: {Cause(int(cause[k])).words}"
        for k in np.flatnonzero(ended).tolist()
    }
