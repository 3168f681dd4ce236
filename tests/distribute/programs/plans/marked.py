"""A rank of a plan that leaves a mark when it is under way, where ranks can import it."""

import os
from pathlib import Path

from phalanx.distribute import processes
from phalanx.distribute.programs.plans.planned_rank import planned

MARK = "MARK_OF_A_PLAN"  # in the environment: a file that rank 1 writes
UNDER_WAY = 50  # messages


@processes.program
def marked(rank, size, job):
    return _marked(planned(rank, size, job), Path(os.environ[MARK]) if rank == 1 else None)


def _marked(program, mark):
    reply, count = None, 0
    while True:
        try:
            message = program.send(reply)
        except StopIteration as end:
            return end.value
        count += 1
        if mark is not None and count == UNDER_WAY:
            mark.write_text(str(os.getpid()))
        reply = yield message
