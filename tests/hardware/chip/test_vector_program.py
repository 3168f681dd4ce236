"""Straight-line programs: what they compute, what is left out, what cannot be."""

from __future__ import annotations

import numpy as np
import pytest

from hardware.chip.samples import random_program, random_values
from phalanx.base.errors import InvalidInput
from phalanx.hardware.chip import NotOnChip, VectorProgram, VectorWriter
from phalanx.hardware.chip.vector_program import Operand, Operation, Output, Source

HOST = Source(0, from_host=True)


def test_what_operations_mean():
    writer = VectorWriter("one of each")
    x, y, z = (writer.given(name) for name in "xyz")
    for kind in ("VA", "SV", "VC", "VD"):
        writer.result(kind, writer.apply(kind, x, y, kind), 2)
    writer.result("rows", writer.apply("MV", (x, y, z), z, "rows"), 2)
    writer.result("columns", writer.apply("MV", (x, y, z), z, "columns", "columns"), 2)
    values = np.array([[[1.0, 2, 3], [4, 5, 6], [7, 8, 10]]])
    assert writer.program().evaluate(values).tolist() == [
        [7, 5, 6, 32, 4 * 7 + 5 * 8 + 6 * 10, 2 * 7 + 5 * 8 + 8 * 10]
    ]


def test_what_no_output_needs_is_left_out_and_results_stay():
    writer = VectorWriter("half of it")
    x, y, idle = (writer.given(name) for name in ("x", "y", "idle"))
    writer.apply("VA", x, idle, "for nothing")
    used = writer.apply("VC", x, y, "used")
    writer.apply("VD", used, y, "for nothing either")
    writer.result("out", writer.apply("VA", used, y, "last"), 3)
    whole = writer.program()
    needed = whole.needed()
    assert [o.name for o in needed.operations] == ["used", "last"] and needed.ports == ("x", "y")
    values = np.random.default_rng(0).uniform(-1, 1, (4, 3, 3))
    np.testing.assert_array_equal(needed.evaluate(values[:, :2]), whole.evaluate(values))


def test_the_largest_magnitude_bounds_every_word():
    rng = np.random.default_rng(3)
    for _ in range(5):
        program = random_program(rng)
        values = random_values(program, rng)
        bound = program.largest(values)
        given = program.sets(values)
        assert all(np.abs(x).max() <= bound for x in (given, *program.results(given)))


@pytest.mark.parametrize(
    ("operation", "error", "said"),
    [
        (Operation("inv", "inverse", Operand((HOST,)), Operand((HOST,))), NotOnChip, "'inverse'"),
        (Operation("root", "sqrt", Operand((HOST,)), Operand((HOST,))), NotOnChip, "square roots"),
        (Operation("m", "MV", Operand((HOST,)), Operand((HOST,))), InvalidInput, "three, as rows"),
        (Operation("s", "VA", Operand((HOST,)), Operand((HOST,) * 3)), InvalidInput, "one vector"),
        (Operation("p", "VA", Operand((Source(9, True),)), Operand((HOST,))), InvalidInput, "port"),
        (
            Operation("c", "VA", Operand((Source(0),)), Operand((HOST,))),
            InvalidInput,
            "0 operation",
        ),
    ],
)
def test_operations_that_chips_do_not_have_are_refused_by_name(operation, error, said):
    with pytest.raises(error, match=said) as caught:
        VectorProgram("p", ("x",), (operation,), ())
    assert f"'{operation.name}'" in str(caught.value)


def test_other_mistakes():
    fine = Operation("a", "VA", Operand((HOST,)), Operand((HOST,)))
    with pytest.raises(InvalidInput, match="two operations called 'a'"):
        VectorProgram("p", ("x",), (fine, fine), ())
    with pytest.raises(InvalidInput, match="component 4 of operation number 0"):
        VectorProgram("p", ("x",), (fine,), (Output("y", 0, 4),))
    with pytest.raises(InvalidInput, match=r"\(sets, 1, 3\); got \(2, 3\)"):
        VectorProgram("p", ("x",), (fine,), ()).evaluate(np.zeros((2, 3)))
    with pytest.raises(InvalidInput, match="what the host writes itself"):
        VectorWriter("p").result("y", HOST)
