"""Programs that know no machine, where ranks can import them."""

import numpy as np

from phalanx.distribute import processes


@processes.program
def ring_sum(node, size, numbers):
    """Every node passes on what its neighbour gave it, until all have heard everything.

    Then the others ask node 0 for the largest number, so that all kinds of messages travel.
    """
    passed = np.array([numbers[node]])
    total = passed
    for _ in range(size - 1):
        told = yield processes.Share(passed, (1,) * size)
        passed = told[node - 1]
        total = total + passed
    if node:
        largest = yield processes.Ask(np.array([numbers[node], node]), 1)
    else:
        asked = yield processes.Listen((2,) * (size - 1))
        largest = np.array([max(numbers[0], *(float(x) for x, _ in asked))])
        yield processes.Answer(largest)
    return {"node": node, "sum": float(total[0]), "largest": float(largest[0])}


@processes.program
def heat(node, size, numbers, rounds):
    """Numbers in a row, each replaced by the mean of itself and its neighbours, ends kept.

    Then a running sum goes along the row, and all hear the sum and the largest of all.
    """
    own = np.array([numbers[node]])
    wanted = (int(node > 0), int(node < size - 1))
    for _ in range(rounds):
        before, after = yield processes.Pass(own, own, wanted)
        if before.size and after.size:
            own = (before + own + after) / 3
    arrived, _ = yield processes.Pass(expects=(wanted[0], 0))
    running = own + (arrived if node else 0.0)
    yield processes.Pass(after=running)
    total = yield processes.Sum(np.array([own[0], 1.0]))
    most = yield processes.Largest(own)
    return [float(x) for x in (own[0], running[0], *total, most[0])]


@processes.program
def letters(node, size, words):
    """Everybody tells the next node two letters, far more than is under way at a time, then hears.

    Nobody hears before it has told, so a letter that waited to be heard would wait for ever.
    """
    for k in range(2):
        yield processes.Tell((node + 1) % size, np.arange(float(words)) + 100 * node + k)
    first = yield processes.Hear((node - 1) % size, words)
    second = yield processes.Hear((node - 1) % size, words)
    return [float(first[0]), float(second[0]), float(first.sum())]


@processes.program
def stingy(node, size):
    """The last node tells a number less than it is asked for."""
    yield processes.Share(np.ones(2 if node < size - 1 else 1), (2,) * size)


def undeclared(node, size):
    yield processes.Share(np.ones(1), (1,) * size)
