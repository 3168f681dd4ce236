"""Message counts of legs on processors of their own, measured in a run."""

from __future__ import annotations

from dataclasses import dataclass

from phalanx.distribute import LoopMethod, Mode, PlatformJob, run
from phalanx.distribute.programs.platforms.state import state_of
from phalanx.mechanism import Mechanism
from phalanx.simulation.integrators.tableaux import CLASSIC

STAGES = len(CLASSIC.c)  # evaluations of a step
_STEPS, _STEP = 5, 1e-3


@dataclass(frozen=True)
class Sharing:
    """Messages of a run whose processes compute their own part only.

    Attributes:
        messages: How often a process sends something to the others, each evaluation.
        numbers: How many numbers a leg sends, each evaluation, for each number of its own state.
    """

    messages: float
    numbers: float


def measure_sharing(mechanism: Mechanism, method: LoopMethod) -> Sharing:
    """Run some steps on several processes and count their messages.

    Args:
        mechanism: A machine with loops.
        method: How its equations are divided.
    """
    job = PlatformJob(mechanism, method, Mode.STAGES, _STEPS * _STEP, _STEP)
    result = run(job)
    evaluations = STAGES * result.steps
    state = state_of(mechanism, job.feedback, method)
    own = {one.name: size for one, size in zip(state.machine.branches, state.sizes, strict=True)}
    messages, numbers = 0.0, 0.0
    for name, sent in zip(result.processes, result.traffic, strict=True):
        # a message to all is one message, however many it goes to; the last one of a run only
        # brings the record to its end
        written = sent.round_trips or sent.exchanges
        messages = max(messages, written / evaluations)
        if name in own and sent.messages:
            numbers = max(numbers, sent.words / sent.messages * written / evaluations / own[name])
    return Sharing(messages, numbers)
