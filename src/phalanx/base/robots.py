"""Names of the robots that the package ``example-robot-data`` publishes."""

from __future__ import annotations

from pathlib import Path

ROBOT = "robot:"
ROBOTS_PACKAGE = "example-robot-data"
SUFFIXES = (".urdf", ".xml", ".mjcf", ".sdf", ".world", ".xacro")  # of files that are models


def robot_files() -> dict[str, Path]:
    """Name to URDF file of every robot in example-robot-data; empty when it is not installed.

    A robot is named after its file; where two files share a name, the folder stands in front.
    """
    from importlib import metadata

    try:
        files = metadata.files(ROBOTS_PACKAGE) or []
    except metadata.PackageNotFoundError:
        return {}
    urdfs = [file for file in files if file.suffix == ".urdf"]
    stems = [file.stem for file in urdfs]
    named = {}
    for file in sorted(urdfs):
        package = file.parts[file.parts.index("robots") + 1] if "robots" in file.parts else ""
        name = file.stem if stems.count(file.stem) == 1 else f"{package}/{file.stem}"
        named[name] = Path(str(file.locate()))
    return named
