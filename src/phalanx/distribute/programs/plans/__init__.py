"""Plans for processors with wires between them, carried out on ranks message for message.

A rank is one processor of a plan or several, with a private memory each. It does their tasks in the
order of the plan and sends what the plan sends, wire after wire, and nothing else.
"""

from phalanx.distribute.programs.plans.outcome import PlanOutcome
from phalanx.distribute.programs.plans.run import launch, run

__all__ = ["PlanOutcome", "launch", "run"]
__dir__ = __all__.copy
