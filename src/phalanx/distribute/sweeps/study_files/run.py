"""Reader of the table ``[run]`` of a study file: what is run with every case."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from phalanx.base.errors import ReadError
from phalanx.distribute.sweeps.call_run import Call
from phalanx.distribute.sweeps.evaluation_run import Evaluation
from phalanx.distribute.sweeps.rollout_run import Rollout
from phalanx.distribute.sweeps.run import SweepRun
from phalanx.distribute.sweeps.simulation_run import Simulation
from phalanx.distribute.sweeps.study_files.named_function import named_function
from phalanx.distribute.sweeps.study_files.objectives import OBJECTIVES, Distance
from phalanx.mechanism import Mechanism, library
from phalanx.mechanism.read import load
from phalanx.simulation.integrators.integrators import FixedStep
from phalanx.simulation.scenario.control import read_control
from phalanx.simulation.scenario.reader import read_scenario
from phalanx.simulation.scenario.scenario import Scenario
from phalanx.simulation.scenario.section import Section, of_kind
from phalanx.simulation.scenario.shipped import SCENARIOS

KINDS = {
    "rollout": (
        *("scenario", "model", "steps", "step", "every", "dtype"),
        *("q0", "v0", "objective", "target", "controls"),
    ),
    "simulation": ("scenario",),
    "evaluation": ("model", "quantity", "frame", "at", "dtype"),
    "call": ("function", "gives", "units"),
}
DTYPES = ("float64", "float32")


def read_run(table: Section, trust: bool = False) -> SweepRun:
    """What is run.

    Args:
        table: The table ``[run]``.
        trust: Whether the function of a ``call`` is imported.

    Raises:
        ReadError: When a value is wrong, with its file and key.
        UnknownName: When a key, kind, model or function does not exist.
        InvalidInput: When it names a function, and is not trusted.
    """
    kind, table = of_kind(table, KINDS)
    readers: dict[str, Callable[[Section], SweepRun]] = {
        "rollout": _rollout,
        "simulation": _simulation,
        "evaluation": _evaluation,
        "call": lambda table: _call(table, trust),
    }
    return readers[kind](table)


def _rollout(table: Section) -> SweepRun:
    scenario = _scenario(table) if "scenario" in table.values else None
    if (scenario is None) == ("model" not in table.values):
        raise ReadError(f"{table.owner}: expected either scenario = ... or model = ...")
    options = {} if scenario is None else _of_scenario(table, scenario)
    machine = options.pop("machine", None) or _model(table)
    mechanism = machine if isinstance(machine, Mechanism) else machine.mechanism
    steps = table.whole("steps")
    steps = options.pop("steps", None) if steps is None else steps
    if steps is None:
        raise ReadError(f"{table.owner} has no key 'steps'; expected how many steps a run takes.")
    every = table.whole("every")
    options |= {"steps": steps, "every": 1 if every is None else every}
    step = table.positive("step")
    if step is not None:
        options["step"] = step
    for key, size in (("q0", mechanism.nq), ("v0", mechanism.nv)):
        given = table.numbers(key, size)
        if given is not None:
            options[key] = given
    options["dtype"] = table.choice("dtype", DTYPES) or "float64"
    options["objective"] = _objective(table, mechanism)
    controls = table.section("controls", None)
    if controls is not None:
        options["laws"] = {name: _law(controls, name, mechanism) for name in controls.values}
    return table.made(table.place, lambda: Rollout(machine, **options))


def _of_scenario(table: Section, scenario: Scenario) -> dict[str, Any]:
    """What a rollout takes of a scenario.

    Raises:
        ReadError: When it has what a compiled loop of equal steps has not.
    """
    if scenario.events:
        raise table.wrong("scenario", "one without events, or kind = 'simulation'")
    if scenario.integrator is not None and not isinstance(scenario.integrator, FixedStep):
        raise table.wrong("scenario", "one with steps of one length, or kind = 'simulation'")
    if any(callable(value) for value in (*scenario.inputs.values(), *scenario.wrenches.values())):
        raise table.wrong("scenario", "one without profiles over time, or kind = 'simulation'")
    return {
        "machine": scenario.setup,
        "steps": max(1, round(scenario.duration / scenario.step)),
        "step": scenario.step,
        "q0": scenario.q0,
        "v0": scenario.v0,
        "inputs": dict(scenario.inputs),
        "wrenches": dict(scenario.wrenches),
        "integrator": scenario.integrator,
    }


def _law(controls: Section, name: str, mechanism: Mechanism) -> Any:
    inner = controls.section(name, None)
    law, _ = read_control(inner, mechanism)
    return law


def _objective(table: Section, mechanism: Mechanism) -> Any:
    name = table.choice("objective", tuple(OBJECTIVES))
    if "target" in table.values and name != "distance":
        raise table.wrong("target", "no target without objective = 'distance'")
    if name is None:
        return None
    if name == "distance":
        target = table.numbers("target", mechanism.nq, needed=True)
        assert target is not None
        return Distance(tuple(target.tolist()))
    return OBJECTIVES[name]()


def _simulation(table: Section) -> SweepRun:
    scenario = _scenario_source(table)
    return table.made(f"{table.place} scenario", lambda: Simulation(scenario))


def _evaluation(table: Section) -> SweepRun:
    machine = _model(table)
    quantity = (table.text("quantity", needed=True) or "").replace("-", "_")
    at = table.section("at", None)
    options = {
        "frame": table.text("frame"),
        "at": {} if at is None else dict(at.values),
        "dtype": table.choice("dtype", DTYPES) or "float64",
    }
    return table.made(table.place, lambda: Evaluation(machine, quantity, **options))  # type: ignore[arg-type]


def _call(table: Section, trust: bool) -> SweepRun:
    """A function of a module that is installed.

    Raises:
        ReadError: When it is not there, or its results are not described.
        InvalidInput: When it is not trusted.
    """
    named = named_function(table)
    assert named is not None
    if not trust:
        raise named.refused()
    function = named.imported()
    gives = table.section("gives", None)
    if gives is None:
        raise ReadError(
            f"{table.owner} has no table [run.gives]: results of the function and their units, "
            'such as width = "m".'
        )
    units = table.section("units", None)
    given_units = {name: units.text(name) or "" for name in units.values} if units else {}
    given_units |= {name: gives.text(name) or "" for name in gives.values}
    shapes: dict[str, tuple[int, ...]] = {name: () for name in gives.values}
    return table.made(table.place, lambda: Call(function, shapes, given_units))


def _scenario(table: Section) -> Scenario:
    source = _scenario_source(table)
    return table.made(f"{table.place} scenario", lambda: read_scenario(source))


def _scenario_source(table: Section) -> str:
    """A name of the package, or a file beside the study."""
    text = table.text("scenario", needed=True) or ""
    return text if text in SCENARIOS else str(table.path("scenario"))


def _model(table: Section) -> Mechanism:
    text = table.text("model", needed=True) or ""
    if library.knows(text):
        return table.made(f"{table.place} model", lambda: library.by_name(text))
    path = table.path("model")
    if path is None or not path.is_file():
        raise table.wrong(
            "model", f"a machine of the library ({', '.join(library.names())}) or a file"
        )
    return table.made(f"{table.place} model", lambda: load(path))
