"""Programs that know no machine, where ranks can import them."""

import numpy as np

from phalanx.distribute import processes


@processes.program
def ring_sum(rank, size, numbers):
    """Every process passes on what its neighbour sent, until all have received everything.

    Then the others request from rank 0 the largest number, so that all kinds of messages travel.
    """
    passed = np.array([numbers[rank]])
    total = passed
    for _ in range(size - 1):
        gathered = yield processes.AllGather(passed, (1,) * size)
        passed = gathered[rank - 1]
        total = total + passed
    if rank:
        largest = yield processes.Request(np.array([numbers[rank], rank]), 1)
    else:
        collected = yield processes.Collect((2,) * (size - 1))
        largest = np.array([max(numbers[0], *(float(x) for x, _ in collected))])
        yield processes.Reply(largest)
    return {"rank": rank, "sum": float(total[0]), "largest": float(largest[0])}


@processes.program
def heat(rank, size, numbers, rounds):
    """Numbers in a row, each replaced by the mean of itself and its neighbours, ends kept.

    Then a running sum goes along the row, and all receive the sum and the largest of all.
    """
    own = np.array([numbers[rank]])
    wanted = (int(rank > 0), int(rank < size - 1))
    for _ in range(rounds):
        before, after = yield processes.NeighbourExchange(own, own, wanted)
        if before.size and after.size:
            own = (before + own + after) / 3
    arrived, _ = yield processes.NeighbourExchange(expects=(wanted[0], 0))
    running = own + (arrived if rank else 0.0)
    yield processes.NeighbourExchange(after=running)
    total = yield processes.Sum(np.array([own[0], 1.0]))
    most = yield processes.Maximum(own)
    return [float(x) for x in (own[0], running[0], *total, most[0])]


@processes.program
def large_messages(rank, size, words):
    """Every process sends the next two messages, far more than is buffered, then receives.

    None receives before it has sent, so a send that waited for its receiver would wait for ever.
    """
    for k in range(2):
        yield processes.Send((rank + 1) % size, np.arange(float(words)) + 100 * rank + k)
    first = yield processes.Receive((rank - 1) % size, words)
    second = yield processes.Receive((rank - 1) % size, words)
    return [float(first[0]), float(second[0]), float(first.sum())]


@processes.program
def stingy(rank, size):
    """The last rank sends a number less than is expected of it."""
    yield processes.AllGather(np.ones(2 if rank < size - 1 else 1), (2,) * size)


def undeclared(rank, size):
    yield processes.AllGather(np.ones(1), (1,) * size)
