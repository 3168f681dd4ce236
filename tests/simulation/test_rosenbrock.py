"""The linearly implicit method: of order 2 whatever it looks ahead along, and calm where stiff."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np
import pytest

import phalanx as px
from phalanx.actuators.subsystem import Actuation, Quantity
from phalanx.simulation.integrators.integrators import GROWTH
from phalanx.simulation.setup.forces.joint_forces import JointForce
from phalanx.simulation.setup.layout import Layout
from phalanx.simulation.setup.profile import Profile

from .small_subsystems import Lag, cart

END = 0.4
STEPS = (50, 100, 200)


def error(machine, steps: int, truth, **options) -> float:
    run = px.simulate(
        machine,
        duration=END,
        step=END / steps,
        integrator=px.Rosenbrock2(),
        every=steps,
        **options,
    )
    return max(np.abs(run[name][-1] - truth[name][-1]).max() for name in ("q", "v"))


def orders(machine, **options) -> np.ndarray:
    """Slopes of the error against a run without visible error."""
    exact = px.DormandPrince(1e-12, 1e-12)
    truth = px.simulate(machine, duration=END, step=END, integrator=exact, **options)
    errors = np.array([error(machine, n, truth, **options) for n in STEPS])
    assert errors[-1] > 1e-9  # or rounding is measured
    return np.log2(errors[:-1] / errors[1:])


# a law of time, position and velocity, of whose derivatives the method sees some
LAW = px.Law(lambda model, t, q, v: 3 * ca.sin(7 * t) - 8 * q - 0.5 * v)


def test_order_without_stiff_parts():
    options = {"q0": [0.6, -0.3], "v0": [0.0, 1.0]}
    np.testing.assert_allclose(orders(px.library.double_pendulum(), **options), 2, atol=0.1)


@pytest.mark.parametrize("stiff", [False, True])
def test_order_with_a_lag(stiff):
    """Looked ahead along or not: what positions and time do to the drive is never seen."""
    options = {"q0": [0.8], "control": LAW, "actuation": Lag(0.05, stiff=stiff)}
    np.testing.assert_allclose(orders(px.library.chain(1), **options), 2, atol=0.1)


@pytest.mark.parametrize("product", [1e2, 1e4, 1e6])
def test_stiff_parts_decay_at_once(product):
    """L-stable: with lambda h = -product a step leaves about 1 / product of them."""
    h = 1e-2
    drive = Lag(h / product, stiff=True)
    run = px.simulate(
        cart(), duration=10 * h, step=h, actuation=drive, states={"drive": [1.0]},
        integrator=px.Rosenbrock2(),
    )  # fmt: skip
    s = np.abs(run["drive"][:, 0])
    # R(z) = (1 + (1 - 2 gamma) z) / (1 - gamma z)² with gamma = 1 - 1/√2: about 4.83 / |z|
    gamma = 1 - 0.5**0.5
    R = (1 - (1 - 2 * gamma) * product) / (1 + gamma * product) ** 2
    np.testing.assert_allclose(s[:4], np.abs(R) ** np.arange(4), rtol=1e-6, atol=1e-15)
    assert abs(R) < 5 / product and (np.diff(s) <= 0).all()


def test_a_fast_drive_is_none():
    """At a ten-thousandth of the step it is the command itself; an explicit method is lost."""
    options = {
        "mechanism": cart(2.0),
        "duration": 0.5,
        "step": 1e-2,
        "actuation": Lag(1e-6, stiff=True),
        "control": Profile([0.0], [[3.0]]),
    }
    run = px.simulate(**options, integrator=px.Rosenbrock2())
    np.testing.assert_allclose(run["drive"][1:, 0], 3.0, rtol=1e-3)
    np.testing.assert_allclose(run["v"][:, 0], 1.5 * run.time, atol=1e-2)
    with pytest.raises(px.SimulationError, match="left finite numbers"):
        px.simulate(**options, integrator=px.RungeKutta4())


@dataclass(frozen=True)
class Ram(Actuation):
    """A chamber of oil behind a valve: p' = (B / V) (k u root(P - p) - A v), with force A p."""

    supply: float = 20e6
    area: float = 5e-3
    stiffness: float = 2e13  # B / V [Pa/m³], of a small volume of oil
    flow: float = 2e-7  # [m³/(s·√Pa)]

    def quantities(self, mechanism):
        return (Quantity("pressure", "Pa", ("chamber",), stiff=True),)

    def initial(self, mechanism, q):
        return np.zeros((*q.shape[:-1], 1))

    def commands(self, mechanism):
        return ("valve",)

    def act(self, model, q, v, s, command):
        drop = self.supply - s
        root = drop / (drop**2 + 1e4**2) ** 0.25
        return self.area * s, self.stiffness * (self.flow * command * root - self.area * v)


