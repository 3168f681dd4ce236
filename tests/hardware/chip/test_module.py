"""One module: what each microprogram leaves in which unit."""

from __future__ import annotations

import numpy as np
import pytest

from phalanx.hardware.chip import TABLE_VII_1, Double
from phalanx.hardware.chip.module import Module

A, B = np.array([2.0, -3.0, 5.0]), np.array([7.0, 11.0, -13.0])
EXPECTED = {
    "VA": A + B,
    "SV": A[0] * B,
    "VC": np.cross(A, B),
    "VD": np.full(3, A @ B),
    "MV": np.full(3, A @ B),  # of a matrix whose rows are all A
}


@pytest.mark.parametrize("component", [1, 2, 3])
@pytest.mark.parametrize("operation", TABLE_VII_1)
def test_a_module_computes_its_component(operation, component):
    module = Module(component, Double(), list(A), list(B))
    code = TABLE_VII_1[operation]
    for instruction in code.instructions:
        module.step(instruction)
    assert module.units[code.result] == EXPECTED[operation][component - 1]


def test_buses_carry_what_units_held_when_the_flop_began():
    module = Module(3, Double(), list(A), list(B))
    first, second, _ = TABLE_VII_1["MV"].instructions
    module.step(first)
    assert (module.units["M1"], module.units["M2"]) == (A[2] * B[2], A[1] * B[1])
    module.step(second)  # multiplier 1 is read and written in the same Flop
    assert module.units["ADD"] == A[2] * B[2] + A[1] * B[1]
    assert module.units["M1"] == A[0] * B[0]
