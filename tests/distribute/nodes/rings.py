"""Programs that know no machine, where ranks can import them."""

import numpy as np

from phalanx.distribute import nodes


@nodes.program
def ring_sum(node, size, numbers):
    """Every node passes on what its neighbour gave it, until all have heard everything.

    Then the others ask node 0 for the largest number, so that all kinds of messages travel.
    """
    passed = np.array([numbers[node]])
    total = passed
    for _ in range(size - 1):
        told = yield nodes.Share(passed, (1,) * size)
        passed = told[node - 1]
        total = total + passed
    if node:
        largest = yield nodes.Ask(np.array([numbers[node], node]), 1)
    else:
        asked = yield nodes.Listen((2,) * (size - 1))
        largest = np.array([max(numbers[0], *(float(x) for x, _ in asked))])
        yield nodes.Answer(largest)
    return {"node": node, "sum": float(total[0]), "largest": float(largest[0])}


@nodes.program
def stingy(node, size):
    """The last node tells a number less than it is asked for."""
    yield nodes.Share(np.ones(2 if node < size - 1 else 1), (2,) * size)


def undeclared(node, size):
    yield nodes.Share(np.ones(1), (1,) * size)