@dataclass(frozen=True)
class Wall(JointForce):
    """A spring and a damper."""

    def force(self, mechanism, q, v):
        return -1e6 * q - 1e4 * v


def test_a_valve_does_not_dictate_the_step():
    """It fills a ram against a wall, up to the supply's pressure.

    At the beginning oil and mass swing at 3000 rad/s, in the end pressure settles at 40 000 a
    second: steps of 1 ms are far beyond what an explicit method takes.
    """
    machine = cart(50.0)
    valve = Profile([0.0], [[1.0]])
    options = {"duration": 1.5, "control": valve, "actuation": Ram(), "forces": (Wall(),)}
    exact = px.simulate(machine, step=0.05, integrator=px.Cvodes(1e-9, 1e-9), **options)
    errors = []
    for step in (1e-3, 5e-4):
        run = px.simulate(machine, step=step, every=round(0.05 / step), **options)
        assert run.settings["integrator"] == "Rosenbrock2()"
        errors.append(np.abs(run["pressure"] - exact["pressure"]).max())
        assert run["pressure"][-1, 0] == pytest.approx(20e6, rel=1e-6)
        assert run["q"][-1, 0] == pytest.approx(20e6 * 5e-3 / 1e6, rel=1e-6)
    assert errors[0] < 20e6 / 500 and 3 < errors[0] / errors[1] < 5
    with pytest.raises(px.SimulationError, match="left finite numbers"):
        px.simulate(machine, step=1e-3, integrator=px.RungeKutta4(), **options)


def test_who_does_not_choose_gets_it_where_something_is_stiff():
    assert Layout(px.Setup(cart(), actuation=Lag(stiff=True))).default_method == px.Rosenbrock2()
    assert Layout(px.Setup(cart(), actuation=Lag())).default_method == px.RungeKutta4()


@dataclass(frozen=True)
class Growing(Actuation):
    """Something that grows, such as the pressure of oil with air in it while more oil comes."""

    rate: float

    def quantities(self, mechanism):
        return (Quantity("amount", "", ("it",), stiff=True),)

    def initial(self, mechanism, q):
        return np.ones((*q.shape[:-1], 1))

    def commands(self, mechanism):
        return ("none",)

    def act(self, model, q, v, s, command):
        return ca.SX.zeros(model.nv, 1), self.rate * s


@pytest.mark.parametrize("off", [0.0, 1e-9, -1e-3, 0.1])
def test_fast_growth_does_not_divide_by_zero(off):
    """To solve for all of it would divide by 1 - gamma h rate, which some rate makes zero."""
    h, gamma = 1e-3, 1 - 0.5**0.5
    z = (1 + off) / gamma
    run = px.simulate(
        cart(), duration=h, step=h, actuation=Growing(z / h), integrator=px.Rosenbrock2()
    )
    solved = 1 / (1 - GROWTH)
    k1 = solved * z
    k2 = solved * (z * (1 + k1) - 2 * k1)
    np.testing.assert_allclose(run["amount"][-1, 0], 1 + (3 * k1 + k2) / 2, rtol=1e-9)
    assert run["amount"][-1, 0] < np.exp(z)
