"""Programs of vector operators for the tests of chips."""

from __future__ import annotations

import numpy as np

from phalanx.hardware.chip import VectorProgram, VectorWriter
from phalanx.hardware.chip.by_numpy import Array
from phalanx.hardware.chip.vector_program import KINDS

PORTS = 9


def random_program(rng: np.random.Generator, count: int = 40) -> VectorProgram:
    """Operations of all kinds whose operands are drawn from all that is there before."""
    writer = VectorWriter("random")
    there = [writer.given(f"given {k}") for k in range(PORTS)]

    def draw():
        return there[int(rng.integers(len(there)))]

    kinds = [*KINDS, *rng.choice(list(KINDS), count - len(KINDS))]
    for k, kind in enumerate(kinds):
        a = [draw(), draw(), draw()] if kind == "MV" else draw()
        shape = ("rows", "columns")[int(rng.integers(2))]
        there.append(writer.apply(str(kind), a, draw(), f"{k} {kind}", shape))
    for k, source in enumerate(there[-6:]):
        writer.result(f"y{k}", source, 1 + k % 3)
    return writer.program().needed()


def random_values(program: VectorProgram, rng: np.random.Generator, sets: int = 5) -> Array:
    """Vectors for all ports."""
    return rng.uniform(-1, 1, (sets, len(program.ports), 3))


def relay(count: int) -> VectorProgram:
    """Operations one after another, each of which reads the one before: x + count y."""
    writer = VectorWriter("relay")
    x, y = writer.given("x"), writer.given("y")
    for k in range(count):
        x = writer.apply("VA", x, y, f"sum {k}")
    for component in (1, 2, 3):
        writer.result(f"x{component}", x, component)
    return writer.program()


def mixing() -> VectorProgram:
    """Eight operations in which every component of every result shows in the outputs."""
    writer = VectorWriter("mixing")
    x, y, z = (writer.given(name) for name in "xyz")
    rows = [writer.given(f"row {k}") for k in range(3)]
    turned = writer.apply("MV", rows, x, "turned")
    across = writer.apply("VC", turned, y, "across")
    moved = writer.apply("VA", across, z, "moved")
    again = writer.apply("MV", rows, moved, "again", "columns")
    both = writer.apply("VA", again, turned, "both")
    square = writer.apply("VC", both, again, "square")
    woven = writer.apply("MV", (across, moved, square), both, "woven", "columns")
    last = writer.apply("MV", rows, woven, "last")
    for component in (1, 2, 3):
        writer.result(f"last {component}", last, component)
    return writer.program()
