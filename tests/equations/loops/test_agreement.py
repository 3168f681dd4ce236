"""Machines in space: exact methods agree to 1e-9 at fifty postures each."""

from functools import lru_cache

import numpy as np
import pytest

from evaluate import close
from phalanx.equations import loops
from phalanx.equations.loops.assembly.assemble import assemble
from phalanx.equations.loops.assembly.closed_loops import closed_loops
from phalanx.equations.loops.numbers.bases import FrozenBasis, Gaussian, Qr, Svd, pseudo_inverse
from phalanx.simulation.formulations import Embedding, FreshProjection
from phalanx.simulation.formulations.projected import terms_of

from .machines import numbers

STATES = 50
METHODS = {"stewart": (loops.projection, loops.recursive), "delta": (loops.projection,)}


@lru_cache(maxsize=2)
def states(name):
    """Positions, velocities and joint forces, with the accelerations by multipliers."""
    n = numbers(name)
    rng = np.random.default_rng(7)
    start = assemble(n.mechanism).q
    found = []
    while len(found) < STATES:
        guess = n.move(start, 0.1 * rng.standard_normal(n.mechanism.nv))
        reached = closed_loops(n.mechanism).search.close(guess)
        if not reached.closes:
            continue
        A = terms_of(n.mechanism).place(reached.q)[2]
        v = rng.standard_normal(n.mechanism.nv)
        v -= pseudo_inverse(A) @ (A @ v)
        tau = 10 * rng.standard_normal(n.mechanism.nv)
        a = n(loops.multipliers, reached.q, v, tau)
        found.append((reached.q, v, tau, a))
    return found


@pytest.mark.parametrize(
    ("name", "method"), [(name, method) for name, used in METHODS.items() for method in used]
)
def test_methods(name, method):
    for q, v, tau, a in states(name):
        close(numbers(name)(method, q, v, tau), a, 1e-9)


@pytest.mark.parametrize("basis", [Gaussian(), FrozenBasis(), Svd(), Qr()], ids=str)
@pytest.mark.parametrize("name", METHODS)
def test_bases(name, basis):
    mechanism = numbers(name).mechanism
    fresh = isinstance(basis, Svd | Qr)
    machine = (FreshProjection if fresh else Embedding)(mechanism, basis)
    for q, v, tau, a in states(name):
        x = machine.begin(q, v)
        rate = machine.rate(0.0, x, lambda t, q, v, tau=tau: tau)[mechanism.nq :]
        close(rate, a if fresh else machine.N.T @ a, 1e-9)
