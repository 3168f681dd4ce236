"""Integrators have the order they claim, on vectors and rotations, and keep what motion keeps."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import casadi as ca
import numpy as np
import pytest
from casadi import SX
from scipy.integrate import solve_ivp

import phalanx as px
from evaluate import Numbers
from phalanx import equations as eq
from phalanx.kernel.loops.loop import LoopKernel, compile_loop
from phalanx.mechanism import Body, Floating, Joint, Mechanism, Planar, Pose, Revolute, Spherical
from phalanx.simulation.integrators.integrators import FixedStep, State
from phalanx.simulation.run.adaptive import IntegrationFailed
from phalanx.simulation.run.advance import power_and_loss
from phalanx.simulation.run.compiled import unrolled_advance
from phalanx.simulation.run.plant import Plant

FIXED = (px.RungeKutta4(), px.RungeKuttaGill(), px.SemiImplicitEuler())
END = 0.5  # [s] of every run whose error is measured
# numbers of steps: fine enough for the leading term of the error, and for that of order 4 coarse
# enough to stay above rounding
HALVINGS = {1: (256, 512, 1024, 2048), 4: (32, 64, 128, 256)}


def lump(name: str) -> Body:
    return Body(name, 1.0, (0.1, 0.0, -0.3), np.diag([0.05, 0.06, 0.03]))


@cache
def machine(name: str) -> Mechanism:
    """Small machines whose positions are vectors, quaternions, or turn with the body."""
    lower = Joint("hinge", "upper", "lower", Revolute((0, 1, 0)), Pose(translation=(0, 0, -0.5)))
    match name:
        case "vector":
            return px.library.double_pendulum()
        case "spherical":
            return px.library.chain(2, "spherical", radius=0.3)
        case "floating":
            return px.with_floating_base(Mechanism(name, [lump("upper"), lump("lower")], [lower]))
        case _:
            sled = Joint("sled", "rail", "upper", Planar((0, 1, 0)))
            return Mechanism(name, [Body("rail"), lump("upper"), lump("lower")], [sled, lower])


MACHINES = ("vector", "spherical", "floating", "planar")


class Start(NamedTuple):
    q: np.ndarray
    v: np.ndarray
    push: np.ndarray


@cache
def start(name: str) -> Start:
    """A state, and the amplitude of a torque that swings at 7 rad/s."""
    m = machine(name)
    rng = np.random.default_rng(4)
    q = m.random_positions(seed=rng)
    return Start(q, rng.standard_normal(m.nv), 0.5 * rng.standard_normal(m.nv))


@cache
def truth(name: str) -> np.ndarray:
    """Positions, velocities and work at the end, by SciPy and CasADi's interpreter.

    The tolerance of 1e-12 is far below every error that is measured against it.
    """
    m, s, n = machine(name), start(name), Numbers(machine(name))

    def rates(t: float, x: np.ndarray) -> np.ndarray:
        q, v = x[: m.nq], x[m.nq : -1]
        tau = s.push * np.sin(7 * t)
        return np.concatenate([n(eq.position_rate, q, v), n.forward(q, v, tau), [tau @ v]])

    x0 = np.concatenate([s.q, s.v, [0.0]])
    return solve_ivp(rates, (0, END), x0, method="DOP853", rtol=1e-12, atol=1e-12).y[:, -1]


# the torque as a law of time, so that a method must get its own times right too
PUSH = px.Law(lambda model, t, q, v, push: push * ca.sin(7 * t), {"push": "v"})


@cache
def stepping(mechanism: Mechanism, integrator: FixedStep) -> LoopKernel:
    """Steps of a length that is an input, under a torque that swings: compiled once for all."""
    plant = Plant(px.Setup(mechanism, control=PUSH))
    field, inputs = plant.field(power_and_loss)
    sizes = {"q": mechanism.nq, "v": mechanism.nv, "z": 2, "t": 1, "h": 1}
    q, v, z, t, h = (SX.sym(name, size) for name, size in sizes.items())
    after = integrator.step(
        plant.model,
        lambda t, q, v, z: field(t, q, v, z[:0], *inputs.values())[:2],
        State(t, q, v, z),
        h,
    )
    step = ca.Function(
        "step",
        [q, v, z, t, h, *inputs.values()],
        ca.cse([after.q, after.v, after.z, after.t]),
        [*sizes, *inputs],
        ["q_next", "v_next", "z_next", "t_next"],
    )
    return compile_loop(step, 4, recorded=["q_next", "v_next", "z_next"], threads=1)


def run(mechanism, integrator, steps, h, q, v, push=None, every=1):
    """Recorded q, v, (work, loss), without the first state."""
    push = np.zeros(mechanism.nv) if push is None else push
    loop = stepping(mechanism, integrator)
    return loop(steps, q, v, np.zeros(2), [0.0], [h], push, every=every).recorded


def slopes(errors: list[float]) -> np.ndarray:
    e = np.array(errors)
    return np.log2(e[:-1] / e[1:])


def unit_error(mechanism: Mechanism, q: np.ndarray) -> float:
    """How far quaternions are from length one."""
    ends = [
        mechanism.q_slices[j.name].stop
        for j in mechanism.moving_joints
        if j.motion.nq > j.motion.nv
    ]
    lengths = [np.linalg.norm(q[..., end - 4 : end], axis=-1) for end in ends]
    return float(np.abs(np.array(lengths) - 1).max()) if ends else 0.0


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("integrator", FIXED, ids=lambda i: type(i).__name__)
def test_order(name, integrator):
    m, s, wanted = machine(name), start(name), truth(name)
    errors = []
    for n in HALVINGS[integrator.order]:
        q, v, z = run(m, integrator, n, END / n, s.q, s.v, s.push, every=n)
        errors.append(np.abs(np.concatenate([q[0], v[0], z[0, :1]]) - wanted).max())
        assert unit_error(m, q) < 1e-12
    # the next term of the error is a few per cent of the leading one at these steps
    assert np.abs(slopes(errors)[-2:] - integrator.order).max() < 0.15, errors
    assert errors[-1] < (0.02 if integrator.order == 1 else 1e-7)


@pytest.mark.parametrize("integrator", FIXED, ids=lambda i: type(i).__name__)
def test_a_symmetric_top_without_gravity(integrator):
    """Euler's closed form: the axis turns about the angular momentum, the body about its axis."""
    A, C = 0.06, 0.03
    body = Body("top", 1.0, (0, 0, 0), np.diag([A, A, C]))
    m = Mechanism("top", [Body("ground"), body], [Joint("ball", "ground", "top", Spherical())])
    w0 = np.array([1.0, 2.0, 9.0])
    L = np.array([A, A, C]) * w0
    spin = (1 - C / A) * w0[2]

    def turned(axis: np.ndarray, angle: float) -> np.ndarray:
        return np.array([*(axis * np.sin(angle / 2)), np.cos(angle / 2)])

    def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        vector = a[3] * b[:3] + b[3] * a[:3] + np.cross(a[:3], b[:3])
        return np.array([*vector, a[3] * b[3] - a[:3] @ b[:3]])

    length = np.linalg.norm(L)
    about_L = turned(L / length, length / A * END)
    wanted = product(about_L, turned(np.array([0, 0, 1.0]), spin * END))
    errors = []
    for n in HALVINGS[integrator.order]:
        q, v, _ = run(m, integrator, n, END / n, m.neutral(), w0, every=n)
        errors.append(np.abs(q[0] - wanted).max())
    assert errors[-1] < (0.02 if integrator.order == 1 else 1e-7)
    # the angular velocity in the body turns about its axis, at the rate `spin`, backwards
    c, s = np.cos(spin * END), np.sin(spin * END)
    seen = np.array([c * w0[0] + s * w0[1], -s * w0[0] + c * w0[1], w0[2]])
    assert np.abs(v[0] - seen).max() < (0.1 if integrator.order == 1 else 1e-7)
    assert np.abs(slopes(errors)[-2:] - integrator.order).max() < 0.15


