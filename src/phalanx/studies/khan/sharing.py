"""Message counts between legs on processors of their own."""

from __future__ import annotations

from dataclasses import dataclass

from phalanx.distribute import Method, Mode, Plan, cosimulate
from phalanx.distribute.programs.platforms.state import state_of
from phalanx.mechanism import Mechanism
from phalanx.simulation.integrators.tableaux import CLASSIC

STAGES = len(CLASSIC.c)  # evaluations of a step
_STEPS, _STEP = 5, 1e-3


@dataclass(frozen=True)
class Sharing:
    """Messages of a run whose nodes compute their own part only.

    Attributes:
        messages: How often a node sends to the others, each evaluation.
        numbers: How many numbers a leg sends, each evaluation, for each number of its own state.
    """

    messages: float
    numbers: float


def measure_sharing(mechanism: Mechanism, method: Method) -> Sharing:
    """Run some steps on nodes and count what they say.

    Args:
        mechanism: A machine with loops.
        method: How its equations are cut.
    """
    plan = Plan(mechanism, method, Mode.STAGES, _STEPS * _STEP, _STEP)
    outcome = cosimulate(
        mechanism, method=method, mode=plan.mode, duration=plan.duration, step=plan.step
    )
    assert outcome is not None
    evaluations = STAGES * outcome.steps
    state = state_of(mechanism, plan.feedback, method)
    own = {part.name: size for part, size in zip(state.machine.parts, state.sizes, strict=True)}
    messages, numbers = 0.0, 0.0
    for name, sent in zip(outcome.nodes, outcome.traffic, strict=True):
        # a message to all is the same message, however many it goes to; the last one of a run only
        # brings the record to its end
        written = sent.round_trips or sent.exchanges
        messages = max(messages, written / evaluations)
        if name in own and sent.messages:
            numbers = max(numbers, sent.words / sent.messages * written / evaluations / own[name])
    return Sharing(messages, numbers)
