"""Steps until a sample is done: each has its own number of them, whatever lies beside it."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

from phalanx.base.errors import InvalidInput
from phalanx.kernel.llvm.target import host_target
from phalanx.kernel.loops.until import compile_until

SCALARS = dict.fromkeys(("x", "n", "x_next", "n_next", "done"), ())


def collatz() -> ca.Function:
    """Half an even number, three times an odd one and one more, until it is one."""
    x, n = ca.SX.sym("x"), ca.SX.sym("n")
    half = x / 2
    following = ca.if_else(ca.floor(half) == half, half, 3 * x + 1)
    names = ["x", "n"], ["x_next", "n_next", "done"]
    return ca.Function("collatz", [x, n], [following, n + 1, following == 1], *names)


def steps_of(x: int) -> int:
    n = 0
    while True:
        x, n = x // 2 if x % 2 == 0 else 3 * x + 1, n + 1
        if x == 1:
            return n


NUMBERS = np.arange(1.0, 500.0)
STEPS = np.array([steps_of(int(x)) for x in NUMBERS])


@pytest.mark.parametrize("width", [8, 16, 32, 64])
def test_every_sample_takes_its_own_steps(width):
    target = host_target()
    if width > target.vector_bytes:
        pytest.skip("the processor has no such vectors")
    kernel = compile_until(
        collatz(), 2, shapes=SCALARS, target=target.narrowed(width), cache=False, threads=1
    )
    found = kernel(NUMBERS, 0.0)
    assert (found.x_next == 1).all()
    assert (found.n_next == STEPS).all()
    for count in (1, 7, 8, 9, 31, 33):
        assert (kernel(NUMBERS[-count:], 0.0).n_next == STEPS[-count:]).all()


def test_threads_share_the_samples():
    kernel = compile_until(collatz(), 2, shapes=SCALARS, cache=False, threads=3)
    many = np.tile(NUMBERS, 400)
    assert (kernel(many, 0.0).n_next == np.tile(STEPS, 400)).all()


def test_arrays_of_any_layout():
    x, k = ca.SX.sym("x", 3), ca.SX.sym("k", 3)
    after = x + k
    step = ca.Function("add", [x, k], [after, ca.sum1(after) >= 10], ["x", "k"], ["x1", "done"])
    kernel = compile_until(step, 1, shapes={"done": ()}, cache=False)
    start = np.zeros((4, 5, 3))
    k = np.asfortranarray(np.random.default_rng(0).uniform(0.5, 2.0, (5, 3)))
    found = kernel(start, k).x1
    count = np.ceil(10 / k.sum(axis=-1, keepdims=True))
    assert found.shape == (4, 5, 3)
    assert np.allclose(found, np.broadcast_to(count * k, found.shape), rtol=1e-14)
    assert kernel(np.zeros((0, 3)), np.ones(3)).x1.shape == (0, 3)


def test_wrong_steps():
    x = ca.SX.sym("x", 2)
    for outputs in ([x], [x, x]):  # nothing says when it is done; two numbers do
        with pytest.raises(InvalidInput, match="done"):
            compile_until(ca.Function("f", [x], outputs), 1, cache=False)
    kernel = compile_until(collatz(), 2, shapes=SCALARS, cache=False)
    with pytest.raises(InvalidInput, match=r"takes \(x, n\)"):
        kernel(1.0)
