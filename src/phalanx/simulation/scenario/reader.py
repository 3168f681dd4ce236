"""Scenarios in TOML files; each table of a file has a method of its own here.

``docs/simulation.md`` has all keys. Scenarios that come with the package are read by name.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from phalanx.actuators.drive import Drives
from phalanx.actuators.subsystem import Subsystem
from phalanx.arguments import checked
from phalanx.errors import PhalanxError, ReadError, UnknownName
from phalanx.excavator.scenario import read_excavator
from phalanx.files import home_path, naming_file
from phalanx.mechanism import Body, Mechanism, library, with_floating_base
from phalanx.mechanism.read import load
from phalanx.simulation.drive_friction import DriveFriction, Stiction
from phalanx.simulation.events import Event, drop, pick_up
from phalanx.simulation.forces import Damping, Friction, JointForce, Stops
from phalanx.simulation.integrators import (
    Cvodes,
    DormandPrince,
    Integrator,
    Rosenbrock2,
    RungeKutta4,
    RungeKuttaGill,
    SemiImplicitEuler,
)
from phalanx.simulation.scenario.control import read_control, read_profile
from phalanx.simulation.scenario.drives import read_drives
from phalanx.simulation.scenario.guarded_toml import parse_toml
from phalanx.simulation.scenario.initial import read_positions, read_states
from phalanx.simulation.scenario.scenario import Scenario
from phalanx.simulation.scenario.section import Section

Array = NDArray[np.float64]

INTEGRATORS: dict[str, Callable[..., Integrator]] = {
    "rk4": RungeKutta4,
    "gill": RungeKuttaGill,
    "euler": SemiImplicitEuler,
    "dormand-prince": DormandPrince,
    "cvodes": Cvodes,
    "rosenbrock": Rosenbrock2,
}
KEYS = (
    *("name", "description", "model", "floating-base", "duration", "step", "every"),
    "rates",
    *("integrator", "relative", "absolute", "initial", "control", "forces", "wrenches", "events"),
    *("record", "report", "drives", "excavator", "operator"),
)


def scenario_names() -> list[str]:
    """Scenarios that come with the package."""
    return sorted(path.stem for path in _shipped().glob("*.toml"))


@checked
def read_scenario(
    source: str | PathLike[str], find: Callable[[str], Mechanism] | None = None
) -> Scenario:
    """A scenario from a file, or from the package by its name.

    Args:
        source: A ``.toml`` file, or one of :func:`scenario_names`.
        find: Turns the model's name or path into a mechanism; by default a machine of the library
            or a file.

    Raises:
        ReadError: When the file cannot be read, or a key has a wrong value; file and key are named.
        UnknownName: When a key, choice or name does not exist.
    """
    path = home_path(source)
    if path.suffix != ".toml":
        if str(source) not in scenario_names():
            raise UnknownName("phalanx", "scenario", str(source), scenario_names())
        path = _shipped() / f"{source}.toml"
    return _Reader(path, find).scenario()


@final
class _Reader:
    """Reads one file."""

    def __init__(self, path: Path, find: Callable[[str], Mechanism] | None) -> None:
        self.top = Section(path, "", _parsed(path), KEYS)
        self.step = self._positive("step")
        self.work = read_excavator(self.top, self.step)
        self.floating = self.top.flag("floating-base") or False
        if self.work:
            self.mechanism = self.work.excavator.mechanism
            self.reference = self.mechanism.name
        else:
            self.reference = self._reference()
            self.mechanism = self._named("model", lambda: (find or _find)(self.reference))
        if self.floating:
            self.mechanism = with_floating_base(self.mechanism)

    def scenario(self) -> Scenario:
        top, m = self.top, self.mechanism
        drives = read_drives(top, m)
        control, start = read_control(top.section("control", None), m, drives)
        if start is not None and not np.isfinite(np.concatenate(start)).all():
            raise ReadError(
                f"{top.file.name}: [control.trajectory] begins with numbers that are not finite; "
                "its width is too large, or its period too short."
            )
        work = self.work
        parts = work.parts if work else {"control": control}
        initial = self._table("initial", ("q", "v", "degrees", "states"))
        begin = start[0] if start else None
        q0 = read_positions(initial, m, begin, work.excavator if work else None)
        v0 = initial.numbers("v", m.nv)
        if start is not None and v0 is None:
            v0 = start[1]
        beside = [part for part in parts.values() if isinstance(part, Subsystem)]
        record, report = top.text("record"), top.text("report")
        return Scenario(
            name=top.text("name") or top.file.stem,
            mechanism=m,
            duration=self._positive("duration", needed=True) or 0.0,
            step=self.step or (work.excavator.step if work else 1e-3),
            description=top.text("description") or "",
            integrator=self._integrator(),
            q0=q0,
            v0=v0,
            forces=self._forces(drives),
            wrenches=self._wrenches(),
            events=self._events(),
            states=read_states(initial, m, q0, beside),
            every=self._every(),
            rates=top.flag("rates") or False,
            settings={
                "model": self.reference,
                "floating_base": self.floating,
                **(work.settings if work else {}),
            },
            record=None if record is None else Path(record),
            report=None if report is None else Path(report),
            **parts,
        )

    def _reference(self) -> str:
        """The model as others find it: a name of the library, ``robot:…``, or a path."""
        text = self.top.text("model", needed=True) or ""
        if text in library.names() or ":" in text:
            return text
        path = self.top.path("model")
        if path is None or not os.path.isfile(path):
            raise self.top.wrong(
                "model", f"a machine of the library ({', '.join(library.names())}) or a file"
            )
        return str(path.resolve())

    def _every(self) -> int:
        every = self.top.whole("every")
        if every is not None and every < 1:
            raise self.top.wrong("every", "a whole number of at least 1")
        return every or 1

    def _integrator(self) -> Integrator | None:
        """The method; one that suits the machine when none is named."""
        name = self.top.choice("integrator", tuple(INTEGRATORS))
        tolerances = {
            key: value
            for key in ("relative", "absolute")
            if (value := self._positive(key)) is not None
        }
        if tolerances and name not in ("dormand-prince", "cvodes"):
            key = next(iter(tolerances))
            fixed = name or "rk4"
            raise self.top.wrong(key, f"no tolerance: '{fixed}' takes steps of one length")
        return INTEGRATORS[name](**tolerances) if name else None

    def _forces(self, drives: Drives | None) -> tuple[JointForce, ...]:
        keys = ("damping", "friction", "stiction", "slip", "stops")
        table = self._table("forces", keys)
        forces: list[JointForce] = []
        if table.flag("damping") is not False:
            forces.append(Damping())
        forces += self._friction(table, drives)
        stops = table.section("stops", ("stiffness", "damping"))
        if stops is not None:
            given = {k: stops.number(k) for k in ("stiffness", "damping")}
            chosen = {key: value for key, value in given.items() if value is not None}
            forces.append(self._named("[forces.stops]", lambda: Stops(**chosen)))
        return tuple(forces)

    def _friction(self, table: Section, drives: Drives | None) -> list[JointForce]:
        """Of the drives where there are some, and of the joints themselves otherwise."""
        slip = table.number("slip")
        smooth: dict[str, Any] = {} if slip is None else {"slip": slip}
        if table.flag("stiction"):
            if smooth:
                raise table.wrong("slip", "no slip: joints that stick do not slip")
            return [Stiction(drives)]
        if drives is not None and table.flag("friction") is not False:
            return [self._named("slip", lambda: DriveFriction(drives, **smooth))]
        if table.flag("friction"):
            return [self._named("slip", lambda: Friction(**smooth))]
        return []

    def _wrenches(self) -> dict[str, Any]:
        table = self.top.section("wrenches", None)
        wrenches: dict[str, Any] = {}
        if table is None:
            return wrenches
        for frame, value in table.values.items():
            self._check_frame(table.place, frame)
            if isinstance(value, int | float | str):
                raise table.wrong(frame, "six numbers (force, moment), or a table with a file")
            inner = table.section(frame, ("file", "between")) if isinstance(value, dict) else None
            wrenches[frame] = read_profile(inner, 6) if inner else table.numbers(frame, 6)
        return wrenches

    def _events(self) -> tuple[Event, ...]:
        keys = ("time", "kind", "frame", "body", "mass", "com", "inertia")
        return tuple(self._event(table) for table in self.top.sections("events", keys))

    def _event(self, table: Section) -> Event:
        time = table.number("time", needed=True) or 0.0
        kind = table.choice("kind", ("pick-up", "drop"), needed=True)
        body = table.text("body", needed=True) or ""
        if kind == "drop":
            return self._named(table.place, lambda: drop(time, body))
        frame = table.text("frame", needed=True) or ""
        mass = table.number("mass", needed=True) or 0.0
        com, moments = table.numbers("com", 3), table.numbers("inertia", 3)
        self._check_frame(table.place, frame)

        def event() -> Event:
            inertia = np.diag(np.zeros(3) if moments is None else moments)
            payload = Body(body, mass, np.zeros(3) if com is None else com, inertia)
            return pick_up(time, frame, payload)

        return self._named(table.place, event)

    def _check_frame(self, place: str, frame: str) -> None:
        self._named(place, lambda: self.mechanism.frame(frame))

    def _table(self, key: str, known: Sequence[str]) -> Section:
        """A table of the file; an empty one when it is not there."""
        return self.top.section(key, known) or Section(self.top.file, f"[{key}]", {}, known)

    def _positive(self, key: str, *, needed: bool = False) -> float | None:
        value = self.top.number(key, needed=needed)
        if value is not None and not value > 0:
            raise self.top.wrong(key, "a positive number")
        return value

    def _named(self, place: str, make: Callable[[], Any]) -> Any:
        """What ``make`` makes; its errors say where in the file they come from."""
        try:
            return make()
        except PhalanxError as error:
            raise ReadError(f"{self.top.file.name}: {place}: {error}") from error


def _parsed(path: Path) -> dict[str, Any]:
    if not os.path.exists(path):
        raise ReadError(f"there is no file {path}.")
    with naming_file(path.name):
        return parse_toml(path)


def _find(reference: str) -> Mechanism:
    return library.by_name(reference) if reference in library.names() else load(reference)


def _shipped() -> Path:
    return Path(str(files("phalanx") / "scenarios"))
