"""The front door: shapes, arguments, errors, and what it says about itself."""

from __future__ import annotations

import re

import numpy as np
import pytest

import phalanx as px
from phalanx.mechanism import Body, Fixed, Joint, Mechanism, Revolute

URDF = """<robot name="pendulum">
  <link name="base"/>
  <link name="bob"><inertial><origin xyz="0 0 -0.5"/><mass value="2"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
  <joint name="swing" type="continuous"><parent link="base"/><child link="bob"/>
    <axis xyz="0 1 0"/></joint>
</robot>"""


@pytest.fixture(scope="module")
def puma() -> px.Dynamics:
    return px.Dynamics(px.library.puma560())


@pytest.fixture(scope="module")
def pendulum() -> px.Dynamics:
    return px.Dynamics(px.library.chain(1))


def samples(*shape: int) -> np.ndarray:
    return np.random.default_rng(3).standard_normal(shape)


# -- batches -------------------------------------------------------------------------------------


@pytest.mark.parametrize("batch", [(), (1,), (5,), (2, 3), (2, 1, 4), (0,)])
def test_leading_axes_are_batch_axes(puma, batch):
    q, v, a = samples(3, *batch, 6)
    assert puma.inverse_dynamics(q, v, a).shape == (*batch, 6)
    assert puma.mass_matrix(q).shape == (*batch, 6, 6)
    assert np.shape(puma.energy(q, v)) == batch
    assert puma.center_of_mass(q).shape == (*batch, 3)
    assert puma.forward_kinematics(q, frame="tool").shape == (*batch, 4, 4)
    assert puma.jacobian(q, frame="tool").shape == (*batch, 6, 6)
    assert puma.frame_velocity(q, v, frame="tool").shape == (*batch, 6)
    assert puma.regressor(q, v, a).shape == (*batch, 6, 60)
    by_q, by_v, by_a = puma.inverse_dynamics_derivatives(q, v, a)
    assert by_q.shape == by_v.shape == by_a.shape == (*batch, 6, 6)


def test_batches_are_samples_side_by_side(puma):
    q, v, a = samples(3, 2, 3, 6)
    tau = puma.inverse_dynamics(q, v, a)
    for i in np.ndindex(2, 3):
        np.testing.assert_array_equal(tau[i], puma.inverse_dynamics(q[i], v[i], a[i]))


def test_batch_axes_broadcast(puma):
    q, v, a = samples(4, 1, 6), samples(5, 6), samples(6)
    tau = puma.inverse_dynamics(q, v, a)
    assert tau.shape == (4, 5, 6)
    np.testing.assert_array_equal(tau[3, 2], puma.inverse_dynamics(q[3, 0], v[2], a))


def test_strided_and_reversed_arrays(puma):
    q, v, a = samples(3, 10, 12)
    tau = puma.inverse_dynamics(q[::-2, ::2], v[::2, 1::2], a.T[:6, :5].T)
    copies = (np.ascontiguousarray(x) for x in (q[::-2, ::2], v[::2, 1::2], a.T[:6, :5].T))
    np.testing.assert_array_equal(tau, puma.inverse_dynamics(*copies))


def test_lists_and_whole_numbers_are_taken(puma):
    zero = [0] * 6
    np.testing.assert_array_equal(
        puma.inverse_dynamics(zero, zero, zero), puma.gravity(np.zeros(6))
    )


def test_keywords_name_the_arguments(puma):
    q, v, a = samples(3, 6)
    np.testing.assert_array_equal(
        puma.inverse_dynamics(q, v=v, a=a), puma.inverse_dynamics(q, v, a)
    )


def test_out_is_filled_and_returned(puma):
    q, v, a = samples(3, 7, 6)
    out = np.full((7, 6), np.nan)
    assert puma.inverse_dynamics(q, v, a, out=out) is out
    np.testing.assert_array_equal(out, puma.inverse_dynamics(q, v, a))
    pose = np.empty((7, 4, 4))
    assert puma.forward_kinematics(q, frame="tool", out=pose) is pose
    np.testing.assert_array_equal(pose, puma.forward_kinematics(q, frame="tool"))


def test_out_may_be_an_input(puma):
    q, v, a = samples(3, 7, 6)
    wanted = puma.inverse_dynamics(q, v, a)
    puma.inverse_dynamics(q, v, a, out=a)
    np.testing.assert_array_equal(a, wanted)


