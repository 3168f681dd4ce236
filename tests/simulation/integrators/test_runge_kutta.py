"""One Runge-Kutta: symbols, arrays and nodes take the same steps, each of its order."""

import casadi as ca
import numpy as np
import pytest

import phalanx as px
from phalanx.distribute.processes import run_together
from phalanx.distribute.programs.platforms.modes import Mode, rank_program, serial
from phalanx.equations.model_of import model_of
from phalanx.simulation.formulations import Euler, RungeKutta, SlidingBlock
from phalanx.simulation.integrators.integrators import State
from phalanx.simulation.integrators.tableaux import CLASSIC, DORMAND_PRINCE, EULER, GILL

# a pendulum's rod turned by hand: x' = v, v' = cos(t) - x, from x = 1, v = 0
START, END = np.array([1.0, 0.0]), 2.0
EXACT = np.array(
    [
        np.cos(END) + END / 2 * np.sin(END),
        -np.sin(END) / 2 + END / 2 * np.cos(END),
    ]
)


class Driven:
    """The field of the example."""

    def __call__(self, t, x):
        return np.array([x[1], np.cos(t) - x[0]])

    def many(self, t, x):
        return np.array([self(*both) for both in zip(t, x, strict=True)])


def on_symbols(method, steps):
    """The method of `simulate`, evaluated by CasADi."""
    rod = px.Joint("hinge", "base", "rod", px.mechanism.Revolute())
    bodies = [px.Body("base"), px.Body("rod", 1.0, inertia=np.eye(3))]
    model = model_of(px.Mechanism("rod", bodies, [rod]))
    t, q, v, none = ca.SX.sym("t"), ca.SX.sym("q"), ca.SX.sym("v"), ca.SX(0, 1)
    field = lambda t, q, v, z: (ca.cos(t) - q, z)  # noqa: E731
    later = method.step(model, field, State(t, q, v, none), END / steps)
    step = ca.Function("step", [t, ca.vertcat(q, v)], [ca.vertcat(later.q, later.v)])
    x = ca.DM(START)
    for k in range(steps):
        x = step(k * (END / steps), x)
    return np.array(x).ravel()


def on_arrays(table):
    def run(steps):
        x, h = START, END / steps
        for k in range(steps):
            x = table.step(Driven(), k * h, x, h)
        return x

    return run


def by_steps(method):
    def run(steps):
        *_, (_, x) = method(END / steps).states(Driven(), 0.0, START, END)
        return x

    return run


class TwoNodes:
    """The state of the example, position and velocity on a node each; control is cos t."""

    sizes, slices = (1, 1), (slice(0, 1), slice(1, 2))

    def rates(self, node=None):
        whole = lambda x, u: np.array([x[1], u[0] - x[0]])  # noqa: E731
        return whole if node is None else lambda x, u: whole(x, u)[self.slices[node]]

    def landed(self, x, node=None):
        return x


def control(steps):
    return np.cos(np.arange(2 * steps + 1) * (END / steps / 2))[:, None]


def on_nodes(mode):
    def run(steps):
        seen = {}
        h, state = END / steps, TwoNodes()
        programs = [
            rank_program(state, mode, node, START, control(steps), h, seen.__setitem__)
            for node in (0, 1)
        ]
        run_together(programs)
        return seen[steps]

    return run


def alone(steps):
    return serial(TwoNodes(), TwoNodes().rates(), START, control(steps), END / steps)


USERS = {
    "symbols": (lambda steps: on_symbols(px.RungeKutta4(), steps), 4),
    "symbols, Gill": (lambda steps: on_symbols(px.RungeKuttaGill(), steps), 4),
    "arrays, Euler": (by_steps(Euler), 1),
    "arrays": (by_steps(RungeKutta), 4),
    "arrays, Gill": (on_arrays(GILL), 4),
    "arrays, Dormand and Prince": (on_arrays(DORMAND_PRINCE), 5),
    "one processor": (alone, 4),
    "nodes, replicated": (on_nodes(Mode.REPLICATED), 4),
    "nodes, stages": (on_nodes(Mode.STAGES), 4),
    "nodes, frozen": (on_nodes(Mode.FROZEN), 1),
}


@pytest.mark.parametrize("user", USERS)
def test_orders(user):
    run, order = USERS[user]
    coarse, fine = (np.abs(run(steps) - EXACT).max() for steps in (20, 40))
    assert np.log2(coarse / fine) == pytest.approx(order, abs=0.15)


def test_all_take_the_same_step_to_the_bit():
    """Arithmetic is the same; cos t is at the same moments to the bit, t = 0, h/2 and h."""
    steps = {
        name: run(1) for name, (run, order) in USERS.items() if order == 4 and "Gill" not in name
    }
    assert len(steps) == 5
    for name, x in steps.items():
        np.testing.assert_array_equal(x, steps["arrays"], err_msg=name)
    np.testing.assert_array_equal(USERS["symbols, Gill"][0](1), USERS["arrays, Gill"][0](1))


@pytest.mark.parametrize("table", [EULER, CLASSIC, GILL, DORMAND_PRINCE], ids=lambda t: t.name)
def test_stages_that_wait_are_the_step(table):
    """A loop over stages, as programs write it that wait for rates, and the step at once."""
    field, t, h = Driven(), 0.3, 0.1
    slopes = []
    for c, ahead in table.stages:
        slopes.append(field(t + c * h, ahead(START, h, *slopes)))
    np.testing.assert_array_equal(table.end(START, h, *slopes), table.step(field, t, START, h))


def test_a_sliding_block_begins_with_steps_of_dormand_and_prince():
    np.testing.assert_array_equal(by_steps(SlidingBlock)(4), on_arrays(DORMAND_PRINCE)(4))


class Text(str):
    """An expression as it is written, with what Python computes of it."""

    def __add__(self, other):
        return Text(f"({self} + {other})")

    def __sub__(self, other):
        return Text(f"({self} - {other})")

    def __mul__(self, other):
        return Text(f"{self} * {other}")

    def __rmul__(self, other):
        return Text(f"{other} * {self}")

    def __truediv__(self, other):
        return Text(f"{self} / {other}")


def written(table):
    x, h = Text("x"), Text("h")
    aheads = [ahead for _, ahead in table.stages] + [table.end]
    return [ahead(x, h, *(Text(f"k{j}") for j in range(k))) for k, ahead in enumerate(aheads)]


def test_sums_are_formed_in_one_order():
    assert written(CLASSIC) == [
        "x",
        "(x + h * 0.5 * k0)",
        "(x + h * 0.5 * k1)",
        "(x + h * k2)",
        "(x + h / 6.0 * ((k0 + 2.0 * (k1 + k2)) + k3))",
    ]
    r = 2**-0.5
    assert written(GILL)[3] == f"(x + h * ({1 + r} * k2 - {r} * k1))"
    assert written(EULER) == ["x", "(x + h * k0)"]
