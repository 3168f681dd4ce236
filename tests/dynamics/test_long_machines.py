"""Long machines: traversal of their bodies behind the calls of unrolled code."""

from __future__ import annotations

import logging
import time
from dataclasses import replace

import numpy as np
import pytest

import phalanx as px
import strategies
from phalanx.dynamics.evaluators.choice import SIZES, Sizes
from phalanx.dynamics.evaluators.traversed import matrices
from phalanx.dynamics.evaluators.traversed.evaluator import Traversed
from phalanx.dynamics.evaluators.unrolled import Unrolled
from phalanx.mechanism import Body, Floating, Joint, Mechanism, Revolute

Array = np.ndarray


@pytest.fixture
def everything_is_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SIZES, "quantity", Sizes(0, 3000))


@pytest.fixture(scope="module")
def menagerie() -> Mechanism:
    """One machine with every kind of joint, rotors, springs and a massless leaf."""
    return strategies.with_springs(px.release_mimics(strategies.menagerie()), 3)


@pytest.fixture(scope="module")
def unrolled(menagerie: Mechanism) -> px.Dynamics:
    return px.Dynamics(menagerie)


@pytest.fixture(scope="module")
def traversed(menagerie: Mechanism) -> px.Dynamics:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(SIZES, "quantity", Sizes(0, 3000))
        made = px.Dynamics(menagerie)
    assert isinstance(made._evaluator, Traversed)
    return made


def state(m: Mechanism, *batch: int) -> tuple[Array, Array, Array]:
    rng = np.random.default_rng(11)
    v, a = rng.standard_normal((2, *batch, m.nv))
    return m.random_positions(batch, seed=rng), v, a


def reference(d: px.Dynamics, name: str, *given: Array, **of_frame: str) -> Array:
    """The unrolled equation, evaluated by CasADi sample by sample."""
    function = d.expression(name, **of_frame)
    given = tuple(
        x if port not in d.shapes(name) else x[..., None]  # a number has no axis
        for port, x in zip(function.name_in(), given, strict=True)
    )
    batch = np.broadcast_shapes(*(x.shape[:-1] for x in given))
    flat = [np.broadcast_to(x, (*batch, x.shape[-1])).reshape(-1, x.shape[-1]) for x in given]
    rows = [np.array(function(*sample)) for sample in zip(*flat, strict=True)]
    shape = d.shapes(name).get(function.name_out(0), (function.numel_out(0),))
    return np.array(rows).reshape(*batch, *shape)


def assert_same(found: Array, expected: Array) -> None:
    assert type(found) is np.ndarray and found.dtype == np.float64
    assert found.shape == expected.shape
    scale = np.abs(expected).max(initial=1.0)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-10 * scale)


OF_THE_MACHINE = {
    "inverse_dynamics": 3,
    "forward_dynamics": 3,
    "mass_matrix": 1,
    "mass_matrix_inverse": 1,
    "mass_times": "x",
    "mass_solve": "x",
    "bias": 2,
    "gravity": 1,
    "passive_forces": 2,
    "energy": 2,
    "kinetic_energy": 2,
    "potential_energy": 1,
    "momentum": 2,
    "center_of_mass": 1,
    "integrate": 2,
    "difference": "q1",
    "interpolate": "s",
    "body_poses": 1,
}
OF_A_FRAME = {
    "forward_kinematics": 1,
    "jacobian": 1,
    "jacobian_rate": 2,
    "frame_velocity": 2,
    "frame_acceleration": 3,
}


def arguments(m: Mechanism, takes: int | str, *batch: int) -> tuple[Array, ...]:
    q, v, a = state(m, *batch)
    between = q, m.random_positions(batch, seed=12), v[..., 0]
    others = {"x": (q, a), "q1": between[:2], "s": between}
    return others[takes] if isinstance(takes, str) else (q, v, a)[:takes]


