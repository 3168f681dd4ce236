"""No value of the public classes floods a screen."""

import inspect
import re
from dataclasses import fields, is_dataclass
from importlib import import_module

import numpy as np
import pytest

import phalanx as px
from phalanx.base.short_repr import LONGEST, short
from phalanx.simulation.record.signal import Signal

PACKAGES = (
    "phalanx",
    "phalanx.actuators",
    "phalanx.dynamics.evaluators",
    "phalanx.distribute",
    "phalanx.equations",
    "phalanx.machines.excavator",
    "phalanx.ground",
    "phalanx.identification",
    "phalanx.planning",
    "phalanx.planning.inverse_kinematics",
    "phalanx.loops",
    "phalanx.mechanism",
    "phalanx.multiprocessor",
    "phalanx.sweeps",
)
# what may be long in a class that leaves its repr to dataclasses
LONG = re.compile(r"Array|Mapping|Sequence|dict\[|list\[|\.\.\.|Any|Callable|Mechanism|Graph")
LINE = 300

CHAIN = px.library.chain(40, "spherical")
PUMA = px.library.puma560()


def public_classes():
    found = {}
    for name in PACKAGES:
        package = px if name == "phalanx" else getattr(px, name.partition(".")[2], None)
        package = package or import_module(name)
        for public in getattr(package, "__all__", ()):
            kind = getattr(package, public)
            if inspect.isclass(kind) and kind.__module__.startswith("phalanx"):
                found[f"{kind.__module__}.{kind.__qualname__}"] = kind
    return found


@pytest.mark.parametrize("kind", public_classes().values(), ids=public_classes())
def test_a_class_that_can_hold_much_has_a_short_repr(kind):
    generated = is_dataclass(kind) and hasattr(kind.__repr__, "__wrapped__")
    if generated:  # by dataclasses, which write out all that a value holds
        held = {f.name: str(f.type) for f in fields(kind) if f.repr}
        assert not {name: what for name, what in held.items() if LONG.search(what)}


def values():
    t = np.linspace(0, 1, 2001)
    many = [Signal(f"signal_{k}", "rad", tuple(map(str, range(30))), np.zeros((2001, 30)))
            for k in range(50)]  # fmt: skip
    law = px.computed_torque(np.zeros(6), stiffness=np.ones(6), damping=1.0)
    graph = px.multiprocessor.task_graph(px.inverse_dynamics.modified, PUMA)
    kernel = px.compile(px.expression(px.inverse_dynamics.recursive, PUMA))
    runs = px.sweeps.Rollout(px.Setup(PUMA, control=law), steps=2, q0=np.zeros(6))
    return [
        CHAIN,
        *(CHAIN.joints[5], CHAIN.bodies[5], CHAIN.bodies[5].visuals[0], CHAIN.joints[5].pose),
        *(px.load("stewart").loops[0], px.load("stewart").frames[0]),
        px.Setup(px.library.chain(300), control=law, wrenches=[f"link_{k}" for k in range(1, 300)]),
        px.Recording(t, many),
        px.rollout(PUMA, np.zeros((50, 6)), np.zeros(6), steps=5),
        px.CompiledRollout(PUMA),
        px.Profile(t, np.zeros((2001, 6))),
        px.assemble(px.load("stewart")),
        kernel,
        kernel.operations,
        px.Dynamics(CHAIN),
        graph,
        px.multiprocessor.schedule(graph, px.multiprocessor.SharedMemory(processors=4)),
        runs,
        px.sweeps.Grid({"v0[0]": np.linspace(0, 1, 300).tolist()}),
        px.sweep(px.sweeps.Rollout(PUMA, steps=2), px.sweeps.Grid({"v0[0]": [0.0, 1.0]})),
        px.LiveRun(PUMA),
        px.Latest(),
    ]


def test_values_are_one_short_line():
    for value in values():
        text = repr(value)
        assert len(text) <= LINE and "\n" not in text, (type(value), text[:1000])


def test_short_values_look_as_python_writes_them():
    assert repr(px.sweeps.Uniform(0.0, 1.0)) == "Uniform(low=0.0, high=1.0)"
    assert repr(px.mechanism.Revolute((0, 0, 1))) == "Revolute(axis=[0, 0, 1])"
    assert short(("a", 1, None)) == "('a', 1, None)" and short((1,)) == "(1,)"
    assert short({"a": np.arange(3)}) == "{'a': [0, 1, 2]}"


def test_long_values_are_told_by_their_size():
    assert short(np.zeros((4, 5))) == "<float64 array (4, 5)>"
    assert short(list(range(1000))) == "<1000 items>"
    assert short({k: k for k in range(50)}) == "<50 entries>"
    assert len(short("x" * 10_000)) < LONGEST


def test_a_pose_is_a_place_and_a_turn():
    pose = px.Pose.from_rpy((1, 2, 3), (0.1, -0.2, 0.3))
    assert repr(pose) == "Pose(xyz=[1, 2, 3], rpy=[0.1, -0.2, 0.3])"
