"""Tasks on the command line: a quantity of a machine, cut one way or the other."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from phalanx.cli.methods import find_method
from phalanx.cli.quantities import find_quantity
from phalanx.errors import InvalidInput

if TYPE_CHECKING:
    from phalanx.mechanism import Mechanism
    from phalanx.multiprocessor import TaskGraph


class Cut(StrEnum):
    """What a task is."""

    operations = "operations"
    streamlined = "streamlined"


class Customization(StrEnum):
    """Which zeros of the machine make streamlined tasks fall away."""

    general = "general"
    offsets = "offsets"
    full = "full"


def find_tasks(
    mechanism: Mechanism,
    cut: Cut,
    customization: Customization | None,
    quantity: str,
    method: str | None,
    frame: str | None,
    angles_given: bool,
) -> TaskGraph:
    """The work that a user means, cut into tasks.

    Raises:
        InvalidInput: When options do not go together.
        UnknownName: When there is no such quantity, method or frame.
    """
    from phalanx import multiprocessor
    from phalanx.dynamics import Dynamics

    dynamics = Dynamics(mechanism)
    name = find_quantity(dynamics, quantity, frame)
    if cut is Cut.streamlined:
        if name != "inverse_dynamics" or method not in (None, "modified"):
            raise InvalidInput(
                "--tasks streamlined cuts inverse-dynamics by the method modified; other "
                "quantities and methods need --tasks operations."
            )
        if angles_given:
            raise InvalidInput(
                "--tasks streamlined has angles given always; --angles-given is idle."
            )
        chosen = (customization or Customization.full).value
        return multiprocessor.streamlined_tasks(mechanism, customization=chosen)
    if customization is not None:
        raise InvalidInput("--customization is of --tasks streamlined.")
    equation = find_method(dynamics, name, method)
    options = {} if frame is None else {"frame": frame}
    return multiprocessor.task_graph(equation, mechanism, angles_given=angles_given, **options)
