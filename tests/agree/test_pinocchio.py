"""Every quantity equals Pinocchio's, for the published robots and a hundred states of each.

Tolerance: 1e-9 of the largest entry of a result, per state. Entries of one result mix newtons and
newton metres and are differences of terms as large as the largest, so entry by entry nothing
better can be asked. Rounding alone leaves 1e-13; what remains are right angles that URDF files
print with 11 or 12 digits (1.57079632679): Phalanx takes them for right angles, Pinocchio as
printed, and the two machines differ by up to 1e-11.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

pin = pytest.importorskip("pinocchio")

import phalanx as px  # noqa: E402
from agree import robots  # noqa: E402
from evaluate import Numbers, batch  # noqa: E402
from phalanx import equations as eq  # noqa: E402
from phalanx.mechanism import Mechanism  # noqa: E402
from phalanx.mechanism.inertia import joints_without_inertia  # noqa: E402

STATES = 100
TOLERANCE = 1e-9
SMALL = 13  # freedoms up to which derivatives of forward dynamics are compared too
LARGE = 60  # beyond these (TIAGo with two hands, 101) writing the derivatives down takes too long

LOADED = [
    name
    for name in robots.names()
    if name not in {*robots.REFUSED, *robots.DRAWN_OTHERWISE, *robots.MASSLESS}
]
FLOATING = [
    name for name in LOADED if name.startswith(robots.FREE) and not name.endswith(robots.SAME_LEGS)
]
FIXED = [
    name
    for name in LOADED
    if name not in robots.WITHOUT_FREEDOMS
    and not (name in FLOATING and name.startswith(robots.HUMANOIDS))
]
# compiled and compared as machine code; all others by CasADi's interpreter of the same expressions
COMPILED = [
    ("double_pendulum_description/urdf/double_pendulum_continuous.urdf", False),
    ("ur_description/urdf/ur5_robot.urdf", False),
    ("kinova_description/robots/kinova.urdf", False),
    ("panda_description/urdf/panda.urdf", False),
    ("xarm_description/urdf/xarm7.urdf", False),
    ("z1_description/urdf/z1.urdf", False),
    ("talos_data/robots/talos_left_arm.urdf", False),
    ("tiago_description/robots/tiago_no_hand.urdf", False),
    ("baxter_description/urdf/baxter.urdf", False),
    ("bolt_description/robots/bolt.urdf", True),
    ("solo_description/robots/solo12.urdf", True),
    ("hyq_description/robots/hyq_no_sensors.urdf", True),
]

# Forward dynamics multiplies what M is known by with the condition of M. These machines have links
# so light (iCub's foot sensors: 1e-9 kg·m²; TIAGo's casters) that 1e-11 in a printed right angle,
# and rounding, are seen. `test_conditions` shows it, and the residual below, which has no condition
# in it, is asked of every robot.
FORWARD_TOLERANCE = {
    "icub_description/robots/icub.urdf": 1e-6,
    "tiago_description/robots/tiago_no_hand.urdf": 1e-8,
}
FORWARD = ("forward dynamics", "forward dynamics, articulated", "da/dq", "da/dv", "da/dtau")


class Pair:
    """One robot in both libraries, and states of it in both conventions."""

    def __init__(self, name: str, floating: bool) -> None:
        place = robots.folder()
        assert place is not None
        path = str(place / name)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # unphysical inertias, missing meshes
            mechanism = px.load(path)
        root = [pin.JointModelFreeFlyer()] if floating else []
        try:
            self.model = pin.buildModelFromUrdf(path, *root, mimic=True)
        except ValueError:  # Pinocchio cannot follow a leader that it has lumped or not yet met
            mechanism = px.release_mimics(mechanism)
            self.model = pin.buildModelFromUrdf(path, *root)
        if floating:
            mechanism = px.with_floating_base(mechanism, "root_joint")
        self.mechanism: Mechanism = mechanism
        self.has_mimics = any(joint.mimic for joint in mechanism.joints)
        self.data = self.model.createData()
        rng = np.random.default_rng(1)
        self.q = mechanism.random_positions(STATES, seed=rng)
        self.v, self.a, self.tau = rng.standard_normal((3, STATES, mechanism.nv))
        self.q_pin, self.rows = self._map_joints()
        self.v_pin, self.a_pin, self.tau_pin = map(self._permuted, (self.v, self.a, self.tau))

    def _map_joints(self) -> tuple[np.ndarray, np.ndarray]:
        """Positions in Pinocchio's layout, and where each of our freedoms stands in its vectors."""
        m = self.mechanism
        assert self.model.nv == m.nv
        q, rows = np.full((STATES, self.model.nq), np.nan), np.full(m.nv, -1)
        for joint in m.moving_joints:
            theirs = self.model.joints[self.model.getJointId(joint.name)]
            x = self.q[:, m.q_slices[joint.name]]
            if theirs.nq == 2 and joint.motion.nq == 1:  # a continuous joint
                x = np.hstack([np.cos(x), np.sin(x)])
            q[:, theirs.idx_q : theirs.idx_q + theirs.nq] = x
            rows[m.v_slices[joint.name]] = range(theirs.idx_v, theirs.idx_v + theirs.nv)
        assert not np.isnan(q).any() and sorted(rows) == list(range(m.nv))
        return q, rows

    def _permuted(self, x: np.ndarray) -> np.ndarray:
        moved = np.empty_like(x)
        moved[:, self.rows] = x
        return moved

    def matrix(self, A: np.ndarray) -> np.ndarray:
        return A[np.ix_(self.rows, self.rows)].copy()

    def states(self) -> Any:
        return zip(self.q_pin, self.v_pin, self.a_pin, self.tau_pin, strict=True)

    def theirs(self) -> dict[str, np.ndarray]:
        """All quantities by Pinocchio, stacked over states and in our order."""
        model, data, rows = self.model, self.data, self.rows
        found: dict[str, list[Any]] = {}

        def keep(name: str, value: Any) -> None:
            found.setdefault(name, []).append(np.array(value))

        for q, v, a, tau in self.states():
            keep("inverse dynamics", pin.rnea(model, data, q, v, a)[rows])
            M = np.triu(pin.crba(model, data, q))
            M = self.matrix(M + np.triu(M, 1).T)
            keep("mass matrix", M)
            bias = pin.rnea(model, data, q, v, 0 * a)[rows]
            keep("centre of mass", pin.centerOfMass(model, data, q))
            if self.has_mimics:  # for these Pinocchio has no other way
                keep("forward dynamics", np.linalg.solve(M, tau[rows] - bias))
                continue
            keep("forward dynamics", pin.aba(model, data, q, v, tau)[rows])
            keep("kinetic energy", pin.computeKineticEnergy(model, data, q, v))
            keep("potential energy", pin.computePotentialEnergy(model, data, q))
            if self.mechanism.nv > LARGE:
                continue
            keep("Coriolis matrix", self.matrix(pin.computeCoriolisMatrix(model, data, q, v)))
            pin.computeRNEADerivatives(model, data, q, v, a)
            keep("dtau/dq", self.matrix(data.dtau_dq))
            keep("dtau/dv", self.matrix(data.dtau_dv))
            if self.mechanism.nv <= SMALL:
                pin.computeABADerivatives(model, data, q, v, tau)
                keep("da/dq", self.matrix(data.ddq_dq))
                keep("da/dv", self.matrix(data.ddq_dv))
                keep("da/dtau", self.matrix(np.triu(data.Minv) + np.triu(data.Minv, 1).T))
        return {name: np.array(values) for name, values in found.items()}

    def their_frame(self, frame: str) -> dict[str, np.ndarray]:
        model, data = self.model, self.data
        assert model.existFrame(frame, pin.FrameType.BODY), frame
        index = model.getFrameId(frame, pin.FrameType.BODY)
        aligned = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        found: dict[str, list[Any]] = {
            "pose": [],
            "jacobian": [],
            "velocity": [],
            "acceleration": [],
        }
        for q, v, a, _ in self.states():
            pin.forwardKinematics(model, data, q, v, a)
            found["pose"].append(pin.updateFramePlacement(model, data, index).homogeneous)
            J = pin.computeFrameJacobian(model, data, q, index, aligned)[:, self.rows]
            found["jacobian"].append(J)
            pin.forwardKinematics(model, data, q, v, a)
            V = pin.getFrameVelocity(model, data, index, aligned)
            A = pin.getFrameClassicalAcceleration(model, data, index, aligned)
            found["velocity"].append(V.vector)
            found["acceleration"].append(A.vector)
        return {f"{frame}: {name}": np.array(values) for name, values in found.items()}


