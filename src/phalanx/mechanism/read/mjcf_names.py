"""Conversion of names and poses of a compiled MuJoCo model."""

from __future__ import annotations

from typing import Any

from phalanx.mechanism.pose import Array, Pose

BODY, JOINT, SITE, EQUALITY, TENDON = "body", "joint", "site", "equality", "tendon"
ACTUATOR, SENSOR = "actuator", "sensor"
# where in the model's text of all names those of each kind begin
_ADDRESSES = {
    BODY: "name_bodyadr",
    JOINT: "name_jntadr",
    SITE: "name_siteadr",
    EQUALITY: "name_eqadr",
    TENDON: "name_tendonadr",
    ACTUATOR: "name_actuatoradr",
    SENSOR: "name_sensoradr",
}


def name_of(model: Any, kind: str, index: int) -> str:
    """The name of an element; MuJoCo allows none, and then it is its kind and number."""
    start = int(getattr(model, _ADDRESSES[kind])[index])
    name = model.names[start : model.names.index(b"\0", start)].decode("utf-8", "replace")
    return name or f"{kind}_{index}"


def pose_of(position: Array, wxyz: Array) -> Pose:
    """A pose from MuJoCo's position and quaternion."""
    return Pose.from_quaternion(position, wxyz[[1, 2, 3, 0]])
