"""Reader of scenario files (TOML); each table of a file has a method of its own here.

``docs/simulation.md`` has all keys. Scenarios that come with the package are read by name.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from phalanx.actuators.subsystem import Subsystem
from phalanx.base.arguments import checked
from phalanx.base.errors import InvalidInput, ReadError, UnknownName
from phalanx.base.files import home_path, naming_file
from phalanx.base.guarded_toml import parse_toml
from phalanx.mechanism import Mechanism, library, with_floating_base
from phalanx.mechanism.read import load
from phalanx.simulation.integrators.integrators import FIXED_STEP, INTEGRATORS, Integrator
from phalanx.simulation.scenario import forces
from phalanx.simulation.scenario.control import read_control
from phalanx.simulation.scenario.drives import read_drives
from phalanx.simulation.scenario.events import read_events
from phalanx.simulation.scenario.forces import read_forces, read_wrenches
from phalanx.simulation.scenario.initial import read_positions, read_states
from phalanx.simulation.scenario.scenario import Scenario
from phalanx.simulation.scenario.section import Section
from phalanx.simulation.scenario.shipped import SCENARIOS
from phalanx.simulation.scenario.special import known_keys, read_special

Array = NDArray[np.float64]

KEYS = (
    *("name", "description", "model", "floating-base", "duration", "step", "every"),
    *("rates", "joints", "bodies"),
    *("integrator", "relative", "absolute", "initial", "control", "forces", "wrenches", "events"),
    *("record", "report", "drives"),
)


@checked
def read_scenario(
    source: str | PathLike[str],
    find: Callable[[str], Mechanism] | None = None,
    changes: Mapping[str, Any] | None = None,
) -> Scenario:
    """A scenario from a file, or from the package by its name.

    Args:
        source: A ``.toml`` file, or the name of one that comes with the package.
        find: Turns the model's name or path into a mechanism; by default a machine of the library
            or a file.
        changes: Values that take the place of those in the file, by dotted key:
            ``{"control.stiffness": 40.0}``.

    Raises:
        ReadError: When the file cannot be read, or a key has a wrong value; file and key are named.
        UnknownName: When a key, choice or name does not exist.
    """
    path = scenario_path(source)
    return _Reader(path, changed(_parsed(path), changes or {}), find).scenario()


def scenario_path(source: str | PathLike[str]) -> Path:
    """The file of a scenario, which may be named.

    Raises:
        UnknownName: When none that comes with the package has that name.
    """
    path = home_path(source)
    if path.suffix != ".toml":
        if str(source) not in SCENARIOS:
            raise UnknownName("phalanx", "scenario", str(source), SCENARIOS)
        path = SCENARIOS[str(source)]
    return path


def scenario_values(source: str | PathLike[str]) -> dict[str, Any]:
    """All values of a file by dotted key, as they stand there.

    Raises:
        ReadError: When the file cannot be read.
    """

    def flat(table: Mapping[str, Any], before: str) -> Iterator[tuple[str, Any]]:
        for key, value in table.items():
            if isinstance(value, dict):
                yield from flat(value, f"{before}{key}.")
            else:
                yield f"{before}{key}", value

    return dict(flat(_parsed(scenario_path(source)), ""))


def changed(values: dict[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """The tables of a file with other values under some dotted keys.

    Raises:
        InvalidInput: When a key leads through something that is no table.
    """
    for dotted, value in changes.items():
        *path, key = dotted.split(".")
        table = values
        for part in path:
            table = table.setdefault(part, {})
            if not isinstance(table, dict):
                raise InvalidInput(f"'{dotted}' cannot be changed: '{part}' is no table.")
        table[key] = value
    return values


@final
class _Reader:
    """Reads one file."""

    def __init__(
        self, path: Path, values: dict[str, Any], find: Callable[[str], Mechanism] | None
    ) -> None:
        self.top = Section(path, "", values, known_keys(values, KEYS))
        self.step = self.top.positive("step")
        self.special = read_special(self.top, self.step, KEYS)
        self.floating = self.top.flag("floating-base") or False
        if self.special is not None:
            self.mechanism = self.special.mechanism
            self.reference = self.mechanism.name
        else:
            self.reference = self._reference()
            self.mechanism = self.top.made("model", lambda: (find or load)(self.reference))
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
        special = self.special
        parts = {"control": control, **(special.fields if special else {})}
        initial = self._table("initial", ("q", "v", "degrees", "states"))
        begin = start[0] if start else None
        if special and begin is None:
            begin = special.q0
        q0 = read_positions(initial, m, begin, special.posture if special else None)
        v0 = initial.numbers("v", m.nv)
        if start is not None and v0 is None:
            v0 = start[1]
        beside = [part for part in parts.values() if isinstance(part, Subsystem)]
        record, report = top.text("record"), top.text("report")
        return Scenario(
            name=top.text("name") or top.file.stem,
            mechanism=m,
            duration=self.top.positive("duration", needed=True) or 0.0,
            step=self.step or (special.step if special else 1e-3),
            description=top.text("description") or "",
            integrator=self._integrator(),
            q0=q0,
            v0=v0,
            forces=read_forces(self._table("forces", forces.KEYS), drives),
            wrenches=read_wrenches(top.section("wrenches", None), m),
            events=read_events(top, m),
            states=read_states(initial, m, q0, beside),
            every=self._every(),
            rates=top.flag("rates") or False,
            joints=top.words("joints"),
            bodies=top.words("bodies"),
            settings={
                "model": self.reference,
                "floating_base": self.floating,
                **(special.settings if special else {}),
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
            if (value := self.top.positive(key)) is not None
        }
        fixed = name or "rk4"
        if tolerances and fixed in FIXED_STEP:
            key = next(iter(tolerances))
            raise self.top.wrong(key, f"no tolerance: '{fixed}' takes steps of one length")
        return INTEGRATORS[name](**tolerances) if name else None

    def _table(self, key: str, known: Sequence[str]) -> Section:
        """A table of the file; an empty one when it is not there."""
        return self.top.section(key, known) or Section(self.top.file, f"[{key}]", {}, known)


def _parsed(path: Path) -> dict[str, Any]:
    if not os.path.exists(path):
        raise ReadError(f"there is no file {path}.")
    with naming_file(path.name):
        return parse_toml(path)
