"""Operation counts of one solution by constraint forces, from its code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from phalanx.dynamics.evaluators.constraint_forces import blocks
from phalanx.dynamics.evaluators.constraint_forces.joint_steps import (
    acceleration_step,
    contribution_step,
    turning_step,
)
from phalanx.dynamics.evaluators.constraint_forces.jointed import JointedBodies
from phalanx.kernel import count_operations


@final
@dataclass(frozen=True)
class SolutionCost:
    """Operations of machine code for a chain.

    Attributes:
        once: For A, b and its blocks' inverses before an iteration, and accelerations after it.
        serial: The part of that in which bodies wait for each other: their angular velocities.
        step: For each step of an iteration of three terms, inner products with it.
    """

    once: int
    serial: int
    step: int

    def of(self, iterations: float) -> float:
        """For one solution."""
        return self.once + iterations * self.step


def work_of(jointed: JointedBodies) -> SolutionCost:
    """Count the arithmetic of a machine without siblings."""
    width, n = jointed.structure.width, len(jointed)
    serial = once = 0
    for kind in jointed.kinds:
        turning = count_operations(turning_step(kind)).total
        own = (contribution_step(kind, width), acceleration_step(kind))
        serial += len(kind.members) * turning
        once += len(kind.members) * (turning + sum(count_operations(f).total for f in own))
    kernels = (
        blocks.assemble_kernel(width, 1),
        blocks.invert_kernel(width, 1),
        blocks.wrench_kernel(width, 1),
        # for b and for the start; before and after constraint forces are known
        *(2 * [blocks.apply_kernel(width, 1)]),
        *(2 * [blocks.accelerate_kernel(1)]),
    )
    once += n * sum(kernel.operations.total for kernel in kernels)
    steps = (blocks.product_kernel(width, 1), blocks.three_term_kernel(width, 1))
    # (z, A z), and sums of four products over all joints
    inner = 2 * width + 4
    return SolutionCost(
        once, serial, n * (inner + sum(kernel.operations.total for kernel in steps))
    )
