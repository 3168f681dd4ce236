"""The published robots that tests compare on: where their files are, and what is said of each."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

# Files that are no machine: what `load` says about them, which the tests assert.
REFUSED = {
    "alex_description/urdf/alex_psyonic_hands.urdf": "has no joint 'index_q1'",
    "romeo_description/urdf/romeo_laas_small.urdf": "negative principal moment",
    "ur_description/urdf/ur3.urdf": "no bodies",
}

# Fingers without mass: joint forces are compared, accelerations do not exist.
MASSLESS = ("romeo_description/urdf/romeo.urdf",)

# One rigid body on a fixed base; they are compared on a floating one.
WITHOUT_FREEDOMS = (
    "hector_description/robots/quadrotor_base.urdf",
    "iris_description/robots/iris_simple.urdf",
)

# Files that differ from another one only in their shapes, which a test asserts.
DRAWN_OTHERWISE = {
    "talos_data/robots/talos_full_v2_box.urdf": "talos_data/robots/talos_full_v2.urdf",
    "talos_data/robots/talos_reduced_box.urdf": "talos_data/robots/talos_reduced.urdf",
    "panda_description/urdf/panda_collision.urdf": "panda_description/urdf/panda.urdf",
}

# Machines whose base moves: walking, flying and driving ones.
FREE = (
    *("a1", "anymal", "b1", "bolt", "borinot", "centauro", "g1", "go1", "go2", "hector", "hextilt"),
    *("human", "hyq", "icub", "iris", "laikago", "quadruped", "romeo", "simple_humanoid", "solo"),
    *("talos", "alex", "tiago_pro"),
)
# The same legs again, with other hands or a few numbers changed: compared on a fixed base only.
SAME_LEGS = ("_classical.urdf", "_corrected.urdf", "_with_hand_rev_1_0.urdf")

# The largest, which take longest: compared on a floating base only, where all their joints are too.
HUMANOIDS = (
    *("alex_", "centauro", "g1", "human_", "icub", "romeo", "simple_humanoid"),
    *("talos_data/robots/talos_full", "talos_data/robots/talos_reduced"),
)


def folder() -> Path | None:
    """The robots of the example-robot-data package, when it is installed."""
    try:
        files = distribution("example-robot-data").files
    except PackageNotFoundError:
        return None
    manifest = next(file for file in files or () if file.name == "package.xml")
    return Path(str(manifest.locate())).resolve().parent / "robots"


def names() -> list[str]:
    """Paths of all URDF files below the folder."""
    place = folder()
    if place is None:
        return []
    return sorted(str(path.relative_to(place)) for path in place.rglob("*.urdf"))
