"""Model of a mechanism for equations: its node tree, with loops closed as assembled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from phalanx.base.errors import InvalidModel
from phalanx.equations.loops.assembly.closed_loops import closed_loops
from phalanx.equations.tree.build import build, model_as_written
from phalanx.equations.tree.model import Model
from phalanx.mechanism import Mechanism


def model_of(mechanism: Mechanism | Model, parameters: Sequence[str] = ()) -> Model:
    """The node tree of a mechanism, its loops closed as assembled; a Model passes through.

    Raises:
        OpenLoop: No posture closes the loops, and more is missing than rounding explains.
    """
    if isinstance(mechanism, Model):
        return mechanism
    return _as_assembled(model_as_written(mechanism, parameters))


def model_in_given_frames(mechanism: Mechanism, parameters: Sequence[str] = ()) -> Model:
    """The same with every origin where the mechanism has its joint.

    For methods whose source chose the frames (Denavit-Hartenberg), and for reactions in joints.
    """
    return _as_assembled(build(mechanism, parameters))


def _as_assembled(model: Model) -> Model:
    if not model.mechanism.loops:
        return model
    offsets = closed_loops(model.mechanism).frame_offsets
    return replace(model, frame_offsets=offsets) if offsets else model


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
