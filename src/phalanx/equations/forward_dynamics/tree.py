"""Guard of tree methods: forward dynamics of trees refuses machines with loops."""

from __future__ import annotations

from phalanx.base.errors import InvalidModel
from phalanx.equations.model_of import model_of
from phalanx.equations.tree.model import Model
from phalanx.mechanism import Mechanism


def tree_of(mechanism: Mechanism | Model, method: str) -> Model:
    """The node tree of a machine without loops.

    Raises:
        InvalidModel: It has loops, which ``method`` would leave open.
    """
    model = model_of(mechanism)
    if model.mechanism.loops:
        raise InvalidModel(
            f"{method} is for trees and would leave the loops of '{model.mechanism.name}' open; "
            "use a method of phalanx.loops, such as phalanx.loops.multipliers."
        )
    return model
