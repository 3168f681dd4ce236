"""Run a program on processes: all in this process, or this rank's part of a job."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from phalanx.base.errors import InvalidInput
from phalanx.distribute.processes.inprocess import run_together
from phalanx.distribute.processes.messages import Finished, Traffic
from phalanx.distribute.processes.program_registry import Make
from phalanx.distribute.processes.ranks import Ranks


def run(
    make: Make, nodes: int, arguments: Mapping[str, Any] | None = None, ranks: Ranks | None = None
) -> Finished | None:
    """Run a program on some nodes.

    Without ``ranks`` all nodes run in this process. With them every rank of the job calls this with
    the same arguments and runs its own node; if one fails, the others wait in vain, unless the call
    is inside ``ranks.ending_the_job()``.

    Args:
        make: ``make(node, nodes, **arguments)`` is the program of a node.
        nodes: How many there are.
        arguments: What the program is told.
        ranks: The ranks of an MPI job, as many as nodes.

    Returns:
        Results and traffic of all nodes; None on all ranks but the first. On ranks, results are
        plain data.

    Raises:
        InvalidInput: There are not as many ranks as nodes, or none, or results are not plain data.
        StalledRank: A rank did not answer in time.
        UnmatchedMessages: What nodes say does not fit together.
    """
    told = dict(arguments or {})
    if nodes < 1:
        raise InvalidInput(f"nodes={nodes}; expected at least one.")
    if ranks is None:
        return run_together([make(node, nodes, **told) for node in range(nodes)])
    if ranks.size != nodes:
        raise InvalidInput(f"{nodes} nodes need as many ranks; there are {ranks.size}.")
    own = make(ranks.rank, nodes, **told)
    ranks.meet()
    result, traffic = ranks.run(own)
    everyone = ranks.collect([result, traffic.as_json()])
    if not everyone:
        return None
    return Finished(
        tuple(result for result, _ in everyone), tuple(Traffic(**sent) for _, sent in everyone)
    )
