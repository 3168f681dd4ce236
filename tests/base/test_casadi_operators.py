"""Quick operators make the same expressions, and leave CasADi as it was."""

from __future__ import annotations

import threading

import casadi as ca
import numpy as np
import pytest
from casadi import SX

from phalanx.base.casadi_operators import quick_operators

OPERATORS = {
    "+": lambda x, y: x + y,
    "-": lambda x, y: x - y,
    "*": lambda x, y: x * y,
    "/": lambda x, y: x / y,
    "@": lambda x, y: x @ y,
}
SYMBOLS = {
    "scalar": SX.sym("x"),
    "vector": SX.sym("v", 3),
    "row": SX.sym("r", 1, 3),
    "empty": SX.sym("e", 3, 0),
    "matrix": SX.sym("R", 3, 3),
    "sparse": SX.sym("S", ca.Sparsity.diag(3)),
    "constant": SX(0.5),
    "zero": SX(0),
}
OTHERS = SYMBOLS | {
    "float": 2.5,
    "int": 3,
    "nothing": 0.0,
    "one": 1,
    "bool": True,
    "numpy scalar": np.float64(0.25),
    "numpy vector": np.array([1.0, 2.0, 3.0]),
    "DM": ca.DM([1.0, 0.0, 2.0]),
}
METHODS = [f"__{side}{name}__" for name in ("add", "sub", "mul", "truediv") for side in ("", "r")]
INDICES = [
    *(0, 2, -1, 3, 99, slice(None), slice(0, 2), slice(None, None, 2), [0, 2]),
    *((0, 1), (2, slice(None)), (slice(None), 1), (slice(None), slice(None)), (1, slice(1, 3))),
    *((-1, 0), (0, 3), (99, 0), (True, 0), ([0, 1], 0), (0, None), None, (0,), (0, 1, 2)),
    *(np.int64(1), (np.int64(1), 0), (0, np.array([0, 1]))),
]


def outcome(operate, x, y):
    """What an operation gives, to the letter, or which error it ends with."""
    try:
        result = operate(x, y)
    except Exception as error:
        return type(error)
    return type(result), result.sparsity().info(), str(result)


@pytest.mark.parametrize("operator", OPERATORS)
def test_the_same_expression(operator):
    operate = OPERATORS[operator]
    pairs = [
        (left, right) for left in OTHERS for right in OTHERS if left in SYMBOLS or right in SYMBOLS
    ]
    usual = {pair: outcome(operate, *(OTHERS[name] for name in pair)) for pair in pairs}
    with quick_operators():
        quick = {pair: outcome(operate, *(OTHERS[name] for name in pair)) for pair in pairs}
    assert quick == usual


@pytest.mark.parametrize("name", SYMBOLS)
def test_the_same_entries(name):
    x = SYMBOLS[name]
    usual = [outcome(SX.__getitem__, x, index) for index in INDICES]
    shape = x.shape
    with quick_operators():
        assert [outcome(SX.__getitem__, x, index) for index in INDICES] == usual
        assert x.shape == shape


def test_the_class_is_left_as_it_was():
    def own():
        return [name for name in METHODS if name in vars(SX)]

    before = dict(vars(SX))

    assert own() == []
    with pytest.raises(KeyError), quick_operators():
        with quick_operators():
            assert own() == METHODS
        assert own() == METHODS
        raise KeyError
    assert own() == []
    assert dict(vars(SX)) == before


def test_threads_that_end_in_any_order():
    entered, leave = threading.Barrier(3), [threading.Event(), threading.Event()]

    def build(k):
        with quick_operators():
            entered.wait()
            leave[k].wait()

    threads = [threading.Thread(target=build, args=(k,)) for k in range(2)]
    for thread in threads:
        thread.start()
    entered.wait()
    for k in (0, 1):
        assert "__mul__" in vars(SX)
        leave[k].set()
        threads[k].join()
    assert "__mul__" not in vars(SX)
