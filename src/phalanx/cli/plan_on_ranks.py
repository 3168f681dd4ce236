"""Run a schedule on MPI ranks, and compare its time with that of one process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from phalanx.base.errors import InvalidInput
from phalanx.base.facts import Facts, duration
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
    from phalanx.distribute.programs.plans.rank_script import hosts_of

    if not computer.is_wired:
        raise InvalidInput(
            f"--ranks: a {computer.name} sends no messages; choose a computer with wires, such as "
            "--computer transputer-mesh, and at least 2 processors."
        )
    hosts_of(computer.processors, ranks)
    find_mpiexec()


def show_on_ranks(plan: Schedule, ranks: int) -> None:
    """Run a schedule at random numbers, on ranks and in this process, and print what it took."""
    import numpy as np

    from phalanx.distribute import PlanJob, launch, run

    program = plan.graph.program
    assert program is not None, "the command line has equations"
    rng = np.random.default_rng(0)
    state = [rng.normal(size=port.shape) for port in program.inputs]
    job = PlanJob(plan, *state, steps=STEPS)
    with console.err().status(f"Starting {ranks} ranks …"):
        there = launch(job, ranks, timeout=60.0)
    here = run(job, ranks)
    alone = run(job, 1)
    same = all(
        np.array_equal(one, other) for one, other in zip(there.outputs, here.outputs, strict=True)
    )
    words = sum(line.words for line in there.log)
    console.print_facts(
        Facts(
            [
                f"on {ranks} ranks: {sum(there.hops.values()) // STEPS} hops of messages a step, "
                f"{there.messages // STEPS} of them from rank to rank ({words // STEPS} numbers)",
                f"a step: {duration(there.seconds / STEPS)} on ranks, "
                f"{duration(here.seconds / STEPS)} with the same messages in one process, "
                f"{duration(alone.seconds / STEPS)} by one process",
                f"results: {'bitwise equal to one process' if same else 'DIFFERENT'}",
            ]
        )
    )
