from __future__ import annotations

import numpy as np

from phalanx.kernel.llvm.ir_text import Code, Vector, number_text


def test_constants_are_exact_to_the_bit():
    kind = Vector("double", 2)
    assert kind.splat(1.0) == "<double 0x3FF0000000000000, double 0x3FF0000000000000>"
    assert kind.splat(0.0) != kind.splat(-0.0)
    # a float is written as the double of the rounded value
    assert number_text("float", 0.1) == number_text("double", float(np.float32(0.1)))
    assert number_text("float", 1e300) == number_text("double", np.inf)


def test_names_are_new_and_declarations_unique():
    code = Code()
    first = code.call("double", "f", ("double", "1.0"))
    second = code.call("double", "f", ("double", first))
    assert first != second and list(code.declarations) == ["declare double @f(double)"]