# -- the same answers ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", OF_THE_MACHINE)
def test_every_quantity_is_that_of_unrolled_code(
    name: str, traversed: px.Dynamics, unrolled: px.Dynamics
) -> None:
    given = arguments(traversed.mechanism, OF_THE_MACHINE[name], 2, 3)
    assert_same(getattr(traversed, name)(*given), reference(unrolled, name, *given))
    kernel, function = traversed.kernel(name), unrolled.expression(name)
    assert [(port.name, port.size) for port in kernel.inputs] == [
        (x, function.numel_in(x)) for x in function.name_in()
    ]
    assert [port.name for port in kernel.outputs] == function.name_out()


@pytest.mark.parametrize("name", OF_A_FRAME)
@pytest.mark.parametrize("frame", ["tool", "b4", "b0"])
def test_every_quantity_of_a_frame_is_that_of_unrolled_code(
    name: str, frame: str, traversed: px.Dynamics, unrolled: px.Dynamics
) -> None:
    given = arguments(traversed.mechanism, OF_A_FRAME[name], 3)
    expected = reference(unrolled, name, *given, frame=frame)
    assert_same(getattr(traversed, name)(*given, frame=frame), expected)


@pytest.mark.parametrize("axes", ["local", "world"])
@pytest.mark.parametrize("name", ["jacobian", "jacobian_rate", "frame_velocity"])
def test_axes_are_those_of_unrolled_code(
    name: str, axes: str, traversed: px.Dynamics, unrolled: px.Dynamics
) -> None:
    given = arguments(traversed.mechanism, OF_A_FRAME[name], 3)
    for frame in ("tool", "b0"):
        expected = reference(unrolled, name, *given, frame=frame, axes=axes)
        assert_same(getattr(traversed, name)(*given, frame=frame, axes=axes), expected)


def test_what_walks_do_not_give(traversed: px.Dynamics, unrolled: px.Dynamics) -> None:
    lacking = set(unrolled.quantities) - set(OF_THE_MACHINE) - set(OF_A_FRAME)
    assert lacking == {
        "coriolis_matrix",
        "regressor",
        "inverse_dynamics_derivatives",
        "forward_dynamics_derivatives",
    }
    assert {name for name in traversed.quantities if traversed.is_too_large(name)} == lacking


