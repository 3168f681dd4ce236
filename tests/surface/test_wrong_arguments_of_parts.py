"""As test_wrong_arguments, for what lies one name deeper: networks, identification, paths."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import phalanx as px
from phalanx import hardware, identification, multiprocessor, planning

from .test_wrong_arguments import ARM, WRONG

MORE_WRONG: dict[str, Any] = WRONG | {
    "a number whose square is none": 1e155,
    "a billion": 10**9,
    "a trillion": 2**40,
    "a number beyond counting": 10**30,
    "numbers whose squares are none": np.full((50, 2), 1e155),
    "two such numbers": [1e200, -1e200],
    "no rows": np.zeros((0, 2)),
    "a cube": np.zeros((2, 2, 2)),
}
NOISE = np.random.default_rng(5)
ROWS = {name: NOISE.standard_normal((50, 2)) for name in ("q", "v", "a", "tau")}
GRAPH = multiprocessor.task_graph(px.inverse_dynamics.recursive, ARM)
SPLINE = planning.spline([[0.0, 0.0], [0.5, 0.2], [1.0, 1.0]], [0.0, 0.5, 1.0])
ONWARD = planning.quintic([1.0, 1.0], [2.0, 0.0], 1.0)
AHEAD = px.Pose(np.eye(3), [1.0, 0.0, 0.0])
SYSTEM = NOISE.standard_normal((3, 3)) + 4.0 * np.eye(3)

RUN = px.simulate(ARM, [0.1, 0.1], duration=0.01)
DYNAMICS = px.Dynamics(ARM)
STATE = [0.1, 0.2]

CALLS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "complete": (multiprocessor.Topology.complete, {"processors": 3}),
    "bus": (multiprocessor.Topology.bus, {"processors": 3}),
    "line": (multiprocessor.Topology.line, {"processors": 3}),
    "ring": (multiprocessor.Topology.ring, {"processors": 3}),
    "star": (multiprocessor.Topology.star, {"processors": 3}),
    "mesh": (multiprocessor.Topology.mesh, {"rows": 2, "columns": 2}),
    "hypercube": (multiprocessor.Topology.hypercube, {"dimensions": 2}),
    "SharedMemory": (multiprocessor.SharedMemory, {"processors": 2}),
    "multicore": (multiprocessor.multicore, {"processors": 2}),
    "intel_8086": (multiprocessor.intel_8086, {"processors": 2}),
    "transputer_mesh": (multiprocessor.transputer_mesh, {"rows": 2, "columns": 2}),
    "task_graph": (
        multiprocessor.task_graph,
        {"equation": px.inverse_dynamics.recursive, "mechanism": ARM},
    ),
    "schedule": (
        multiprocessor.schedule,
        {"graph": GRAPH, "computer": multiprocessor.SharedMemory(processors=2)},
    ),
    "systolic_solve": (hardware.systolic_solve, {"A": SYSTEM, "b": np.ones(3)}),
    "identify": (
        identification.identify,
        {"machine": ARM, **ROWS, "terms": (), "noise": [1.0, 1.0]},
    ),
    "base_parameters": (
        identification.base_parameters,
        {"machine": ARM, "terms": (), "seed": 1},
    ),
    "spline": (
        planning.spline,
        {
            "positions": [[0.0, 0.0], [0.5, 0.2], [1.0, 1.0]],
            "times": [0.0, 0.5, 1.0],
            "kind": "cubic",
            "ends": "rest",
        },
    ),
    "quintic": (planning.quintic, {"start": [0.0, 0.0], "end": [1.0, 1.0], "duration": 1.0}),
    "trapezoid": (
        planning.trapezoid,
        {
            "start": [0.0, 0.0],
            "end": [1.0, 1.0],
            "velocity_limit": [1.0, 1.0],
            "acceleration_limit": [1.0, 1.0],
            "duration": None,
            "timing": "together",
        },
    ),
    "parabolic_blends": (
        planning.parabolic_blends,
        {
            "positions": [[0.0, 0.0], [1.0, 1.0]],
            "times": [0.0, 3.0],
            "acceleration_limit": [9.0, 9.0],
        },
    ),
    "planning.line": (
        planning.line,
        {"start": px.Pose(), "end": AHEAD, "duration": 1.0},
    ),
    "arc": (
        planning.arc,
        {
            "start": px.Pose(),
            "via": [0.5, 0.5, 0.0],
            "end": AHEAD,
            "duration": 1.0,
        },
    ),
    "overlap": (planning.overlap, {"first": SPLINE, "second": ONWARD, "duration": 0.1}),
    "path.sample": (SPLINE.sample, {"step": 0.1}),
    "demo_waypoints": (
        planning.demo_waypoints,
        {"mechanism": ARM, "duration": 3.0, "points": 6, "seed": 1},
    ),
    "uniform_scaling": (
        planning.uniform_scaling,
        {"machine": ARM, "rows": SPLINE.sample(0.1), "limits": None},
    ),
    "operator_array": (
        hardware.operator_array,
        {"mechanism": ARM, "interval": 9.0, "multiply": 5.0},
    ),
    "quantity_tasks": (
        multiprocessor.quantity_tasks,
        {"mechanism": ARM, "quantity": "mass_matrix", "frame": None, "sine": None},
    ),
    "Grid": (px.sweeps.Grid, {"values": {"q0[0]": [0.1]}}),
    "Table": (px.sweeps.Table, {"columns": {"q0[0]": [0.1]}}),
    "Uniform": (px.sweeps.Uniform, {"low": 0.0, "high": 1.0}),
    "LogUniform": (px.sweeps.LogUniform, {"low": 0.1, "high": 1.0}),
    "Normal": (px.sweeps.Normal, {"mean": 0.0, "deviation": 1.0}),
    "mass_matrix": (DYNAMICS.mass_matrix, {"q": STATE}),
    "inverse_dynamics": (DYNAMICS.inverse_dynamics, {"q": STATE, "v": STATE, "a": STATE}),
    "forward_dynamics": (DYNAMICS.forward_dynamics, {"q": STATE, "v": STATE, "tau": STATE}),
    "Recording.write": (RUN.write, {"path": "run.mcap"}),
    "Recording.signal": (RUN.signal, {"name": "q"}),
    "recording[...]": (RUN.__getitem__, {"name": "q"}),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of arithmetic with such numbers
def test_wrong_arguments_get_an_answer(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    function, good = CALLS[name]
    try:
        function(**good)
    except px.PhalanxError as error:
        assert name == "uniform_scaling", error  # the pendulum's joints have no limits
    astonishing = []
    for parameter in good:
        for what, wrong in MORE_WRONG.items():
            try:
                function(**(good | {parameter: wrong}))
            except px.PhalanxError:
                continue
            except Exception as error:
                first = str(error).splitlines()[0] if str(error) else ""
                astonishing.append(f"{parameter} = {what}: {type(error).__name__}: {first}")
    assert not astonishing, "\n" + "\n".join(astonishing)


@pytest.mark.parametrize("size", [1e155, 1e200, 1e308])
def test_numbers_whose_products_are_none_are_refused(size):
    tool = ARM.joints[-1].child
    target = np.eye(4)
    target[0, 3] = size
    with pytest.raises(px.InvalidInput, match="beyond"):
        px.InverseKinematics(ARM, tool).solve(target)
    with pytest.raises(px.InvalidInput, match="q0 holds a number beyond"):
        px.InverseKinematics(ARM, tool).solve(np.eye(4), q0=[size, 0.0])
    for name in ROWS:
        wild = ROWS[name].copy()
        wild[3, 1] = size
        with pytest.raises(px.InvalidInput, match=f"{name} holds .* in row 3, joint 1"):
            identification.identify(ARM, **(ROWS | {name: wild}))


def test_networks_that_would_never_be_built_are_refused():
    for network in (
        multiprocessor.Topology.complete,
        multiprocessor.Topology.line,
        multiprocessor.Topology.bus,
    ):
        with pytest.raises(px.InvalidInput, match="routes between the 1,000,000,000 processors"):
            network(10**9)
    for dimensions in (40, 2**40):
        with pytest.raises(px.InvalidInput, match="of a hypercube need"):
            multiprocessor.Topology.hypercube(dimensions)
    with pytest.raises(px.InvalidInput, match="1,000,000,000 processors"):
        multiprocessor.SharedMemory(processors=10**9)
