"""The argument QUANTITY: the names of ``Dynamics.quantities`` in kebab-case."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from phalanx.base.errors import InvalidInput, UnknownName
from phalanx.cli.completion import QUANTITIES, offering, words

if TYPE_CHECKING:
    from phalanx.dynamics import Dynamics

quantity_words = offering(lambda: words()[QUANTITIES])

QUANTITY: Any = typer.Argument(
    metavar="QUANTITY",
    autocompletion=quantity_words,
    help="Quantity to compute: inverse-dynamics, forward-dynamics, mass-matrix, …; an unknown "
    "name lists all.",
    show_default=False,
)
QuantityName = Annotated[str, QUANTITY]
Frame = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Frame or body of quantities such as jacobian.",
        show_default=False,
    ),
]


def kebab(name: str) -> str:
    """Return a name in kebab-case: ``inverse-dynamics``."""
    return name.replace("_", "-")


def find_quantity(dynamics: Dynamics, name: str, frame: str | None) -> str:
    """Return the name in ``dynamics.quantities``; a prefix ``tree-`` may be left out.

    Raises:
        UnknownName: When there is no such quantity, or no such frame.
        InvalidInput: When a frame is missing or does not belong.
    """
    typed = {kebab(known): known for known in dynamics.quantities}
    typed |= {kebab(dynamics.full_name(known)): known for known in dynamics.quantities}
    if kebab(name) not in typed:
        raise UnknownName("phalanx", "quantity", kebab(name), typed)
    found = typed[kebab(name)]
    of_frame = dynamics.quantities[found].of_frame
    if of_frame and frame is None:
        names = dynamics.mechanism.frame_names
        shown = ", ".join(names[:12]) + (", …" if len(names) > 12 else "")
        raise InvalidInput(f"{kebab(found)} needs --frame NAME. Frames: {shown}.")
    if frame is not None and not of_frame:
        raise InvalidInput(f"{kebab(found)} is of the whole machine and takes no --frame.")
    if frame is not None:
        dynamics.mechanism.frame(frame)
    return found