def test_wrenches_a_moving_base_and_gravity_are_arguments(
    menagerie: Mechanism, everything_is_long: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = {"wrenches": ["tool", "b0", "b4"], "moving_base": True, "parameters": ["gravity"]}
    traversed = px.Dynamics(menagerie, **options)
    monkeypatch.undo()
    unrolled = px.Dynamics(menagerie, **options)
    q, v, a = state(menagerie, 5)
    rng = np.random.default_rng(1)
    g = rng.standard_normal((5, 3))
    acting = rng.standard_normal((5, 5, 6))
    for name in ("inverse_dynamics", "forward_dynamics"):
        expected = reference(unrolled, name, q, v, a, g, *acting)
        assert_same(getattr(traversed, name)(q, v, a, g, *acting), expected)
    for name in ("bias", "energy"):
        assert_same(getattr(traversed, name)(q, v, g), reference(unrolled, name, q, v, g))
    frames = {"wrench_tool": 0, "wrench_b0": 1, "wrench_b4": 2}
    named = {name: acting[k] for name, k in frames.items()}
    found = traversed.inverse_dynamics(
        q, v, a, g, **named, base_velocity=acting[3], base_acceleration=acting[4]
    )
    np.testing.assert_array_equal(found, traversed.inverse_dynamics(q, v, a, g, *acting))


# -- the same calls ------------------------------------------------------------------------------


@pytest.mark.parametrize("batch", [(), (0,), (1,), (7,), (8,), (9,), (33,), (2, 1, 4)])
def test_leading_axes_are_batch_axes(
    batch: tuple[int, ...], traversed: px.Dynamics, unrolled: px.Dynamics
) -> None:
    q, v, a = state(traversed.mechanism, *batch)
    for name in ("inverse_dynamics", "forward_dynamics"):
        expected = reference(unrolled, name, q, v, a)
        assert_same(getattr(traversed, name)(q, v, a), expected)
    assert np.shape(traversed.energy(q, v)) == batch


def test_batch_axes_broadcast_and_layouts_do_not_matter(
    traversed: px.Dynamics, unrolled: px.Dynamics
) -> None:
    m = traversed.mechanism
    q, v, a = state(m, 4)
    expected = reference(unrolled, "inverse_dynamics", q[0], v[:, None], a)
    assert expected.shape == (4, 4, m.nv)
    assert_same(traversed.inverse_dynamics(q[0], v[:, None], a), expected)
    turned = np.asfortranarray(v)[::-1]
    assert_same(traversed.bias(q, turned), reference(unrolled, "bias", q, turned))
    numbers = v.astype(np.float32)
    assert_same(traversed.bias(q, numbers), reference(unrolled, "bias", q, numbers))
    one = traversed.bias(q[0].tolist(), v[0].tolist())
    assert_same(one, reference(unrolled, "bias", q[0], v[0]))
    np.testing.assert_array_equal(traversed.bias(v=v, q=q), traversed.bias(q, v))


def test_results_go_where_out_says(traversed: px.Dynamics) -> None:
    q, v, a = state(traversed.mechanism, 3)
    expected = traversed.inverse_dynamics(q, v, a)
    out = np.empty((3, 2 * traversed.mechanism.nv))[:, ::2]
    assert traversed.inverse_dynamics(q, v, a, out=out) is out
    np.testing.assert_array_equal(out, expected)
    traversed.inverse_dynamics(q, v, a, out=a)  # over an input
    np.testing.assert_array_equal(a, expected)
    pose = np.empty((3, 4, 4))
    assert traversed.forward_kinematics(q, frame="tool", out=pose) is pose


def test_wrong_arguments_have_the_same_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    m = px.library.chain(2)
    unrolled = px.Dynamics(m)
    monkeypatch.setitem(SIZES, "quantity", Sizes(0, 3000))
    traversed = px.Dynamics(m)
    q, v, a = state(m, 3)
    wrong = [
        ((q, v), {}),
        ((q, v, a, a), {}),
        ((q[:, 1:], v, a), {}),
        ((q, v[:2], a), {}),
        ((q, "x", a), {}),
        ((q, v, a * 1j), {}),
        ((q, v), {"b": a}),
        ((q, v, a), {"out": np.empty(3)}),
        ((q, v, a), {"out": np.empty(v.shape, np.float32)}),
        ((q, v, a), {"out": [1.0]}),
    ]
    for args, keywords in wrong:
        with pytest.raises(px.InvalidInput) as expected:
            unrolled.inverse_dynamics(*args, **keywords)
        with pytest.raises(px.InvalidInput) as found:
            traversed.inverse_dynamics(*args, **keywords)
        assert str(found.value) == str(expected.value)


def test_names_that_do_not_exist(menagerie: Mechanism, everything_is_long: None) -> None:
    with pytest.raises(px.UnknownName, match="no frame 'tol'"):
        px.Dynamics(menagerie, wrenches=["tol"])
    with pytest.raises(px.UnknownName, match="no frame 'tol'"):
        px.Dynamics(menagerie).jacobian(menagerie.neutral(), frame="tol")
    with pytest.raises(px.InvalidInput, match="listed twice"):
        px.Dynamics(menagerie, wrenches=["tool", "tool"]).kernel("inverse_dynamics")
    with pytest.raises(px.InvalidInput, match="listed twice"):
        px.Dynamics(menagerie, parameters=["gravity", "gravity"])


# -- what is long --------------------------------------------------------------------------------


def test_what_needs_unrolled_code_says_why(
    everything_is_long: None, caplog: pytest.LogCaptureFixture, menagerie: Mechanism
) -> None:
    caplog.set_level(logging.INFO, "phalanx.dynamics")
    cases = [
        (strategies.menagerie(), {}, "follows another"),
        (px.library.four_bar(), {}, "ties branches together"),
        (menagerie, {"dtype": "float32"}, "float32"),
        (menagerie, {"parameters": ["b1.mass"]}, "'b1.mass' is a parameter"),
        (menagerie, {"forward": px.forward_dynamics.factorized}, "factorized is asked for"),
        (menagerie, {"inverse": px.inverse_dynamics.conventional}, "conventional is asked for"),
    ]
    for machine, options, why in cases:
        caplog.clear()
        assert isinstance(px.Dynamics(machine, **options)._evaluator, Unrolled)
        assert why in caplog.text


def test_a_machine_too_long_for_unrolled_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SIZES, "quantity", Sizes(6, 5))
    chain = px.library.chain(6)
    with pytest.raises(px.InvalidInput, match="6 elementary joints, and numbers are float32"):
        px.Dynamics(chain, dtype="float32")
    with pytest.raises(px.InvalidInput, match="symbolic model is asked for"):
        px.Dynamics(chain).expression("inverse_dynamics")


