"""Description of a run's control, for recordings and reports."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from phalanx.base.pickling import made_by
from phalanx.simulation.setup.laws import Law
from phalanx.simulation.setup.profile import Profile

SHOWN = 8  # numbers of a list; the rest is dots


def describe_control(control: Any) -> str:
    """Describe what moves the joints, in a sentence for reports."""
    if control is None:
        return "none"
    if isinstance(control, Profile):
        return f"a table of {len(control.time):,} rows, until {control.time[-1]:g} s"
    recipe = made_by(control)
    if recipe is not None:
        make, arguments = recipe
        if isinstance(arguments.get("law"), Law):
            return f"{describe_control(arguments['law'])}; built on the true model"
        numbers = ", ".join(f"{name} = {_number(value)}" for name, value in arguments.items())
        return f"{_first_line(make)} {numbers}".strip()
    function = control.function if isinstance(control, Law) else control
    kind = "a compiled law" if isinstance(control, Law) else "a function in Python"
    name = getattr(function, "__name__", type(function).__name__)
    return f"{kind}, {name}: {_first_line(function)}".rstrip(": ").replace(", <lambda>", "")


def _first_line(thing: Any) -> str:
    return (inspect.getdoc(thing) or "").partition("\n")[0]


def _number(value: Any) -> str:
    """A number, or a list of a few."""
    if value is None or isinstance(value, bool | str):
        return str(value)
    try:
        numbers = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        return str(getattr(value, "__name__", type(value).__name__))
    if numbers.size == 0:
        return "()"
    if (numbers == numbers.flat[0]).all():
        return f"{numbers.flat[0]:.6g}"
    shown = ", ".join(f"{x:.6g}" for x in numbers.ravel()[:SHOWN])
    return f"({shown}{', …' if numbers.size > SHOWN else ''})"
