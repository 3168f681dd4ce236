"""What a kernel says of itself: signature, text, and results with a class."""

from __future__ import annotations

import inspect
import pydoc
from typing import NamedTuple

import casadi as ca
import numpy as np
import pytest

import phalanx as px
from kernel.samples import two_link_arm
from phalanx.kernel.call import direct_call


class Both(NamedTuple):
    double: np.ndarray
    square: np.ndarray


def doubled(*names: str) -> ca.Function:
    x = ca.SX.sym("x", 2)
    return ca.Function("f", [x], [2 * x, x * x], list(names), ["double", "square"])


@pytest.fixture(params=["builtin", "function"])
def kernel(request, monkeypatch):
    """The arm's, also where the interpreter cannot call machine code directly."""
    if request.param == "function":
        monkeypatch.setattr(direct_call, "available", lambda: False)
    made = px.compile(two_link_arm())
    assert inspect.isbuiltin(made.call) == (request.param == "builtin" and direct_call.available())
    return made


def test_the_signature_has_the_inputs_and_out(kernel):
    wanted = "(q, v, a, *, out=None)"
    assert str(inspect.signature(kernel)) == str(inspect.signature(kernel.call)) == wanted
    assert kernel.call.__name__ == kernel.name == "arm"
    bound = inspect.signature(kernel).bind(1, 2, a=3)
    assert bound.arguments == {"q": 1, "v": 2, "a": 3}


def test_help_has_the_shapes(kernel):
    for text in (
        kernel.__doc__,
        kernel.call.__doc__,
        pydoc.render_doc(kernel.call),
        pydoc.render_doc(kernel),
    ):
        assert "q (2,), v (2,), a (2,) -> tau (2,)" in text
        assert "out=" in text


def test_a_description_changes_the_text_and_not_the_numbers(kernel):
    state = np.random.default_rng(0).standard_normal((3, 4, 2))
    before = kernel(*state)
    old = kernel.call
    kernel.describe("forces", "Joint forces of the arm.")
    assert kernel.call.__name__ == "forces" and kernel.name == "arm"
    assert kernel.call.__doc__.startswith("Joint forces of the arm.\n\n")
    assert str(inspect.signature(kernel.call)) == "(q, v, a, *, out=None)"
    np.testing.assert_array_equal(kernel.call(*state), before)
    np.testing.assert_array_equal(old(*state), before)  # who kept it may go on


def test_texts_outlive_the_kernel(kernel):
    call = kernel.call
    del kernel
    assert "tau (2,)" in call.__doc__
    assert call(np.zeros(2), np.zeros(2), np.zeros(2)).shape == (2,)


def test_results_may_have_a_class():
    kernel = px.compile(doubled("x"))
    kernel.describe("f", "", Both)
    for x in (np.ones(2), [1.0, 1.0], np.ones((5, 2))):  # directly, and the general way
        found = kernel.call(x)
        assert type(found) is Both
        np.testing.assert_array_equal(found.double, 2 * np.asarray(x))


def test_words_of_python_may_be_names_of_inputs():
    kernel = px.compile(doubled("lambda"))
    assert str(inspect.signature(kernel.call)) == "(lambda_, *, out=None)"
    assert kernel([1.0, 2.0]).double.tolist() == [2.0, 4.0]


def test_a_class_has_a_signature_too():
    assert "target" in inspect.signature(px.Kernel).parameters