def test_matrices_that_make_no_sense(monkeypatch: pytest.MonkeyPatch) -> None:
    d = px.Dynamics(px.library.chain(600))
    for name in ("coriolis_matrix", "forward_dynamics_derivatives", "regressor"):
        with pytest.raises(px.InvalidInput, match=f"{name} of 'chain_600' is a matrix of shape"):
            getattr(d, name)
    monkeypatch.setattr(matrices, "LARGEST", 1 << 20)
    with pytest.raises(px.InvalidInput, match=r"2\.7 MiB, shape .*mass_times and mass_solve"):
        d.mass_matrix(d.mechanism.neutral())


def test_a_tip_without_inertia_has_no_accelerations() -> None:
    """A point mass on the axis that it turns about."""
    chain = px.library.chain(600)
    tip = Joint("last", chain.bodies[-1].name, "tip", Revolute((0, 1, 0)))
    m = Mechanism("light", [*chain.bodies, Body("tip", 1.0)], [*chain.joints, tip])
    d = px.Dynamics(m)
    assert d.singular_joints == ("last",)
    with pytest.raises(px.InvalidModel, match="joint 'last' moves no inertia"):
        d.kernel("forward_dynamics")
    with pytest.raises(px.InvalidModel, match="joint 'last' moves no inertia"):
        d.kernel("mass_solve")
    assert np.isfinite(d.gravity(m.neutral())).all()
    assert px.Dynamics(px.library.chain(300, "universal")).singular_joints == ()


def test_a_long_machine_is_described_at_once() -> None:
    """Nothing symbolic is built, nothing is done for pairs of bodies."""
    m = px.library.chain(20_000)
    start = time.process_time()
    d = px.Dynamics(m, wrenches=[m.bodies[-1].name], moving_base=True)
    assert time.process_time() - start < 1.0
    assert "nv=20000" in repr(d)
    with pytest.raises(px.InvalidInput, match=r"3\.0 GiB"):
        d.mass_matrix(m.neutral())


# -- laws ----------------------------------------------------------------------------------------


def test_forces_give_back_the_accelerations_that_they_made() -> None:
    m = px.library.chain(2000)
    d = px.Dynamics(m)
    q, v, tau = state(m, 2)
    a = d.forward_dynamics(q, 0.1 * v, tau)
    # rounding of M a, whose entries grow with the cube of the length
    scale = np.abs(d.mass_times(q, np.abs(a))).max()
    np.testing.assert_allclose(d.inverse_dynamics(q, 0.1 * v, a), tau, atol=1e-12 * scale)
    np.testing.assert_allclose(d.mass_times(q, d.mass_solve(q, tau)), tau, atol=1e-12 * scale)


def test_energy_of_a_straight_chain() -> None:
    """Hanging straight and turning about its first joint as one rod of n metres and n kg."""
    n = 600
    m = px.library.chain(n)
    d = px.Dynamics(m)
    v = np.zeros(n)
    v[0] = 0.7
    rod = d.mass_matrix(m.neutral())[0, 0]
    np.testing.assert_allclose(d.kinetic_energy(m.neutral(), v), rod * 0.7**2 / 2, rtol=1e-12)
    np.testing.assert_allclose(
        d.energy(m.neutral(), v),
        d.kinetic_energy(m.neutral(), v) + d.potential_energy(m.neutral()),
        rtol=1e-12,
    )


