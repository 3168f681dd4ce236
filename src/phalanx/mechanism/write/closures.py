"""Loop closures as a YAML file beside a model, in the words that :mod:`read.closures` knows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from phalanx.base.errors import InvalidModel, WriteError
from phalanx.mechanism.joint import Continuous
from phalanx.mechanism.loop import JointCoupling, Loop
from phalanx.mechanism.mechanism import Mechanism
from phalanx.mechanism.read.closures import COUPLING, TYPES

_WORDS = {kind: (word, keys) for word, (kind, keys) in TYPES.items()}


def write_closures(mechanism: Mechanism, path: Path) -> None:
    """All loops of a machine; frames are named, so the model has to have them.

    Raises:
        InvalidModel: When a loop is of a kind that the file has no word for.
        WriteError: When the file cannot be written.
    """
    import yaml

    entries = [_entry(loop) for loop in mechanism.loops]
    text = yaml.safe_dump(entries, sort_keys=False, allow_unicode=True, default_flow_style=None)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise WriteError(f"{path} cannot be written: {error}.") from error


def _entry(loop: Loop) -> dict[str, Any]:
    if isinstance(loop.motion, JointCoupling):
        return _coupling(loop.name, loop.motion)
    kind: Any = type(loop.motion)
    word, keys = ("revolute", ("axis",)) if kind is Continuous else _WORDS.get(kind, ("", ()))
    if not word:
        raise InvalidModel(f"loop '{loop.name}' is {loop.motion.kind}; closures files have none.")
    numbers = {key: np.asarray(getattr(loop.motion, key)).tolist() for key in keys}
    ends = {"frame_a": loop.frame_a, "frame_b": loop.frame_b}
    return {"name": loop.name, "type": word} | numbers | ends


def _coupling(name: str, motion: JointCoupling) -> dict[str, Any]:
    """A joint that follows another by a polynomial, or stands still."""
    leader = {} if motion.leader is None else {"leader": motion.leader}
    coefficients = [float(c) for c in motion.coefficients]
    ends = {"follower": motion.follower, **leader, "coefficients": coefficients}
    return {"name": name, "type": COUPLING, **ends}
