"""Kinematics, mass matrix and forward dynamics as vector operators, against ``Dynamics``."""

from __future__ import annotations

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest
from casadi import SX
from hypothesis import given

import phalanx as px
from phalanx.base.casadi_operators import quick_operators
from phalanx.base.errors import InvalidInput, InvalidModel, UnknownName
from phalanx.equations.inverse_dynamics.vector_forms.axis_chain import axis_chain, axis_frames
from phalanx.equations.inverse_dynamics.vector_forms.linear import linear_form, read_out
from phalanx.equations.inverse_dynamics.vector_forms.operators import Symbols
from phalanx.equations.model_of import model_in_given_frames
from phalanx.equations.vector_quantities.axis_bodies import axis_bodies, link_frame
from phalanx.equations.vector_quantities.forward_dynamics import accelerate_from_rest
from phalanx.equations.vector_quantities.kinematics import frame_pose
from phalanx.equations.vector_quantities.mass_matrix import mass_matrix
from phalanx.kernel.graph.operations import Operations
from phalanx.mechanism import Mimic
from phalanx.mechanism.edit import release_mimics
from phalanx.multiprocessor import (
    Kind,
    SharedMemory,
    Sine,
    VectorTasks,
    highest_level_first,
    quantity_tasks,
    vector_operator,
)
from phalanx.multiprocessor.plans.evaluate import evaluate_nodes, given_values, output_arrays
from strategies import menagerie, moving, state_of

ROUNDING = 1e-11
SCALARS = Operations(add=1), Operations(multiply=1)


def computed(tasks: VectorTasks, *inputs: np.ndarray) -> np.ndarray:
    program = tasks.graph.program
    x = given_values(program, inputs, tasks.graph.owner)
    evaluate_nodes(program, [n for n in range(len(program.nodes)) if n not in x], x)
    return output_arrays(program, x)[0]


def agree(found: np.ndarray, wanted: np.ndarray, tolerance: float = ROUNDING) -> None:
    scale = max(np.abs(wanted).max(initial=0.0), 1.0)
    np.testing.assert_allclose(found, wanted, rtol=0, atol=tolerance * scale)


def check_operators(tasks: VectorTasks) -> None:
    """Every operator does the full work of its kind, but for single numbers."""
    for task in tasks.graph.tasks:
        if task.kind == Kind.RC:
            assert task.operations == Operations(divide=1)
        else:
            assert task.operations == Kind(task.kind).work or task.operations in SCALARS


@given(machine=moving())
def test_kinematics_of_a_frame(machine):
    mechanism, x = machine
    d = px.Dynamics(mechanism)
    try:
        pose = quantity_tasks(mechanism, "forward_kinematics", frame="tool")
    except InvalidModel as error:
        assert "is on the root" in str(error)
        return
    check_operators(pose)
    agree(computed(pose, x.q), d.forward_kinematics(x.q, frame="tool"))
    jacobian = quantity_tasks(mechanism, "jacobian", frame="tool")
    check_operators(jacobian)
    agree(computed(jacobian, x.q), d.jacobian(x.q, frame="tool"))


@given(machine=moving())
def test_mass_matrices(machine):
    mechanism, x = machine
    tasks = quantity_tasks(mechanism, "mass_matrix")
    check_operators(tasks)
    M = computed(tasks, x.q)
    agree(M, px.Dynamics(mechanism).mass_matrix(x.q))
    np.testing.assert_array_equal(M, M.T)


@given(machine=moving(mimics=False))
def test_forward_dynamics(machine):
    mechanism, x = machine
    tasks = quantity_tasks(mechanism, "forward_dynamics")
    check_operators(tasks)
    d = px.Dynamics(mechanism)
    a = computed(tasks, x.q, x.v, x.tau)
    # judged by the forces that the accelerations need: light links make a itself ill-conditioned
    agree(d.inverse_dynamics(x.q, x.v, a), x.tau, 1e-9)


@pytest.mark.parametrize("sine", [None, *Sine])
@pytest.mark.parametrize(
    "quantity", ["forward_kinematics", "jacobian", "mass_matrix", "forward_dynamics"]
)
def test_plans_of_operators_compute_each_quantity(quantity, sine):
    """On a few operators one after the other, with sines given or computed."""
    mechanism = release_mimics(menagerie())
    x = state_of(mechanism, 3)
    frame = {"frame": "tool"} if quantity in ("forward_kinematics", "jacobian") else {}
    tasks = quantity_tasks(mechanism, quantity, sine=sine, **frame)
    plan = highest_level_first(
        tasks.graph, SharedMemory(3, tuple(vector_operator(f"unit {k}") for k in range(3)))
    )
    assert not plan.violations
    inputs = (x.q, x.v, x.tau) if quantity == "forward_dynamics" else (x.q,)
    wanted = getattr(px.Dynamics(mechanism), quantity)(*inputs, **frame)
    agree(plan.execute(*inputs), wanted, 1e-9)


