"""Options of task graphs: a quantity of a machine, cut into tasks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from phalanx.base.errors import InvalidInput
from phalanx.cli.choices import OneOf
from phalanx.cli.methods import MethodName, find_method
from phalanx.cli.quantities import Frame, find_quantity, quantity_words

if TYPE_CHECKING:
    from phalanx.dynamics import Dynamics
    from phalanx.mechanism import Mechanism
    from phalanx.multiprocessor import TaskGraph


@dataclass(frozen=True)
class TaskOptions:
    """The quantity to compute and the size of its tasks."""

    panel: ClassVar = "Tasks"

    tasks: Annotated[
        str,
        OneOf("phalanx.multiprocessor.tasks.cuts:CUTS"),
        typer.Option(
            help="One task per operation, or Dhanaraj's subtasks of three operations (streamlined; "
            "inverse dynamics of a serial arm)."
        ),
    ] = "operations"
    customization: Annotated[
        str | None,
        OneOf("phalanx.multiprocessor:Customization"),
        typer.Option(
            help="Simplify streamlined tasks: not at all (general), by zero offsets "
            "(offsets), or by all zeros of this arm (full). Default: full.",
            show_default=False,
        ),
    ] = None
    quantity: Annotated[
        str,
        typer.Option(
            help="Quantity to compute.",
            metavar="QUANTITY",
            autocompletion=quantity_words,
        ),
    ] = "inverse-dynamics"
    method: MethodName = None
    frame: Frame = None
    angles_given: Annotated[
        bool,
        typer.Option("--angles-given", help="Take sines and cosines of joint angles as inputs."),
    ] = False
    coarsen: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Merge tasks into larger ones of at most N operations.",
            show_default=False,
        ),
    ] = None

    def graph(self, mechanism: Mechanism) -> TaskGraph:
        """Return the task graph of the quantity.

        Raises:
            InvalidInput: When options do not go together.
            UnknownName: When there is no such quantity, method or frame.
        """
        from phalanx.dynamics import Dynamics
        from phalanx.multiprocessor import coarsen
        from phalanx.multiprocessor.tasks.cuts import CUTS

        dynamics = Dynamics(mechanism)
        name = find_quantity(dynamics, self.quantity, self.frame)
        cut = CUTS[self.tasks]
        if self.tasks == "streamlined":
            graph = cut(mechanism, **self._streamlined(name))
        else:
            graph = cut(*self._equation(dynamics, name), **self._given())
        return graph if self.coarsen is None else coarsen(graph, self.coarsen)

    def _streamlined(self, quantity: str) -> dict[str, Any]:
        """Options of the streamlined cut."""
        if quantity != "inverse_dynamics" or self.method not in (None, "modified"):
            raise InvalidInput(
                "--tasks streamlined cuts inverse-dynamics by the method modified; other "
                "quantities and methods need --tasks operations."
            )
        if self.angles_given:
            raise InvalidInput(
                "--tasks streamlined has angles given always; --angles-given is idle."
            )
        return {"customization": self.customization or "full"}

    def _equation(self, dynamics: Dynamics, quantity: str) -> tuple[Any, Mechanism]:
        """Return the equation that is cut operation by operation, and its machine."""
        if self.customization is not None:
            raise InvalidInput("--customization is of --tasks streamlined.")
        return find_method(dynamics, quantity, self.method), dynamics.mechanism

    def _given(self) -> dict[str, Any]:
        frame = {} if self.frame is None else {"frame": self.frame}
        return {"angles_given": self.angles_given, **frame}
