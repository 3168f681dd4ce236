"""Scenario tables of special machines, read by extensions."""

from __future__ import annotations

from collections.abc import Iterable

from phalanx.base.errors import InvalidInput, ReadError
from phalanx.simulation.extensions import SpecialMachine, extensions
from phalanx.simulation.scenario.section import Section

# what a special machine takes the place of, and what one with a control of its own does
OF_MACHINES = ("model", "floating-base")
OF_CONTROL = ("control", "drives")


def known_keys(used: Iterable[str], general: tuple[str, ...]) -> tuple[str, ...]:
    """Keys that a file may have: general ones, and those of extensions if it has others.

    Raises:
        InvalidInput: When an extension claims a general key.
    """
    if set(used) <= set(general):
        return general  # no extension has to be asked
    special = tuple(table for extension in extensions() for table in extension.tables)
    for table in special:
        if table in general:
            raise InvalidInput(f"an extension claims '{table}', which every scenario may have.")
    return (*general, *special)


def read_special(
    top: Section, step: float | None, general: tuple[str, ...]
) -> SpecialMachine | None:
    """The special machine of a scenario; None when it has none.

    Args:
        top: The file.
        step: Of the run [s], if it says.
        general: Keys that are of no special machine.

    Raises:
        ReadError: When a value is wrong, a key does not go with it, or there are two machines.
        UnknownName: When a key or choice does not exist.
    """
    if set(top.values) <= set(general):
        return None
    machine: SpecialMachine | None = None
    owner = ""
    for extension in extensions():
        if extension.read is None or not set(extension.tables) & set(top.values):
            continue
        table = extension.tables[0]
        if machine is not None:
            raise ReadError(
                f"{top.file.name}: [{owner}] and [{table}] are machines of their own; leave one."
            )
        machine, owner = extension.read(top, step), table
    if machine is not None:
        for key in (*OF_MACHINES, *(OF_CONTROL if "control" in machine.fields else ())):
            if key in top.values:
                raise ReadError(f"{top.file.name}: {key} cannot stand beside [{owner}]; leave it.")
    return machine