def ours(pair: Pair, n: Numbers, wanted: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The same quantities by CasADi's interpreter of our expressions."""
    q, v, a, tau = pair.q, pair.v, pair.a, pair.tau
    found: dict[str, np.ndarray] = {}

    def put(names: list[str], equation: Any, *arguments: np.ndarray) -> None:
        if names[0] in wanted:
            results = batch(n.function(equation), *arguments)
            found.update(zip(names, results, strict=True))

    put(["inverse dynamics"], px.inverse_dynamics.recursive, q, v, a)
    put(["mass matrix"], px.mass_matrix.composite_body, q)
    put(["centre of mass"], eq.center_of_mass, q)
    put(["kinetic energy"], eq.kinetic_energy, q, v)
    put(["potential energy"], eq.potential_energy, q)
    put(["Coriolis matrix"], eq.coriolis_matrix, q, v)
    put(["dtau/dq", "dtau/dv", "dtau/da"], px.inverse_dynamics.derivatives, q, v, a)
    put(["da/dq", "da/dv", "da/dtau"], px.forward_dynamics.derivatives, q, v, tau)
    put(["forward dynamics"], px.forward_dynamics.factorized, q, v, tau)
    if not pair.has_mimics:
        aba = batch(n.function(px.forward_dynamics.articulated_body), q, v, tau)[0]
        found["forward dynamics, articulated"] = aba
    return found


def our_frame(pair: Pair, n: Numbers, frame: str) -> dict[str, np.ndarray]:
    q, v, a = pair.q, pair.v, pair.a
    parts = {
        "pose": batch(n.function(eq.forward_kinematics, frame=frame), q),
        "jacobian": batch(n.function(eq.jacobian, frame=frame), q),
        "velocity": batch(n.function(eq.frame_velocity, frame=frame), q, v),
        "acceleration": batch(n.function(eq.frame_acceleration, frame=frame), q, v, a),
    }
    return {f"{frame}: {name}": results[0] for name, results in parts.items()}


def differences(
    pair: Pair, found: dict[str, np.ndarray], wanted: dict[str, np.ndarray]
) -> dict[str, float]:
    """The largest difference of each quantity over all states, against its own size there."""
    wanted = dict(wanted)
    if "forward dynamics" in wanted:
        wanted["forward dynamics, articulated"] = wanted["forward dynamics"]
    speed = np.abs(pair.v).max(axis=1)
    # these may vanish altogether (a leg whose links balance): then against what they are made of
    floors = {"da/dv": speed}
    if "mass matrix" in wanted:
        inertia = np.abs(wanted["mass matrix"]).reshape(STATES, -1).max(axis=1)
        floors["Coriolis matrix"] = floors["dtau/dv"] = inertia * speed
    result = {}
    for name, values in found.items():
        if name not in wanted:
            continue
        a, b = values.reshape(STATES, -1), wanted[name].reshape(STATES, -1)
        assert a.shape == b.shape, name
        scale = np.maximum(np.abs(b).max(axis=1), floors.get(name, 0.0))
        if name in ("potential energy", "centre of mass"):  # pass through zero between states
            scale = np.full(STATES, scale.max())
        result[name] = float((np.abs(a - b).max(axis=1) / np.maximum(scale, 1e-12)).max())
    return result


def residual(pair: Pair, a: np.ndarray) -> float:
    """Whether accelerations solve M a + c = tau, by Pinocchio, against the largest term."""
    worst = 0.0
    accelerations = pair._permuted(a.reshape(STATES, -1))
    for q, v, x, tau in zip(pair.q_pin, pair.v_pin, accelerations, pair.tau_pin, strict=True):
        needed = pin.rnea(pair.model, pair.data, q, v, x)
        M = np.triu(pin.crba(pair.model, pair.data, q))
        M = np.abs(M + np.triu(M, 1).T)
        worst = max(worst, float(np.abs(needed - tau).max() / (M @ np.abs(x)).max()))
    return worst


def check(name: str, floating: bool) -> None:
    pair = Pair(name, floating)
    assert joints_without_inertia(pair.mechanism) == ()
    wanted = pair.theirs()
    n = Numbers(pair.mechanism)
    found = ours(pair, n, wanted)
    errors = differences(pair, found, wanted)
    errors["residual of forward dynamics"] = residual(pair, found["forward dynamics"])
    bodies = pair.mechanism.bodies
    for body in {bodies[(len(bodies) + 1) // 2], bodies[-1]}:
        place = pair.their_frame(body.name)
        errors |= differences(pair, our_frame(pair, n, body.name), place)
    loosened = FORWARD_TOLERANCE.get(name, TOLERANCE)
    allowed = {key: loosened if key in FORWARD else TOLERANCE for key in errors}
    few = pair.has_mimics or pair.mechanism.nv > LARGE
    assert len(errors) >= (9 if few else 15)
    assert {k: e for k, e in errors.items() if not e <= allowed[k]} == {}


@pytest.mark.parametrize("name", FIXED)
def test_on_a_fixed_base(name):
    check(name, floating=False)


@pytest.mark.parametrize("name", FLOATING)
def test_on_a_floating_base(name):
    check(name, floating=True)


@pytest.mark.parametrize(
    ("name", "floating"),
    [
        ("ur_description/urdf/ur5_robot.urdf", False),
        ("panda_description/urdf/panda.urdf", False),
        ("solo_description/robots/solo12.urdf", True),
    ],
)
def test_methods_of_other_sources(name, floating):
    """Complements, and methods that work in one frame."""
    pair = Pair(name, floating)
    wanted, n = pair.theirs(), Numbers(pair.mechanism)
    in_one_frame = px.mass_matrix.in_root_frame
    methods: dict[str, list[Any]] = {
        "mass matrix": [
            px.mass_matrix.orthogonal_complement,
            in_one_frame.composite_body,
            in_one_frame.accumulated_inertia,
            in_one_frame.spatial_composite,
        ],
        "inverse dynamics": [
            px.inverse_dynamics.orthogonal_complement,
            px.inverse_dynamics.natural_complement,
        ],
        "forward dynamics": [px.forward_dynamics.orthogonal_complement],
    }
    if not pair.has_mimics:
        methods["forward dynamics"].append(px.forward_dynamics.in_root_frame.articulated_body)
    last = {"mass matrix": (), "inverse dynamics": (pair.v, pair.a)}
    for quantity, equations in methods.items():
        arguments = (pair.q, *last.get(quantity, (pair.v, pair.tau)))
        for equation in equations:
            found = {quantity: batch(n.function(equation), *arguments)[0]}
            errors = differences(pair, found, wanted)
            assert errors[quantity] <= TOLERANCE, (equation.__module__, errors)


def test_there_are_many():
    assert len(LOADED) >= 60 and len(FLOATING) >= 25 and len(FIXED) >= 45
    assert {*FIXED, *FLOATING} == set(LOADED)


@pytest.mark.parametrize("name", robots.DRAWN_OTHERWISE)
def test_files_left_out_hold_the_numbers_of_another(name):
    left_out, compared = Pair(name, False), Pair(robots.DRAWN_OTHERWISE[name], False)
    a, b = left_out.mechanism, compared.mechanism
    assert [joint.name for joint in a.joints] == [joint.name for joint in b.joints]
    for x, y in zip(a.bodies, b.bodies, strict=True):
        assert x.mass == y.mass and (x.com == y.com).all() and (x.inertia == y.inertia).all()
    for x, y in zip(a.joints, b.joints, strict=True):
        assert (x.pose.matrix == y.pose.matrix).all() and x.mimic == y.mimic
        assert type(x.motion) is type(y.motion)


@pytest.mark.parametrize("name", robots.REFUSED)
def test_refused_files_say_why(name):
    place = robots.folder()
    if place is None:
        pytest.skip("example-robot-data is not installed")
    with pytest.raises(px.PhalanxError, match=robots.REFUSED[name]):
        px.load(place / name)


@pytest.mark.parametrize("name", robots.MASSLESS)
def test_links_without_mass_have_joint_forces_and_no_accelerations(name):
    if robots.folder() is None:
        pytest.skip("example-robot-data is not installed")
    pair = Pair(name, floating=False)
    ours = Numbers(pair.mechanism)(eq.inverse_dynamics.recursive, pair.q[0], pair.v[0], pair.a[0])
    theirs = pin.rnea(pair.model, pair.data, pair.q_pin[0], pair.v_pin[0], pair.a_pin[0])
    np.testing.assert_allclose(np.ravel(ours), theirs[pair.rows], atol=TOLERANCE)
    d = px.Dynamics(pair.mechanism)
    assert d.singular_joints
    with pytest.raises(px.InvalidModel, match=f"'{d.singular_joints[0]}'"):
        _ = d.forward_dynamics


@pytest.mark.parametrize("name", FORWARD_TOLERANCE)
def test_conditions(name):
    """Only ill-conditioned machines are allowed a larger difference, in proportion."""
    pair = Pair(name, floating=False)
    M = pair.theirs()["mass matrix"]
    condition = max(np.linalg.cond(m) for m in M)
    # 1e-14: what data and rounding leave unknown of M, the smaller of the two
    assert FORWARD_TOLERANCE[name] <= 3e-14 * condition


@pytest.mark.parametrize(("name", "floating"), COMPILED)
def test_compiled(name, floating):
    pair = Pair(name, floating)
    wanted = pair.theirs()
    d = px.Dynamics(pair.mechanism)
    q, v, a, tau = pair.q, pair.v, pair.a, pair.tau
    found = {
        "inverse dynamics": d.inverse_dynamics(q, v, a),
        "forward dynamics": d.forward_dynamics(q, v, tau),
        "mass matrix": d.mass_matrix(q),
        "centre of mass": d.center_of_mass(q),
    }
    if not pair.has_mimics:
        found["kinetic energy"] = d.kinetic_energy(q, v)
        found["dtau/dq"], found["dtau/dv"], _ = d.inverse_dynamics_derivatives(q, v, a)
        found["Coriolis matrix"] = d.coriolis_matrix(q, v)
    errors = differences(pair, found, wanted)
    tip = pair.mechanism.bodies[-1].name
    place = {
        f"{tip}: pose": d.forward_kinematics(q, frame=tip),
        f"{tip}: jacobian": d.jacobian(q, frame=tip),
    }
    errors |= differences(pair, place, pair.their_frame(tip))
    assert len(errors) >= 6
    assert {k: e for k, e in errors.items() if not e <= TOLERANCE} == {}
