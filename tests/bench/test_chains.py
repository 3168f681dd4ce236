"""Methods inside one chain: digits against the decimal reference, and pictures of them."""

from __future__ import annotations

import numpy as np
import pytest

import phalanx as px
from phalanx.bench.chains.accuracy import CONTESTANTS, MOST_BODIES, Accuracy, accuracies
from phalanx.bench.chains.comparison import ChainComparison
from phalanx.bench.chains.extended import forward_dynamics, relative_error
from phalanx.bench.chains.methods import METHODS
from phalanx.bench.chains.plot import ROUNDING, Curve, plot_accuracy, plot_lengths
from phalanx.bench.chains.states import draw
from phalanx.bench.clock import TimingEffort
from phalanx.dynamics.evaluators.bodies import bodies_of
from phalanx.dynamics.evaluators.choice import SIZES
from phalanx.dynamics.evaluators.method import Method

LONG = SIZES["quantity"].traversed_from

# what double precision leaves of a short chain; an iteration stops at 1e-13 of its forces, which
# accelerations of light rods amplify
ENOUGH = {"constraint-iteration": 1e-9}


def chain(joint: str, bodies: int) -> px.Mechanism:
    return px.library.chain(bodies, joint, alternate=joint == "revolute")


@pytest.mark.parametrize("joint", ["universal", "spherical"])  # hinges: see tests of the command
def test_every_method_agrees_with_fifty_digits(joint: str) -> None:
    found = list(accuracies([5], [joint]))
    assert {row.method for row in found} == set(METHODS)
    for row in found:
        assert row.refused is None, row
        assert row.error < ENOUGH.get(row.method, 1e-11), row


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("posture", ["random", "hanging"])
@pytest.mark.parametrize(
    ("joint", "bodies"),
    [("revolute", LONG), ("universal", LONG // 2 + 1), ("spherical", LONG)],
)
def test_what_dynamics_takes_is_as_exact_as_the_sweep(
    joint: str, bodies: int, posture: str, threads: int
) -> None:
    """Ten times its error at most: the rule by which `Dynamics` chooses among methods."""
    machine = chain(joint, bodies)
    nodes, states = bodies_of(machine), draw(machine, posture, seed=1)
    reference = _references(joint, bodies, posture)
    swept = METHODS["serial"].solver(nodes, 1).accelerations(*states.arguments)
    chosen = px.Dynamics(machine, threads=threads).forward_dynamics(*states.arguments[:3])
    error = relative_error(swept[0], reference)
    assert error < 1e-12
    assert relative_error(chosen[0], reference) <= 10 * max(error, ROUNDING)


_KEPT: dict[tuple[str, int, str], np.ndarray] = {}


def _references(joint: str, bodies: int, posture: str) -> np.ndarray:
    key = joint, bodies, posture
    if key not in _KEPT:
        machine = chain(joint, bodies)
        states = draw(machine, posture, seed=1)
        one = (x[0] for x in states.arguments)
        _KEPT[key] = forward_dynamics(bodies_of(machine), *one)
    return _KEPT[key]


def test_a_wrong_method_shows() -> None:
    """The measure can fail: accelerations that are off by 1e-9 are seen as such."""

    class Wrong(Method):
        name = "wrong"

        def solver(self, bodies, threads):
            right = METHODS["serial"].solver(bodies, threads)

            class Solver(type(right).__mro__[1]):
                depth = 1

                def accelerations(self, *arguments, external=None):
                    return (1 + 1e-9) * right.accelerations(*arguments)

            return Solver()

    (row,) = accuracies([6], ["revolute"], ["random"], {"wrong": Wrong()})
    assert row.error == pytest.approx(1e-9, rel=1e-3)
    machine = chain("revolute", 6)
    comparison = ChainComparison(bodies_of(machine), draw(machine, "random"), 1)
    (measured,) = comparison.measure({"wrong": Wrong()}, TimingEffort(turn=1e-5, rounds=1))
    assert measured.error == pytest.approx(1e-9, rel=1e-3)
    assert 1e-11 < measured.residual < 1e-8


def test_residuals_by_passes_are_those_in_decimals(monkeypatch) -> None:
    machine = chain("universal", 5)
    nodes, states = bodies_of(machine), draw(machine, "random")
    a = METHODS["serial"].solver(nodes, 1).accelerations(*states.arguments)[0] * (1 + 1e-6)
    exactly = ChainComparison(nodes, states, 1).residual(a)
    monkeypatch.setattr("phalanx.bench.chains.comparison.DECIMAL_NODES", 1)
    assert ChainComparison(nodes, states, 1).residual(a) == pytest.approx(exactly, rel=1e-6)


def test_states_are_drawn_from_their_seed() -> None:
    machine = chain("spherical", 3)
    first, again, other = (draw(machine, "random", 2, seed) for seed in (1, 1, 2))
    for x, y, z in zip(first.arguments[:3], again.arguments, other.arguments, strict=False):
        assert np.array_equal(x, y) and not np.array_equal(x, z)
    assert np.array_equal(draw(machine, "hanging", 2).q, np.tile(machine.neutral(), (2, 1)))


def test_figures_have_a_line_for_each_method_and_units() -> None:
    rows = [
        Accuracy(joint, posture, n, method, 1e-15 * n)
        for joint in ("revolute", "spherical")
        for posture in ("random", "hanging")
        for n in (4, 8)
        for method in ("serial", "scan")
    ]
    figure = plot_accuracy([*rows, Accuracy("revolute", "random", 16, "scan", None, "no")])
    assert len(figure.axes) == 4
    assert all(len(axes.get_lines()) == 3 for axes in figure.axes)  # and that of rounding
    (axes,) = plot_lengths([Curve("ours", (1, 10), (1e-6, 1e-5), {})], "title").axes
    assert axes.get_ylabel() == "time of one forward dynamics [s]"
    assert axes.get_xscale() == axes.get_yscale() == "log"


def test_caps_are_of_methods_that_are_there() -> None:
    assert set(MOST_BODIES) <= set(METHODS) == set(CONTESTANTS)