@pytest.mark.parametrize("integrator", FIXED, ids=lambda i: type(i).__name__)
def test_a_thrown_body(integrator):
    """Its centre of mass flies a parabola while it tumbles."""
    m = Mechanism(
        "stone", [Body("world"), lump("stone")], [Joint("air", "world", "stone", Floating())]
    )
    n = Numbers(m)
    q0 = np.concatenate([np.zeros(3), start("floating").q[3:7]])
    v0 = np.array([1.0, -2.0, 3.0, 2.0, -1.0, 4.0])
    com = n(eq.center_of_mass, q0)
    rate = n.along(lambda q: n(eq.center_of_mass, q), q0, v0)
    flown = com + rate * END + m.gravity * END**2 / 2
    errors = []
    for k in HALVINGS[integrator.order]:
        q, _, _ = run(m, integrator, k, END / k, q0, v0, every=k)
        errors.append(np.abs(n(eq.center_of_mass, q[0]) - flown).max())
        assert unit_error(m, q) < 1e-12
    assert np.abs(slopes(errors)[-2:] - integrator.order).max() < 0.2


@pytest.mark.parametrize("integrator", FIXED, ids=lambda i: type(i).__name__)
def test_a_sliding_puck(integrator):
    """In its plane it goes straight on while its own axes, in which v is counted, turn."""
    body = Body("puck", 2.0, (0, 0, 0), np.diag([0.01, 0.02, 0.03]))
    m = Mechanism(
        "puck",
        [Body("table"), body],
        [Joint("glide", "table", "puck", Planar())],
        gravity=np.zeros(3),
    )
    errors = []
    for n in HALVINGS[integrator.order]:
        q, _, _ = run(m, integrator, n, END / n, [1.0, 2.0, 0.0], [0.5, -0.25, 6.0], every=n)
        errors.append(np.abs(q[0] - [1 + 0.5 * END, 2 - 0.25 * END, 6 * END]).max())
    assert np.abs(slopes(errors)[-2:] - integrator.order).max() < 0.15
    assert errors[-1] < (0.01 if integrator.order == 1 else 1e-9)