def test_the_same_text_computes_with_symbols():
    """Over CasADi's symbols, where places and roles are forgotten."""
    mechanism = release_mimics(menagerie())
    x, d = state_of(mechanism, 5), px.Dynamics(mechanism)
    with quick_operators():
        model, work = model_in_given_frames(mechanism), Symbols()
        q, v, tau, rest = (SX(ca.DM(y)) for y in (x.q, x.v, x.tau, 0 * x.v))
        frames, chain = axis_frames(model), axis_chain(model, q, v, rest)
        bodies = axis_bodies(frames, chain)
        R, p = frame_pose(work, chain, link_frame(frames, "tool"))
        entries = mass_matrix(work, chain, bodies)
        pairs = list(enumerate(zip(chain.links, linear_form(work, chain), strict=True), 1))
        bias = [read_out(work, i, link, load) for i, (link, load) in pairs]
        forces = [
            [tau[freedom.coordinate] - own for freedom, own in zip(link.freedoms, b, strict=True)]
            for (_, (link, _)), b in zip(pairs, bias, strict=True)
        ]
        a = accelerate_from_rest(work, chain, bodies, forces)
    wanted = d.forward_kinematics(x.q, frame="tool")
    agree(np.array(ca.DM(ca.horzcat(R, p))), wanted[:3])
    M = np.zeros((mechanism.nv, mechanism.nv))
    for (i, j), entry in entries.items():
        M[i, j] = float(entry)
    agree(M, d.mass_matrix(x.q))
    found = np.array([float(a[k]) for k in range(mechanism.nv)])
    agree(found, d.forward_dynamics(x.q, x.v, x.tau), 1e-9)


def test_mass_matrix_of_joints_that_mimic_each_other():
    arm = px.library.chain(3)
    joints = [*arm.joints[:2], replace(arm.joints[2], mimic=Mimic("joint_1", -1.5, 0.2))]
    arm = replace(arm, joints=joints)
    q = np.array([0.3, -0.8])
    agree(computed(quantity_tasks(arm, "mass_matrix"), q), px.Dynamics(arm).mass_matrix(q))
    with pytest.raises(InvalidModel, match=r"'joint_3' mimics another.*--lock.*release_mimics"):
        quantity_tasks(arm, "forward_dynamics")
    assert quantity_tasks(release_mimics(arm), "forward_dynamics").quantity == "forward_dynamics"
    assert quantity_tasks(px.lock(arm, "joint_3"), "forward_dynamics").parents == (0, 1)


def test_a_hinge_divides_once():
    """One reciprocal for each freedom, whichever joint it belongs to."""
    kinds = [
        t.kind for t in quantity_tasks(menagerie_without_mimics(), "forward_dynamics").graph.tasks
    ]
    assert kinds.count("RC") == menagerie_without_mimics().nv
    assert "RC" not in [t.kind for t in quantity_tasks(menagerie(), "mass_matrix").graph.tasks]


def menagerie_without_mimics() -> px.Mechanism:
    return release_mimics(menagerie())


def test_kinematics_asks_for_what_leads_to_its_frame_alone():
    torso = px.library.torso()
    whole = quantity_tasks(torso, "jacobian", frame=torso.bodies[-1].name)
    bodies = {task.link for task in whole.graph.tasks}
    assert bodies < {body.name for body in torso.bodies} | {"base"}
    assert len({place.index for place in whole.places} - {0}) == 3


def test_what_is_no_quantity_or_frame_is_told():
    arm = px.library.puma560()
    with pytest.raises(UnknownName, match=r"jacobean.*jacobian"):
        quantity_tasks(arm, "jacobean")
    with pytest.raises(InvalidInput, match="jacobian needs a frame; got None"):
        quantity_tasks(arm, "jacobian")
    with pytest.raises(InvalidInput, match="mass_matrix is of the whole machine, without frame"):
        quantity_tasks(arm, "mass_matrix", frame="tool0")
    with pytest.raises(UnknownName, match="frame"):
        quantity_tasks(arm, "jacobian", frame="nose")
    with pytest.raises(InvalidModel, match="is on the root"):
        quantity_tasks(arm, "jacobian", frame=arm.bodies[0].name)
    with pytest.raises(InvalidModel, match=r"loop 'pin' closes it.*loops=\(\)"):
        quantity_tasks(px.library.four_bar(), "mass_matrix")
