"""A plan carried out on MPI ranks from the command line, and what that costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from phalanx.base.errors import InvalidInput
from phalanx.cli import console

if TYPE_CHECKING:
    from phalanx.multiprocessor import Computer, Schedule

STEPS = 100  # of which one costs the mean


def check_ranks(computer: Computer, ranks: int) -> None:
    """Fail before the work, not after it.

    Raises:
        InvalidInput: The computer has no wires, or fewer processors than there are ranks.
        MissingExtra: There is no MPI.
    """
    from phalanx.distribute.processes.launch import find_mpiexec
    from phalanx.distribute.programs.plans.hosts import hosts_of

    if not computer.is_wired:
        raise InvalidInput(
            f"--ranks: a {computer.name} sends no messages; choose a computer with wires, such as "
            "--computer transputer-mesh, and at least 2 processors."
        )
    hosts_of(computer.processors, ranks)
    find_mpiexec()


def show_on_ranks(plan: Schedule, ranks: int) -> None:
    """Carry a plan out at random numbers, on ranks and in this process, and say what it took."""
    import numpy as np

    from phalanx.distribute.programs import plans

    program = plan.graph.program
    assert program is not None, "the command line has equations"
    rng = np.random.default_rng(0)
    state = [rng.normal(size=port.shape) for port in program.inputs]
    with console.err().status(f"Starting {ranks} ranks …"):
        there = plans.launch(plan, *state, ranks=ranks, steps=STEPS, timeout=60.0)
    here = plans.run(plan, *state, nodes=ranks, steps=STEPS)
    alone = plans.run(plan, *state, nodes=1, steps=STEPS)
    same = all(
        np.array_equal(one, other) for one, other in zip(there.outputs, here.outputs, strict=True)
    )
    words = sum(line.words for line in there.log)
    console.out().print(
        f"on {ranks} ranks: {sum(there.hops.values()) // STEPS} hops of messages a step, "
        f"{there.letters // STEPS} of them from rank to rank ({words // STEPS} numbers)\n"
        f"a step: {console.duration(there.seconds / STEPS)} on ranks, "
        f"{console.duration(here.seconds / STEPS)} with the same messages in one process, "
        f"{console.duration(alone.seconds / STEPS)} by one node\n"
        f"results: {'the same as in one process, to the last bit' if same else 'DIFFERENT'}",
        soft_wrap=True,
    )
