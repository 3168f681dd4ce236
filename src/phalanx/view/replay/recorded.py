"""Machine of a recording, or those of its bodies that were recorded.

A long run may keep the places of a few bodies in place of all positions. These are drawn then, each
by itself where it was; nothing is made up about the others.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from phalanx.base.errors import InvalidInput
from phalanx.mechanism import Body, Floating, Joint, Mechanism, Pose
from phalanx.simulation.record.recording import Recording
from phalanx.simulation.record.signal import Signal

POSITION, ORIENTATION = "position", "orientation"


def seen_in(mechanism: Mechanism, recording: Recording) -> tuple[Mechanism, Recording]:
    """The machine to draw, and the recording with its positions ``q``.

    Raises:
        InvalidInput: When the recording has neither all positions nor places of bodies.
        UnknownName: When it has places of bodies that the machine does not have.
    """
    if "q" in recording and recording.signal("q").table.shape[1] == mechanism.nq:
        return mechanism, recording
    if POSITION not in recording or ORIENTATION not in recording:
        if "q" not in recording:
            recording.signal("q")  # says which signals there are
        return mechanism, recording  # and the replay says what does not fit
    places = recording.signal(POSITION)
    names = [label.rpartition(".")[0] for label in places.labels[::3]]
    turns = recording.signal(ORIENTATION).table.reshape(len(recording), -1, 4)
    points = places.table.reshape(len(recording), -1, 3)
    if len(names) != points.shape[1] or turns.shape[1] != len(names):
        raise InvalidInput(
            f"the recording has {points.shape[1]} places and {turns.shape[1]} orientations of "
            f"{len(names)} bodies; expected as many of each."
        )
    machine = _apart(mechanism, names)
    q = np.concatenate([points, turns], axis=2).reshape(len(recording), -1)
    labels = tuple(
        f"{name}.{part}" for name in names for part in ("x", "y", "z", "qx", "qy", "qz", "qw")
    )
    others = [signal for signal in recording.signals.values() if signal.name != "q"]
    return machine, Recording(
        recording.time, [Signal("q", "", labels, q), *others], recording.settings
    )


def _apart(mechanism: Mechanism, names: list[str]) -> Mechanism:
    """Bodies of a machine, each free to move by itself."""
    root = "root of what was recorded"
    bodies = [Body(root)]
    joints = []
    for name in names:
        frame = mechanism.frame(name)
        bodies.append(_seen_from(mechanism.body(frame.body), name, frame.pose.inverse()))
        # for the eye alone: a rotor lets bodies without mass move as well
        joints.append(Joint(f"place of {name}", root, name, Floating(), rotor_inertia=1.0))
    return Mechanism(mechanism.name, bodies, joints, gravity=mechanism.gravity)


def _seen_from(body: Body, name: str, X: Pose) -> Body:
    """A body in the axes of one of its frames, in which it has pose ``X``."""
    R = X.rotation
    return replace(
        body,
        name=name,
        com=R @ body.com + X.translation,
        inertia=R @ body.inertia @ R.T,
        visuals=tuple(replace(visual, pose=X @ visual.pose) for visual in body.visuals),
    )