def test_several_results_have_names(puma):
    q, v, a = samples(3, 6)
    result = puma.inverse_dynamics_derivatives(q, v, a)
    np.testing.assert_allclose(result.dtau_da, puma.mass_matrix(q), atol=1e-14)
    result = puma.forward_dynamics_derivatives(q, v, a)
    assert result._fields == ("da_dq", "da_dv", "da_dtau")


# -- small machines ------------------------------------------------------------------------------


def test_one_freedom_keeps_its_axes(pendulum):
    q = v = a = np.array([0.3])
    assert pendulum.inverse_dynamics(q, v, a).shape == (1,)
    assert pendulum.mass_matrix(q).shape == (1, 1)
    assert pendulum.coriolis_matrix(q, v).shape == (1, 1)
    assert pendulum.jacobian(q, frame="link_1").shape == (6, 1)
    assert np.shape(pendulum.energy(q, v)) == ()
    assert pendulum.integrate(q, v).shape == (1,)
    assert pendulum.inverse_dynamics(q[None], v[None], a[None]).shape == (1, 1)
    assert pendulum.mass_matrix(np.zeros((4, 1))).shape == (4, 1, 1)


def test_a_machine_without_freedoms_has_empty_results():
    bodies = [Body("base"), Body("box", 1.0, np.ones(3), np.eye(3))]
    weld = Joint("weld", "base", "box", Fixed(), px.Pose(translation=np.array([1.0, 2, 3])))
    d = px.Dynamics(Mechanism("still", bodies, [weld]))
    none = np.zeros(0)
    assert d.inverse_dynamics(none, none, none).shape == (0,)
    assert d.forward_dynamics(none, none, none).shape == (0,)
    assert d.mass_matrix(none).shape == (0, 0)
    assert d.integrate(none, none).shape == (0,)
    assert d.energy(none, none) == 0.0
    np.testing.assert_array_equal(d.forward_kinematics(none, frame="box")[:3, 3], [1, 2, 3])
    assert "nv=0" in repr(d)


def test_a_rotor_without_a_load_is_a_machine():
    rotor = Joint("shaft", "base", "disc", Revolute(), rotor_inertia=0.2, gear_ratio=3.0)
    d = px.Dynamics(Mechanism("motor", [Body("base"), Body("disc")], [rotor]))
    one = np.ones(1)
    np.testing.assert_allclose(d.inverse_dynamics(one, one, one), [1.8], rtol=1e-15)
    np.testing.assert_allclose(d.forward_dynamics(one, one, one), [1 / 1.8], rtol=1e-15)


# -- options -------------------------------------------------------------------------------------


def test_method_of_forward_dynamics_follows_the_size():
    assert px.Dynamics(px.library.puma560()).forward is px.forward_dynamics.factorized
    long = px.Dynamics(px.library.chain(40))
    assert long.forward is px.forward_dynamics.articulated_body
    chosen = px.Dynamics(px.library.chain(40), forward=px.forward_dynamics.factorized)
    assert chosen.forward is px.forward_dynamics.factorized


def test_both_methods_agree():
    machine = px.library.chain(4, "universal")
    q, v, tau = samples(3, 9, 8)
    results = [
        px.Dynamics(machine, forward=method).forward_dynamics(q, v, tau)
        for method in (px.forward_dynamics.factorized, px.forward_dynamics.articulated_body)
    ]
    # universal joints of thin rods: M has a condition near 1e4
    np.testing.assert_allclose(*results, rtol=1e-9, atol=1e-9)


def test_dtype_of_results():
    d = px.Dynamics(px.library.chain(2), dtype="float32")
    assert d.inverse_dynamics(*samples(3, 4, 2)).dtype == np.float32
    assert px.Dynamics(px.library.chain(2)).mass_matrix(np.zeros(2, np.float32)).dtype == np.float64


def test_wrenches_are_further_arguments():
    machine = px.library.double_pendulum()
    loaded = px.Dynamics(machine, wrenches=["tip"])
    plain = px.Dynamics(machine)
    q, v, a = samples(3, 5, 2)
    force = np.array([1.0, 2.0, 3.0, 0.1, 0.2, 0.3])
    R = plain.forward_kinematics(q, frame="tip")[:, :3, :3]
    J = plain.jacobian(q, frame="tip")
    world = np.concatenate([R @ force[:3], R @ force[3:]], axis=-1)
    wanted = plain.inverse_dynamics(q, v, a) - np.einsum("bij,bi->bj", J, world)
    np.testing.assert_allclose(loaded.inverse_dynamics(q, v, a, force), wanted, atol=1e-13)
    # quantities that no force acts on are called as before
    np.testing.assert_array_equal(loaded.mass_matrix(q), plain.mass_matrix(q))
    back = loaded.forward_dynamics(q, v, loaded.inverse_dynamics(q, v, a, force), force)
    np.testing.assert_allclose(back, a, atol=1e-12)


