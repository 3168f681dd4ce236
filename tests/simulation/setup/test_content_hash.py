"""Keys of values: equal where nothing tells two values apart, and only there."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property, partial
from pathlib import Path

import casadi as ca
import numpy as np
import pytest

import phalanx as px
from phalanx.simulation.setup.content_hash import NoContent, content

GAIN = [2.0]


class Colour(Enum):
    RED = 1
    BLUE = 2


@dataclass(frozen=True)
class Spring:
    stiffness: float
    table: dict[str, float] = field(default_factory=dict)

    @cached_property
    def half(self):
        return self.stiffness / 2


class Free:
    """Not a dataclass."""

    def __init__(self, size):
        self.size = size

    def grown(self, x):
        return self.size * x * GAIN[0]


class Slotted:
    __slots__ = ("size",)

    def __init__(self, size):
        self.size = size


def scaled(gain):
    return lambda x: gain * x


def module_gain(x):
    return GAIN[0] * x


FUNCTION = ca.Function("f", [ca.SX.sym("x")], [ca.SX(1.0)])

# by what it is called: makes a value anew; two of one name are equal, of two names differ
VALUES = {
    "none": lambda: None,
    "zero": lambda: 0,
    "zero as a float": lambda: 0.0,
    "minus zero": lambda: -0.0,
    "false": lambda: False,
    "one": lambda: 1.0,
    "the next number": lambda: np.nextafter(1.0, 2.0),
    "the same number as text": lambda: "1.0",
    "NaN": lambda: float("nan"),
    "NumPy's one": lambda: np.float64(1.0),
    "single one": lambda: np.float32(1.0),
    "array": lambda: np.array([1.0, 2.0]),
    "a row": lambda: np.array([[1.0, 2.0]]),
    "single array": lambda: np.array([1.0, 2.0], dtype=np.float32),
    "list": lambda: [1.0, 2.0],
    "tuple": lambda: (1.0, 2.0),
    "nested": lambda: ((1.0,), 2.0),
    "set": lambda: {1.0, 2.0},
    "slice": lambda: slice(1, 2),
    "table": lambda: {"a": 1.0, "b": 2.0},
    "table in another order": lambda: {"b": 2.0, "a": 1.0},
    "matrix": lambda: ca.DM([1.0, 0.0]),
    "sparse matrix": lambda: ca.sparsify(ca.DM([1.0, 0.0])),
    "path": lambda: Path("a"),
    "choice": lambda: Colour.RED,
    "other choice": lambda: Colour.BLUE,
    "spring": lambda: Spring(1.0),
    "stiffer spring": lambda: Spring(2.0),
    "spring with a table": lambda: Spring(1.0, {"a": 1.0}),
    "free": lambda: Free(1.0),
    "free of another size": lambda: Free(2.0),
    "slotted": lambda: Slotted(1.0),
    "slotted of another size": lambda: Slotted(2.0),
    "closure": lambda: scaled(1.0),
    "closure over another": lambda: scaled(2.0),
    "closure over an array": lambda: scaled(np.ones(2)),
    "method": lambda: Free(1.0).grown,
    "partial": lambda: partial(scaled, 1.0),
    "another partial": lambda: partial(scaled, 2.0),
    "builtin": lambda: len,
    "ufunc": lambda: np.sin,
    "function of CasADi": lambda: FUNCTION,
    "class": lambda: Free,
    "machine": px.library.double_pendulum,
    "other machine": lambda: px.library.chain(2),
    "damping": px.Damping,
    "stops": px.Stops,
    "softer stops": lambda: px.Stops(stiffness=1e3),
    "law": lambda: px.proportional_derivative([0.0, 1.0], stiffness=1.0, damping=1.0),
    "law of another target": lambda: px.proportional_derivative(
        [0.0, 2.0], stiffness=1.0, damping=1.0
    ),
    "law with an input": lambda: px.proportional_derivative(stiffness=1.0, damping=1.0),
    "computed torque": lambda: px.computed_torque([0.0, 1.0], stiffness=1.0, damping=1.0),
    "motion": lambda: px.planning.cycloid(1.0, [0.0], [1.0]),
    "longer motion": lambda: px.planning.cycloid(2.0, [0.0], [1.0]),
    "feedforward": lambda: px.feedforward(px.planning.cycloid(1.0, [0.0], [1.0])),
    "feedforward of a wave": lambda: px.feedforward(px.planning.wave(1.0, [0.0], [1.0])),
    "follow": lambda: px.track(px.planning.cycloid(1.0, [0.0], [1.0]), stiffness=1.0, damping=1.0),
}


def test_equal_values_have_equal_keys_and_no_others():
    keys = {name: content(make()) for name, make in VALUES.items()}
    for name, make in VALUES.items():
        again = content(make())
        assert hash(again) == hash(keys[name])
        assert [other for other, key in keys.items() if key == again] == [name]


def test_memory_layout_does_not_count():
    table = np.arange(6.0).reshape(2, 3)
    assert content(np.asfortranarray(table)) == content(table)


def test_a_function_is_what_it_sees(monkeypatch):
    here = content(module_gain)
    array = np.ones(2)
    closure = scaled(array)
    before, method = content(closure), content(Free(1.0).grown)
    array[0] = 5.0
    assert content(closure) != before
    monkeypatch.setitem(globals(), "GAIN", [3.0])
    assert content(module_gain) != here
    assert content(Free(1.0).grown) != method  # by what a method sees


def test_marks_are_themselves():
    mark = object()
    assert content(mark) == content(mark) != content(object())


def test_what_an_object_found_out_does_not_count():
    one, other = Spring(1.0), Spring(1.0)
    assert one.half == 0.5
    assert content(one) == content(other)


def test_what_holds_itself_has_a_key():
    def forever(n):
        return forever(n - 1) if n else 0

    loop: list = []
    loop.append(loop)
    assert content(forever) == content(forever)
    assert content(loop) == content(loop) != content([[]])


@pytest.mark.parametrize(
    "value",
    [
        ca.SX.sym("x"),
        ca.MX.sym("x"),
        (k for k in range(3)),
        random.Random(0),
        np.random.default_rng(0),
        np.array([object()]),
        [].append,
        Free(iter([])),
        scaled(ca.SX.sym("x")),
        pytest,  # a module whose names may change
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_cannot_be_looked_into_has_no_key(value):
    with pytest.raises(NoContent):
        content(value)


def test_setups_are_compared_by_content():
    def make(**changes):
        law = px.proportional_derivative(np.zeros(2), stiffness=4.0, damping=1.0)
        return replace(px.Setup(px.library.double_pendulum(), control=law), **changes)

    assert make() == make()
    assert len({make(), make()}) == 1
    arm = px.library.double_pendulum()
    others = [
        make(control=None),
        make(forces=()),
        make(mechanism=replace(arm, gravity=(0, 0, -1.0))),
        make(wrenches=(arm.bodies[-1].name,)),
        make(parameters=("gravity",)),
    ]
    assert len({make(), *others}) == 6
    hidden = make(control=px.Law(scaled(ca.SX.sym("x"))))
    assert hidden == hidden and hidden != replace(hidden)
    assert len({hidden, replace(hidden)}) == 2
    assert make() != "a setup"
