"""Whatever comes to a public function, it works or says in Phalanx's own words what it expected."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import casadi as ca
import numpy as np
import pytest

import phalanx as px
from phalanx import actuators
from phalanx.mechanism import (
    Continuous,
    Cylindrical,
    Mimic,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Strut,
    Universal,
)
from phalanx.mechanism.read import Motor

ARM = px.library.double_pendulum()
LINKAGE = px.library.four_bar()
BODY = px.Body("box", 1.0)
SHIFT = px.planning.cycloid(1.0, [0.0, 0.0], [1.0, 1.0])
X = ca.SX.sym("x", 2)
FUNCTION = ca.Function("f", [X], [2 * X], ["x"], ["y"])
LAW = px.proportional_derivative([0.0, 0.0], stiffness=1.0, damping=1.0)


class Anything:
    """Not what anybody asks for."""


class Rude:
    """Fails at whatever it is asked."""

    def __repr__(self) -> str:
        raise RuntimeError("repr")

    def __array__(self, *_: object, **__: object) -> np.ndarray:
        raise RuntimeError("array")


deep: Any = 1.0
for _ in range(50):
    deep = [deep]

# what people and programs pass by mistake
WRONG: dict[str, Any] = {
    "None": None,
    "text": "x",
    "no text": "",
    "bytes": b"x",
    "a number as text": "1.5",
    "a fraction": 2.5,
    "zero": 0,
    "negative": -1,
    "true": True,
    "NaN": float("nan"),
    "infinity": float("inf"),
    "huge": 1e300,
    "a whole number beyond doubles": 10**400,
    "a whole number that Python does not write": 10**5000,
    "a ratio": Fraction(1, 3),
    "a rude object": Rude(),
    "rude objects": [Rude()],
    "a deep list": deep,
    "a view": memoryview(b"x"),
    "many whole numbers": range(10**12),
    "complex": 1 + 2j,
    "an empty list": [],
    "numbers": [1.0, 2.0, 3.0],
    "names": ["x", "y"],
    "ragged": [[1.0], [1.0, 2.0]],
    "nothings": [None, None],
    "a table": {"x": 1.0},
    "numbers as names": {1: 2.0},
    "an empty table": {},
    "an object": Anything(),
    "a matrix": np.zeros((2, 2)),
    "five axes": np.zeros((1, 1, 1, 1, 2)),
    "an array of text": np.array(["a", "b"]),
    "an array of objects": np.array([None, Anything()], dtype=object),
    "an array of NaN": np.full(2, np.nan),
    "complex numbers": np.array([1j, 2j]),
    "a symbol": X,
    "another machine": px.library.chain(3),
    "a body": BODY,
}

# every public function and class that takes arguments, with ones that work
CALLS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "Body": (
        px.Body,
        {
            "name": "b",
            "mass": 1.0,
            "com": [0, 0, 0],
            "inertia": np.eye(3),
            "visuals": (),
            "physical": True,
        },
    ),
    "Frame": (px.Frame, {"name": "f", "body": "b", "pose": px.Pose()}),
    "Joint": (
        px.Joint,
        {
            "name": "j",
            "parent": "a",
            "child": "b",
            "motion": Revolute((0, 0, 1)),
            "pose": px.Pose(),
            "lower": -1.0,
            "upper": 1.0,
            "velocity_limit": 1.0,
            "effort_limit": 1.0,
            "damping": 0.1,
            "friction": 0.1,
            "rotor_inertia": 0.1,
            "gear_ratio": 2.0,
            "mimic": None,
            "stiffness": 2.0,
            "rest": 0.3,
            "backward_friction": 0.2,
        },
    ),
    "FluidDrag": (
        px.FluidDrag,
        {
            "density": 1000.0,
            "diameter": 0.02,
            "normal": 1.2,
            "tangential": 0.01,
            "current": (0.0, 0.0, 0.0),
            "ends": {"link_1": (0.0, 0.0, -1.0)},
        },
    ),
    "cut": (px.cut, {"time": 0.5, "joint": "joint_1"}),
    "Mimic": (Mimic, {"leader": "j", "multiplier": 1.0, "offset": 0.0}),
    "Revolute": (Revolute, {"axis": (0, 0, 1)}),
    "Continuous": (Continuous, {"axis": (0, 0, 1)}),
    "Prismatic": (Prismatic, {"axis": (0, 0, 1)}),
    "Screw": (Screw, {"axis": (0, 0, 1), "pitch": 0.01}),
    "Motor": (
        Motor,
        {"inertia": 1e-4, "ratio": 50.0, "viscous": 1e-3, "coulomb": (0.3, -0.4)},
    ),
    "Cylindrical": (Cylindrical, {"axis": (0, 0, 1)}),
    "Planar": (Planar, {"axis": (0, 0, 1)}),
    "Universal": (Universal, {"first": (0, 0, 1), "second": (0, 1, 0)}),
    "Strut": (
        Strut,
        {
            "name": "s",
            "base": "a",
            "rod": "b",
            "length": 1.0,
            "radius": 0.1,
            "rod_radius": 0.05,
            "aside": (0.0,),
        },
    ),
    "Loop": (px.Loop, {"name": "l", "frame_a": "a", "frame_b": "b", "motion": Revolute((0, 0, 1))}),
    "Spring": (
        px.Spring,
        {
            **{"name": "s", "frame_a": "a", "frame_b": "b", "stiffness": 1.0, "damping": 0.1},
            **{"rest_length": 0.5, "preload": 0.0},
        },
    ),
    "PlanarPin": (px.PlanarPin, {"axis": (0, 0, 1)}),
    "FixedDistance": (px.FixedDistance, {"length": 1.0}),
    "Pose": (px.Pose, {"rotation": np.eye(3), "translation": np.zeros(3)}),
    "Pose.from_rpy": (px.Pose.from_rpy, {"xyz": (0, 0, 0), "rpy": (0, 0, 0)}),
    "Pose.from_quaternion": (px.Pose.from_quaternion, {"xyz": (0, 0, 0), "xyzw": (0, 0, 0, 1)}),
    "Mechanism": (
        px.Mechanism,
        {
            "name": "m",
            "bodies": ARM.bodies,
            "joints": ARM.joints,
            "frames": ARM.frames,
            "loops": (),
            "gravity": (0, 0, -9.81),
            "struts": (),
        },
    ),
    "Mechanism.body": (ARM.body, {"name": ARM.bodies[1].name}),
    "Mechanism.joint": (ARM.joint, {"name": ARM.joints[0].name}),
    "Mechanism.frame": (ARM.frame, {"name": ARM.bodies[1].name}),
    "Mechanism.per_freedom": (ARM.per_freedom, {"attribute": "damping"}),
    "Mechanism.random_positions": (ARM.random_positions, {"samples": 2, "seed": 0}),
    "attach": (
        px.attach,
        {"mechanism": ARM, "frame": ARM.bodies[2].name, "payload": BODY, "pose": px.Pose()},
    ),
    "lock": (px.lock, {"mechanism": ARM, "positions": {ARM.joints[0].name: 0.3}}),
    "subtree": (px.subtree, {"mechanism": ARM, "body": ARM.bodies[1].name}),
    "merge_fixed": (px.merge_fixed, {"mechanism": ARM}),
    "release_mimics": (px.release_mimics, {"mechanism": ARM}),
    "with_floating_base": (px.with_floating_base, {"mechanism": ARM, "joint": "free"}),
    "with_true_model": (px.with_true_model, {"law": LAW}),
    "from_graph": (
        px.from_graph,
        {
            "name": "m",
            "bodies": ARM.bodies,
            "joints": ARM.joints,
            "frames": (),
            "gravity": (0, 0, -9.81),
        },
    ),
    "load": (
        px.load,
        {
            "path": "arm.urdf",
            "floating_base": False,
            "merge_fixed": False,
            "package_paths": (),
            "closures": None,
        },
    ),
    "read_scenario": (px.read_scenario, {"source": "case.toml", "find": None}),
    "library.by_name": (px.library.by_name, {"name": "puma560"}),
    "library.chain": (
        px.library.chain,
        {
            "n": 2,
            "joint": "revolute",
            "length": 1.0,
            "mass": 1.0,
            "radius": 0.1,
            "damping": 0.0,
            "gravity": (0, 0, -9.81),
        },
    ),
    "library.double_pendulum": (
        px.library.double_pendulum,
        {"lengths": (1.0, 1.0), "masses": (1.0, 1.0), "damping": 0.0, "gravity": (0, 0, -9.81)},
    ),
    "library.four_bar": (
        px.library.four_bar,
        {
            "lengths": (0.7, 0.2, 0.6, 0.5),
            "masses": (1.0, 2.0, 1.5),
            "angle": 0.0,
            "gravity": (0, 0, -9.81),
        },
    ),
    "library.five_bar": (
        px.library.five_bar,
        {"width": 0.2, "arm": 0.25, "forearm": 0.35, "masses": (0.6, 0.5), "angle": 1.0},
    ),
    "library.slider_crank": (
        px.library.slider_crank,
        {"crank": 0.15, "rod": 0.5, "masses": (1.0, 1.5, 2.0), "offset": 0.0},
    ),
    "library.delta": (
        px.library.delta,
        {
            "base_radius": 0.2,
            "arm": 0.3,
            "forearm": 0.7,
            "platform_radius": 0.07,
            "spacing": 0.1,
            "masses": (0.5, 0.1, 0.6),
        },
    ),
    "library.stewart": (
        px.library.stewart,
        {
            "base_radius": 0.5,
            "platform_radius": 0.3,
            "height": 0.6,
            "spread": 0.2,
            "masses": (3.0, 1.5, 10.0),
        },
    ),
    "library.puma560_arm": (px.library.puma560_arm, {"payload": 0.0}),
    "library.puma560_listing": (px.library.puma560_listing, {"joints": 6}),
    "library.stanford_listing": (px.library.stanford_listing, {"joints": 6}),
    "assemble": (
        px.assemble,
        {"mechanism": LINKAGE, "guess": [0.5, 0, 0], "velocity": [1.0, 0, 0], "held": ("crank",)},
    ),
    "Dynamics": (
        px.Dynamics,
        {
            "mechanism": ARM,
            "inverse": px.inverse_dynamics.recursive,
            "forward": None,
            "mass_matrix": px.mass_matrix.composite_body,
            "parameters": (),
            "wrenches": (),
            "moving_base": False,
            "actuated": (),
            "threads": 1,
            "dtype": "float64",
            "cache": True,
        },
    ),
    "expression": (
        px.expression,
        {
            "equation": px.inverse_dynamics.recursive,
            "mechanism": ARM,
            "parameters": (),
            "wrenches": (),
            "moving_base": False,
        },
    ),
    "compile": (
        px.compile,
        {
            "function": FUNCTION,
            "shapes": None,
            "dtype": "float64",
            "threads": 1,
            "cache": False,
            "target": None,
        },
    ),
    "count_operations": (px.count_operations, {"function": FUNCTION}),
    "export_c": (
        px.export_c,
        {"function": FUNCTION, "path": "f.c", "shapes": None, "intermediates": ()},
    ),
    "export_fortran": (
        px.export_fortran,
        {"function": FUNCTION, "path": "f.f90", "shapes": None, "intermediates": ()},
    ),
    "export_object": (
        px.export_object,
        {
            "function": FUNCTION,
            "path": "f.o",
            "processor": "aarch64",
            "shapes": None,
            "dtype": "float64",
        },
    ),
    "export_urdf": (px.export_urdf, {"mechanism": ARM, "path": "f.urdf"}),
    "Damping": (px.Damping, {}),
    "ModelActuators": (px.ModelActuators, {}),
    "ModelFluid": (px.ModelFluid, {}),
    "Friction": (px.Friction, {"slip": 0.01}),
    "Stops": (px.Stops, {"stiffness": 1e4, "damping": 1e2}),
    "DriveFriction": (px.DriveFriction, {"drives": None, "iterations": 4, "slip": 0.01}),
    "Stiction": (px.Stiction, {"drives": None, "iterations": 4}),
    "DormandPrince": (px.DormandPrince, {"relative": 1e-9, "absolute": 1e-9, "method": "RK45"}),
    "Cvodes": (px.Cvodes, {"relative": 1e-9, "absolute": 1e-9}),
    "Law": (px.Law, {"function": lambda model, t, q, v: v, "inputs": {}}),
    "proportional_derivative": (
        px.proportional_derivative,
        {"target": [0.0, 0.0], "stiffness": 1.0, "damping": 1.0},
    ),
    "computed_torque": (
        px.computed_torque,
        {"target": [0.0, 0.0], "stiffness": 1.0, "damping": 1.0},
    ),
    "track": (px.track, {"trajectory": SHIFT, "stiffness": 1.0, "damping": 1.0, "motors": None}),
    "feedforward": (px.feedforward, {"trajectory": SHIFT, "drives": None, "direction": None}),
    "cycloid": (px.planning.cycloid, {"period": 1.0, "start": [0.0], "end": [1.0]}),
    "wave": (px.planning.wave, {"period": 1.0, "middle": [0.0], "width": [1.0], "phase": 0.0}),
    "Trajectory": (px.planning.Trajectory, {"function": SHIFT.function}),
    "a trajectory": (SHIFT, {"t": 0.5}),
    "Profile": (px.Profile, {"time": [0.0, 1.0], "values": [[1.0], [2.0]], "between": "hold"}),
    "a profile": (px.Profile([0.0, 1.0], [[1.0], [2.0]]), {"t": 0.5}),
    "Event": (px.Event, {"time": 1.0, "change": lambda m: m, "name": "e"}),
    "pick_up": (px.pick_up, {"time": 1.0, "frame": "tool", "payload": BODY, "pose": None}),
    "drop": (px.drop, {"time": 1.0, "payload": "box"}),
    "CatchUp": (px.CatchUp, {"limit": 10}),
    "Pacing": (
        px.Pacing,
        {"speed": 1.0, "policy": px.Slip(), "clock": None, "first": False, "stays": False},
    ),
    "RealTimeLoop": (
        px.RealTimeLoop,
        {"step": lambda: None, "period": 1e-3, "policy": None, "speed": 1.0, "clock": None},
    ),
    "Recording": (px.Recording, {"time": [0.0, 1.0], "signals": [], "settings": {}}),
    "Setup": (
        px.Setup,
        {
            "mechanism": ARM,
            "forces": (),
            "control": None,
            "actuation": None,
            "surroundings": None,
            "wrenches": (),
            "parameters": (),
        },
    ),
    # what it shares with simulate is tried there
    "LiveRun": (
        partial(px.LiveRun, ARM),
        {
            "duration": 0.002,
            "speed": 1.0,
            "policy": None,
            "latest": None,
            "record": False,
            "clock": None,
            "pacing": None,
        },
    ),
    "simulate": (
        px.simulate,
        {
            "mechanism": ARM,
            "q0": [0.1, 0.1],
            "v0": [0, 0],
            "duration": 0.002,
            "step": 1e-3,
            "control": None,
            "integrator": None,
            "forces": (),
            "wrenches": None,
            "inputs": None,
            "parameters": None,
            "events": (),
            "actuation": None,
            "surroundings": None,
            "states": None,
            "every": 1,
            "path": None,
            "progress": False,
            "settings": None,
        },
    ),
    "linearize": (
        px.linearize,
        {"mechanism": ARM, "q": [0.0, 0.0], "control": LAW, "forces": (), "hold": False},
    ),
    "sweep": (
        px.sweep,
        {
            "run": px.sweeps.Rollout(ARM, steps=2),
            "over": px.sweeps.Grid({"q0[0]": [0.1, 0.2]}),
            "keep": ["q_end"],
            "to": None,
            "engine": None,
            "seed": 1,
            "chunk": 2,
            "resume": False,
            "most_failures": 1,
            "progress": None,
        },
    ),
    "rollout": (
        px.rollout,
        {
            "mechanism": ARM,
            "q0": [[0.1, 0.1]],
            "v0": [[0, 0]],
            "duration": None,
            "steps": 2,
            "step": 1e-3,
            "tau": None,
            "control": None,
            "integrator": None,
            "forces": (),
            "parameters": None,
            "wrenches": None,
            "inputs": None,
            "objective": None,
            "actuation": None,
            "surroundings": None,
            "states": None,
            "record": ("q",),
            "every": 1,
            "dtype": "float64",
            "threads": 1,
            "memory_limit": 1e9,
            "on_divergence": "flag",
        },
    ),
    "InverseKinematics": (
        px.InverseKinematics,
        {
            "mechanism": ARM,
            "frame": None,
            "tasks": [px.PointTask(ARM.joints[-1].child)],
            "threads": 1,
            "cache": True,
        },
    ),
    "InverseKinematics.solve": (
        px.InverseKinematics(ARM, ARM.joints[-1].child).solve,
        {
            "targets": np.eye(4),
            "q0": [0.1, 0.2],
            "starts": 2,
            "nearest": False,
            "posture": [0.0, 0.0],
            "seed": 0,
            "tolerance": 1e-6,
            "steps": 5,
        },
    ),
    "PointTask": (px.PointTask, {"frame": "tool", "weight": 1.0, "point": (0.0, 0.0, 0.0)}),
    "PoseTask": (px.PoseTask, {"frame": "tool", "weight": 1.0, "orientation_weight": 0.1}),
    "OrientationTask": (px.OrientationTask, {"frame": "tool", "weight": 1.0}),
    "DirectionTask": (px.DirectionTask, {"frame": "tool", "weight": 1.0, "axis": (1.0, 0.0, 0.0)}),
    "actuators.Drive": (
        actuators.Drive,
        {"bearings": (), "transmission": None, "viscous": 0.1, "coulomb": 0.1},
    ),
    "actuators.EfficiencyCurve": (
        actuators.EfficiencyCurve,
        {"shares": [0.0, 0.5, 1.0], "efficiencies": [0.2, 0.6, 0.8], "between": "monotone"},
    ),
    "actuators.Journal": (
        actuators.Journal,
        {"friction": 0.1, "radius": 0.1, "span": 0.1},
    ),
    "actuators.Linear": (actuators.Linear, {"friction": 0.1, "span": 0.1}),
    "actuators.Thrust": (actuators.Thrust, {"friction": 0.1, "radius": 0.1}),
    "actuators.Smooth": (actuators.Smooth, {"slip": 0.01}),
    "actuators.Transmission": (
        actuators.Transmission,
        {"efficiency": actuators.puma560_efficiency(), "rated": 1.0, "break_away": 0.0},
    ),
    "actuators.Quantity": (
        actuators.Quantity,
        {"name": "p", "unit": "Pa", "labels": ("a",), "stiff": False},
    ),
    "actuators.joint_drives": (actuators.joint_drives, {"mechanism": ARM, "damping": True}),
    "actuators.puma560_drives": (actuators.puma560_drives, {"span": 0.1, "efficiency": None}),
    "actuators.puma560_efficiency": (
        actuators.puma560_efficiency,
        {"no_load": 0.2, "rated_load": 0.8},
    ),
    "actuators.without_light_bearings": (
        actuators.without_light_bearings,
        {"drives": actuators.puma560_drives(), "below": 0.05},
    ),
}

# Public names that take no arguments of a user, are errors, or are results.
OTHERS = {
    *("Assembly", "Cause", "CompileError", "Divergence", "InconsistentMotion", "InvalidInput"),
    *("InvalidModel", "Kernel", "LoopRow", "LoopWrench", "SingularPosture"),
    *("Latest", "MissingExtra", "OpenLoop", "Operations", "PhalanxError", "ReadError"),
    *("CompiledRollout", "Linearization", "RolloutResult"),
    *("RolloutDiverged", "Rosenbrock2", "RungeKutta4", "RungeKuttaGill", "SemiImplicitEuler"),
    *("SimulationError", "Slip", "UnknownName", "WriteError"),
    *("EffortLimits", "EnergyBalance", "Solution", "StepWarning", "UnsupportedLoad"),
    *("Fixed", "Floating", "Spherical", "UnreachableTarget"),
    "Viewer",
}


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "arm.urdf").write_text(
        '<robot name="r"><link name="a"><inertial><mass value="1"/>'
        '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>'
    )
    (tmp_path / "case.toml").write_text('model = "double_pendulum"\nduration = 0.01\n')


def test_every_public_name_is_here():
    named = {
        name
        for name in px.__all__
        if callable(getattr(px, name)) and not inspect.ismodule(getattr(px, name))
    }
    assert named == {name for name in CALLS if name in px.__all__} | OTHERS


@pytest.mark.parametrize("name", CALLS)
def test_wrong_arguments_get_an_answer(name):
    function, good = CALLS[name]
    function(**good)
    astonishing = []
    for parameter in good:
        for what, wrong in WRONG.items():
            try:
                function(**(good | {parameter: wrong}))
            except px.PhalanxError:
                continue
            except Exception as error:
                first = str(error).splitlines()[0] if str(error) else ""
                astonishing.append(f"{parameter} = {what}: {type(error).__name__}: {first}")
    assert not astonishing, "\n" + "\n".join(astonishing)


MANY = {"q0": [[0.1, 0.1]], "v0": [[0.0, 0.0]], "steps": 2}

REFUSED: list[tuple[Callable[[], Any], str]] = [
    (lambda: px.simulate(ARM, duration=0.01, integrator="rk4"), r"'rk4'; .*RungeKutta4\(\)"),
    (lambda: px.simulate(ARM, duration="5"), "duration='5'; expected a number"),
    (lambda: px.simulate(ARM, duration=0.01, control=5), "control is a int"),
    (lambda: px.simulate(ARM, duration=0.01, step=0), "positive time"),
    (lambda: px.simulate(ARM, duration=0.01, step=float("nan")), "positive time"),
    (lambda: px.simulate(ARM, duration=1e300), "expected 9.0072e\\+15 at most"),
    (lambda: px.simulate(ARM, duration=0.01, every=1.5), "every=1.5; expected a whole number"),
    (lambda: px.simulate(ARM, duration=0.01, forces="Damping"), "forces='Damping'; .*JointForce"),
    (lambda: px.simulate(ARM, duration=0.01, forces=[1.0]), "forces=.*JointForce"),
    (lambda: px.simulate(ARM, duration=0.01, wrenches=[1, 2]), "wrenches=.*name: value"),
    (lambda: px.simulate(ARM, ["0", "1"], duration=0.01), "q0=.*array of numbers"),
    (lambda: px.expression(int, ARM), "equation=.*; expected a function such as"),
    (lambda: px.computed_torque((x for x in "ab"), stiffness=1, damping=1), "keeps a copy"),
    (lambda: px.Joint("j", "a", "b", 10**5000), "got a int of thousands of digits"),
    (lambda: px.Body("b", 1.0, np.ma.masked_less([0, 0, 1], 1)), "must be numbers of shape"),
    (lambda: ARM.body(10**5000), "no body 'a int of thousands of digits'"),
    (lambda: px.simulate("arm", duration=0.01), "mechanism='arm'; expected a Mechanism"),
    (lambda: px.rollout(ARM, **MANY, threads=1.5), "threads=1.5; .*whole number"),
    (lambda: px.rollout(ARM, **MANY, threads=True), "threads=True; .*whole number"),
    (lambda: px.rollout(ARM, **(MANY | {"steps": 2.5})), "steps=2.5; .*whole number"),
    (lambda: px.rollout(ARM, **MANY, step=-1), "positive time"),
    (lambda: px.rollout(ARM, **MANY, integrator="rk4"), r"'rk4'.*RungeKutta4\(\)"),
    (lambda: px.rollout(ARM, **MANY, record="q"), "record='q'; expected a list of names"),
    (lambda: px.rollout(ARM, **MANY, parameters="x"), "parameters='x'; .*name: value"),
    (lambda: px.rollout(ARM, **MANY, dtype="float16"), "float16"),
    (lambda: px.rollout(ARM, **MANY, dtype="numbers"), "dtype='numbers'; expected 'float64'"),
    (lambda: px.Dynamics(ARM, parameters="x"), "parameters='x'; expected a list of names"),
    (lambda: px.Dynamics(ARM, dtype="float16"), "float16"),
    (lambda: px.Dynamics(ARM, threads=1.5), "threads=1.5"),
    (lambda: px.Dynamics(ARM, moving_base="no"), "moving_base='no'; expected True or False"),
    (lambda: px.Dynamics(ARM).forward_kinematics([0.0, 0.0], frame=3), "no frame '3'"),
    (lambda: px.Dynamics(ARM).gravity(["a", "b"]), "expected real numbers"),
    (lambda: px.Dynamics(ARM).gravity([1j, 2j]), "expected real numbers"),
    (lambda: px.Dynamics(ARM).gravity(None), "expected real numbers"),
    (lambda: px.Dynamics(ARM).gravity({"q": 1}), "expected real numbers"),
    (lambda: px.Dynamics(ARM).gravity([[1.0], [1.0, 2.0]]), "not an array of numbers"),
    (lambda: px.Body("b", "5"), "the mass of body 'b' must be numbers"),
    (lambda: px.Body("b", 1e300), "beyond 1e\\+50.*Check the units"),
    (lambda: px.Body("b", 1.0, [0, 0, 1e308]), "centre of mass.*beyond"),
    (lambda: px.Body("b", 1.0, [0, 0, 0], np.full((3, 3), 1e308)), "the inertia .*beyond"),
    (lambda: px.Body(3), "name of Body is 3; expected a text"),
    (lambda: px.Pose(np.eye(3), [1e308, 0, 0]), "a translation holds a number beyond"),
    (lambda: px.Pose.from_quaternion([0, 0, 0], [1e155, 0, 0, 0]), "a quaternion .*beyond"),
    (lambda: Revolute((0, 0, 1e155)), "a joint axis holds a number beyond"),
    (lambda: px.Joint("j", "a", "b", Revolute(), gear_ratio=1e155), "gear ratio.*beyond"),
    (lambda: Mimic("j", "2"), "multiplier of Mimic is '2'; expected a number"),
    (lambda: px.Mechanism("m", "abc"), "bodies of Mechanism is 'abc'; .*each item a Body"),
    (lambda: px.Mechanism("m", [px.Body("b")], gravity="down"), "gravity of Mechanism is 'down'"),
    (lambda: px.proportional_derivative([0, 0], stiffness="stiff", damping=1), "stiffness='stiff'"),
]


@pytest.mark.parametrize("case", range(len(REFUSED)))
def test_what_cannot_be_meant_is_refused_in_words(case):
    call, message = REFUSED[case]
    with pytest.raises((px.InvalidInput, px.InvalidModel, px.UnknownName), match=message):
        call()


@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e49])
def test_axes_of_any_length_are_directions(scale):
    assert np.abs(Revolute(scale * np.array([3.0, 0.0, 4.0])).axis - [0.6, 0.0, 0.8]).max() < 1e-15