def test_base_motion_is_two_further_arguments():
    machine = px.library.double_pendulum()
    lift, plain = px.Dynamics(machine, moving_base=True), px.Dynamics(machine)
    q, v, a = samples(3, 5, 2)
    up = np.array([0, 0, 9.81, 0, 0, 0])
    heavier = px.Dynamics(px.library.double_pendulum(gravity=(0, 0, -2 * 9.81)))
    np.testing.assert_allclose(
        lift.inverse_dynamics(q, v, a, np.zeros(6), up),
        heavier.inverse_dynamics(q, v, a),
        atol=1e-13,
    )
    np.testing.assert_array_equal(lift.gravity(q), plain.gravity(q))


def test_parameters_are_further_arguments_of_every_quantity():
    d = px.Dynamics(px.library.double_pendulum(), parameters=["lower.mass", "gravity"])
    q, v = samples(2, 2)
    still = np.zeros(3)
    assert d.potential_energy(q, 3.0, still) == 0.0
    assert d.energy(q, v, 3.0, still) == d.kinetic_energy(q, v, 3.0, still)
    assert d.mass_matrix(q, np.array([1.0, 2.0]), still).shape == (2, 2, 2)
    assert d.forward_kinematics(q, 1.0, still, frame="tip").shape == (4, 4)


# -- kernels -------------------------------------------------------------------------------------


def test_nothing_is_compiled_before_it_is_used(monkeypatch):
    made = []
    import phalanx.dynamics.evaluators.unrolled as module

    compile_kernel = module.compile_kernel
    monkeypatch.setattr(
        module,
        "compile_kernel",
        lambda *a, **k: made.append(a[0].name()) or compile_kernel(*a, **k),
    )
    d = px.Dynamics(px.library.chain(2))
    assert made == []
    q = np.zeros(2)
    for _ in range(3):
        d.gravity(q)
        d.jacobian(q, frame="link_1")
    assert made == ["chain_2_gravity", "chain_2_jacobian"]
    d.jacobian(q, frame="link_2")
    assert len(made) == 3
    assert d.kernel("gravity") is d.kernel("gravity")


def test_kernels_come_from_the_disk_the_second_time(shared_cache):
    q = np.zeros(3)
    px.Dynamics(px.library.chain(3)).gravity(q)
    before = {path.name for path in shared_cache.glob("*.kernel")}
    assert before
    px.Dynamics(px.library.chain(3)).gravity(q)
    assert before <= {path.name for path in shared_cache.glob("*.kernel")}


# -- what it says --------------------------------------------------------------------------------


def test_repr_names_machine_sizes_and_what_is_compiled():
    d = px.Dynamics(px.library.chain(2))
    assert repr(d) == (
        "<Dynamics of 'chain_2': nq=2, nv=2, float64, forward by factorized; compiled: nothing yet>"
    )
    d.gravity(np.zeros(2))
    d.jacobian(np.zeros(2), frame="link_2")
    assert repr(d).endswith("compiled: gravity, jacobian[link_2]>")


def test_info_shows_the_tree_and_operation_counts(puma):
    text = puma.info()
    for word in ("puma560", "link_6", "joint_3", "inverse_dynamics", "forward_dynamics", "nv = 6"):
        assert word in text
    assert str(puma.operations("inverse_dynamics")) in text


def test_docstrings_survive():
    assert "tau" in (px.Dynamics.inverse_dynamics.__doc__ or "")


def test_expression_is_a_casadi_function(puma):
    f = puma.expression("inverse_dynamics")
    assert f.name_in() == ["q", "v", "a"] and f.name_out() == ["tau"]


def test_load_to_dynamics(tmp_path):
    file = tmp_path / "pendulum.urdf"
    file.write_text(URDF)
    d = px.Dynamics(px.load(file))
    tau = d.inverse_dynamics([0.7], [0.0], [2.0])
    np.testing.assert_allclose(
        tau, [(0.1 + 2 * 0.25) * 2 + 2 * 9.81 * 0.5 * np.sin(0.7)], rtol=1e-14
    )