# -- methods -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "method",
    [px.evaluators.Serial(), px.evaluators.BlockTridiagonal()],
    ids=lambda method: method.name,
)
def test_methods_of_chains_are_chosen_as_values(method: px.evaluators.Method) -> None:
    m = px.library.chain(6, alternate=True)
    d = px.Dynamics(m, forward=method)
    assert f"forward by {method.name}" in repr(d)
    q, v, tau = state(m, 3)
    assert_same(d.forward_dynamics(q, v, tau), px.Dynamics(m).forward_dynamics(q, v, tau))
    assert d.inverse_dynamics(q, v, tau).shape == tau.shape  # unrolled, as ever


def test_what_is_no_method() -> None:
    arm = px.library.chain(2)
    with pytest.raises(px.InvalidInput, match=r"forward=Serial\(\), not the class"):
        px.Dynamics(arm, forward=px.evaluators.Serial)
    with pytest.raises(px.InvalidInput, match="got inverse=Serial"):
        px.Dynamics(arm, inverse=px.evaluators.Serial())
    with pytest.raises(px.InvalidInput, match="got forward='scan'"):
        px.Dynamics(arm, forward="scan")


def test_a_method_of_chains_on_a_machine_that_it_does_not_fit() -> None:
    with pytest.raises(px.InvalidInput, match="traverses the bodies of 'four_bar'"):
        px.Dynamics(px.library.four_bar(), forward=px.evaluators.Serial())


def test_what_a_long_machine_says_of_itself() -> None:
    d = px.Dynamics(px.library.chain(600))
    text = d.info()
    assert "600 elementary joints (600 turn) in 2 kinds of nodes, 1 tip" in text
    assert "inverse_dynamics " in text and "inverse_dynamics_derivatives" not in text
    # kinds times members: as many operations for twice the bodies, but for the ends
    twice = px.Dynamics(px.library.chain(1200)).operations("inverse_dynamics").total
    once = d.operations("inverse_dynamics").total
    assert once < twice <= 2 * once + 400
    assert d.kernel("inverse_dynamics").operations.total == once


# -- another library -----------------------------------------------------------------------------


def rope_in_hand(links: int) -> Mechanism:
    """A torso on a floating pelvis, with a rope of universal joints in its right hand."""
    torso, rope = px.library.torso(), px.library.chain(links, "universal", length=0.1, mass=0.05)
    pelvis = Body("pelvis", 12.0, (0.0, 0.0, 0.1), np.diag([0.2, 0.15, 0.1]))
    on_pelvis = [
        replace(joint, parent="pelvis") if joint.parent == "base" else joint
        for joint in torso.joints
    ]
    first = replace(rope.joints[0], parent="right_lower_arm", name="grip")
    return Mechanism(
        "rope_in_hand",
        [Body("world"), pelvis, *torso.bodies[1:], *rope.bodies[1:]],
        [Joint("float", "world", "pelvis", Floating()), *on_pelvis, first, *rope.joints[1:]],
    )


def test_a_humanoid_with_a_rope_is_that_of_pinocchio(everything_is_long: None) -> None:
    pin = pytest.importorskip("pinocchio")
    from phalanx.bench.peers.pinocchio import build_model

    m = rope_in_hand(100)
    d = px.Dynamics(m)
    model = build_model(m)
    data = model.createData()
    q, v, a = state(m, 3)
    tau, moved = d.inverse_dynamics(q, v, a), d.forward_dynamics(q, v, a)
    for k in range(3):
        assert_same(tau[k], pin.rnea(model, data, q[k], v[k], a[k]))
        # the forces that accelerations ask for: no condition of M in them
        back = pin.rnea(model, data, q[k], v[k], moved[k])
        M = np.triu(pin.crba(model, data, q[k]))
        scale = (np.abs(M + np.triu(M, 1).T) @ np.abs(moved[k])).max()
        np.testing.assert_allclose(back, a[k], atol=1e-12 * scale)
        assert_same(d.center_of_mass(q[k]), pin.centerOfMass(model, data, q[k]))
        assert_same(
            d.momentum(q[k], v[k]), pin.computeCentroidalMomentum(model, data, q[k], v[k]).vector
        )