def energy_of(mechanism: Mechanism, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    return px.Dynamics(mechanism, threads=1).energy(q, v)


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("integrator", FIXED, ids=lambda i: type(i).__name__)
def test_energy_is_kept_to_the_order(name, integrator):
    m, s = machine(name), start(name)
    E0 = energy_of(m, s.q, s.v)
    errors = []
    for n in HALVINGS[integrator.order]:
        q, v, _ = run(m, integrator, n, END / n, s.q, s.v)
        errors.append(float(np.abs(energy_of(m, q, v) - E0).max()))
    # at least: what the method does wrong may happen to be along the level sets of the energy
    assert slopes(errors)[-2:].min() > integrator.order - 0.3, errors


def test_semi_implicit_euler_does_not_drift():
    """A thousand swings: the error of the energy breathes within each swing and does not grow."""
    pendulum = px.library.chain(1)
    h, swing = 0.01, 1000  # a swing takes about 1.7 s, so 6 h are a hundredth of one
    steps = swing * 170
    q, v, _ = run(pendulum, px.SemiImplicitEuler(), steps, h, [1.0], [0.0], every=1)
    error = energy_of(pendulum, q, v) - energy_of(pendulum, np.array([1.0]), np.zeros(1))
    first, last = error[: 170 * 20], error[-170 * 20 :]
    assert 1e-3 < np.abs(first).max() < 0.1
    # a drift of one breath in a thousand swings would show as a factor of two
    assert np.abs(last).max() < 1.02 * np.abs(first).max()
    assert abs(last.mean() - first.mean()) < 0.02 * np.abs(first).max()


def test_semi_implicit_euler_drifts_where_the_mass_matrix_changes():
    """Not symplectic in joint velocities: the drift is of first order in the step."""
    m = machine("vector")
    q0, E0 = np.array([0.6, -0.3]), energy_of(machine("vector"), np.array([0.6, -0.3]), np.zeros(2))
    drifts = []
    for n in (5000, 10_000, 20_000):
        q, v, _ = run(m, px.SemiImplicitEuler(), n, 50.0 / n, q0, np.zeros(2))
        error = energy_of(m, q, v) - E0
        late, early = error[-n // 5 :].mean(), error[: n // 5].mean()
        drifts.append(late - early)
        assert abs(late) > 3 * abs(early)  # it grows
    assert np.abs(slopes(drifts) - 1).max() < 0.1


def test_runge_kutta_loses_energy_slowly():
    """The contrast: of order 4 the energy drifts, by far less."""
    pendulum = px.library.chain(1)
    q, v, _ = run(pendulum, px.RungeKutta4(), 170_000, 0.01, [1.0], [0.0], every=100)
    error = energy_of(pendulum, q, v) - energy_of(pendulum, np.array([1.0]), np.zeros(1))
    # one way (a breath within a swing aside), and over the whole less than Euler's breath
    assert abs(error[-1]) > 1.5 * abs(error[len(error) // 2]) > 0
    assert np.abs(error).max() < 1e-3


@pytest.mark.parametrize("name", ["spherical", "floating"])
@pytest.mark.parametrize("integrator", FIXED, ids=lambda i: type(i).__name__)
def test_quaternions_stay_unit_over_many_steps(name, integrator):
    m, s = machine(name), start(name)
    q, _, _ = run(m, integrator, 20_000, 1e-3, s.q, s.v, every=10)
    assert np.isfinite(q).all()
    assert unit_error(m, q) < 1e-12


ADAPTIVE = (
    lambda tolerance: px.DormandPrince(tolerance, tolerance),
    lambda tolerance: px.DormandPrince(tolerance, tolerance, method="RK45"),
    lambda tolerance: px.Cvodes(tolerance, tolerance),
)


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("method", ADAPTIVE, ids=["DOP853", "RK45", "CVODES"])
def test_adaptive_methods_reach_their_tolerance(name, method):
    m, s, wanted = machine(name), start(name), truth(name)
    plant = Plant(px.Setup(m, control=PUSH))
    errors = {}
    for tolerance in (1e-5, 1e-7, 1e-9):
        advance = unrolled_advance(plant, method(tolerance), END)
        x0 = np.concatenate([s.q, s.v, np.zeros(3 + len(advance.lines))])
        x = advance.advance(x0, END, [s.push])
        errors[tolerance] = np.abs(x[: len(wanted)] - wanted).max()
        assert x[-1] == pytest.approx(END, abs=1e-12)
        assert unit_error(m, x[: m.nq]) < 1e-12
        # a tolerance holds for each of some hundreds of steps, whose errors add up and grow
        assert errors[tolerance] < 1000 * tolerance, errors
    assert errors[1e-9] < errors[1e-5] / 100


def test_adaptive_methods_say_where_they_fail():
    """A torque without limit in finite time: v' = v² has a pole at t = 1."""
    m = px.library.chain(1, gravity=(0, 0, 0))
    law = px.Law(lambda model, t, q, v: v * v * 1e3)
    for method in (px.DormandPrince(), px.Cvodes()):
        advance = unrolled_advance(Plant(px.Setup(m, control=law)), method, 1.0)
        with pytest.raises(IntegrationFailed, match=type(method).__name__):
            advance.advance(np.array([0.0, 1.0, *np.zeros(3 + len(advance.lines))]), 5.0, [])


@pytest.mark.parametrize(
    "method", [make(1e-9) for make in ADAPTIVE], ids=["DOP853", "RK45", "CVODES"]
)
def test_adaptive_methods_end_when_nothing_is_finite(method):
    advance = unrolled_advance(Plant(px.Setup(px.library.chain(1))), method, 0.1)
    with pytest.raises(IntegrationFailed):
        advance.advance(np.zeros(5 + len(advance.lines)), 0.1, [np.array([np.nan])])


@pytest.mark.parametrize("tolerances", [(0, 1e-9), (1e-9, -1), (np.nan, 1e-9), (1e-9, np.inf)])
def test_tolerances_are_checked(tolerances):
    for method in (px.DormandPrince, px.Cvodes):
        with pytest.raises(px.InvalidInput, match="tolerances"):
            method(*tolerances)


def test_the_scipy_method_is_checked():
    with pytest.raises(px.InvalidInput, match="RK45"):
        px.DormandPrince(method="Euler")