# -- errors --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda d: d.gravity(np.zeros(5)), px.InvalidInput, r"'q' .* shape \(5,\).*\(\.\.\., 6\)"),
        (lambda d: d.gravity(), px.InvalidInput, "q"),
        (lambda d: d.gravity(np.zeros(6), np.zeros(6)), px.InvalidInput, "argument"),
        (lambda d: d.gravity(["a"] * 6), px.InvalidInput, "numbers"),
        (lambda d: d.gravity(np.zeros(6, complex)), px.InvalidInput, "complex"),
        (
            lambda d: d.bias(np.zeros((2, 6)), np.zeros((3, 6))),
            px.InvalidInput,
            r"broadcast.*q \(2,\).*v \(3,\)",
        ),
        (lambda d: d.gravity(np.zeros(6), out=np.zeros(5)), px.InvalidInput, r"shape \(5,\)"),
        (lambda d: d.gravity(np.zeros(6), out=np.zeros(6, "f4")), px.InvalidInput, "float32"),
        (lambda d: d.jacobian(np.zeros(6), frame="tol"), px.UnknownName, "mean 'tool'"),
        (lambda d: d.kernel("graviti"), px.UnknownName, "mean 'gravity'"),
        (lambda d: d.kernel("jacobian"), px.InvalidInput, "needs frame="),
        (lambda d: d.kernel("gravity", "tool"), px.InvalidInput, "takes no frame"),
        (lambda d: px.Dynamics("puma.urdf"), px.InvalidInput, r"got str; .*phalanx\.load"),
    ],
)
def test_errors_say_what_came_and_what_was_expected(puma, call, error, message):
    with pytest.raises(error) as caught:
        call(puma)
    assert re.search(message, str(caught.value)), str(caught.value)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"parameters": ["link_2.mas"]}, px.UnknownName, "mean 'link_2.mass'"),
        ({"parameters": ["lonk_2.mass"]}, px.UnknownName, "mean 'link_2'"),
        ({"parameters": ["joint_9.position"]}, px.UnknownName, "no joint 'joint_9'"),
        ({"parameters": ["gravity", "gravity"]}, px.InvalidInput, "twice"),
        ({"wrenches": ["tol"]}, px.UnknownName, "mean 'tool'"),
        (
            {"inverse": "recursive"},
            px.InvalidInput,
            r"inverse_dynamics\.recursive, got inverse='recursive'",
        ),
        ({"forward": "factorized"}, px.InvalidInput, "got forward='factorized'"),
        ({"dtype": "float16"}, px.InvalidInput, "float16"),
        ({"threads": 0}, px.InvalidInput, "0"),
    ],
)
def test_wrong_options(options, error, message):
    with pytest.raises(error) as caught:
        px.Dynamics(px.library.puma560(), **options).gravity(np.zeros(6))
    assert re.search(message, str(caught.value)), str(caught.value)


def test_a_parameter_may_not_be_forgotten():
    d = px.Dynamics(px.library.chain(2), parameters=["link_1.mass"])
    with pytest.raises(px.InvalidInput, match="link_1_mass"):
        d.gravity(np.zeros(2))


def test_equations_refuse_what_they_do_not_take():
    with pytest.raises(px.InvalidInput, match="takes no wrenches"):
        px.expression(px.mass_matrix.composite_body, px.library.chain(2), wrenches=["link_1"])
    with pytest.raises(px.InvalidInput, match="no option 'frame'"):
        px.expression(px.inverse_dynamics.recursive, px.library.chain(2), frame="link_1")


def test_a_machine_that_cannot_move_has_no_centre_of_mass():
    block = px.Mechanism("block", [px.Body("block", 1.0, inertia=np.eye(3))])
    with pytest.raises(px.InvalidModel, match="'block' has no mass that can move"):
        px.Dynamics(block).center_of_mass(np.zeros(0))


@pytest.mark.parametrize("out", [None, "given"])
def test_quantities_of_frames_call_their_kernel_without_keywords_unless_there_is_an_out(out):
    """A keyword sends a call through the general path, which takes many times as long."""
    d = px.Dynamics(px.library.chain(1))
    seen = []

    class Listening:
        def call(self, *arguments, **keywords):
            seen.append((arguments, keywords))

    names = ["forward_kinematics", "jacobian", "jacobian_rate", "frame_velocity"]
    for name, arguments in zip(names, ["q", "q", "qv", "qv"], strict=True):
        axes = None if name == "forward_kinematics" else "local_world_aligned"
        d._kernels[name, "link_1", axes] = Listening()
        getattr(d, name)(*arguments, frame="link_1", out=out)
        assert seen.pop() == (tuple(arguments), {} if out is None else {"out": out})
