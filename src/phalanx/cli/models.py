"""MODEL on the command line: a file, a machine of the library, or a robot of a wheel."""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from phalanx.cli.console import say_warning
from phalanx.errors import MissingExtra, UnknownName
from phalanx.files import home_path

if TYPE_CHECKING:
    from phalanx.mechanism import Mechanism

ROBOT = "robot:"
ROBOTS_PACKAGE = "example-robot-data"
SHOWN = 8  # names in a message; `phalanx library` has all
SUFFIXES = (".urdf", ".xml", ".mjcf", ".sdf", ".xacro")

Model = Annotated[
    str,
    typer.Argument(
        metavar="MODEL",
        help="A file (.urdf, .xml, .sdf), a machine of the library (puma560, chain:999), or "
        "robot:NAME.",
        show_default=False,
    ),
]
FloatingBase = Annotated[
    bool, typer.Option("--floating-base", help="Let the root move freely, as of a humanoid.")
]
PackagePath = Annotated[
    list[Path] | None,
    typer.Option(
        help="A package, or folder of packages, in which meshes lie. May be repeated.",
        show_default=False,
    ),
]


@dataclass(frozen=True)
class Loading:
    """How MODEL is read."""

    floating_base: FloatingBase = False
    package_path: PackagePath = None

    def find(self, model: str) -> Mechanism:
        """The mechanism that a user means; see :func:`find_model`."""
        return find_model(model, self.floating_base, self.package_path)


def find_model(
    model: str, floating_base: bool = False, package_path: list[Path] | None = None
) -> Mechanism:
    """The mechanism that a user means by ``model``.

    Raises:
        UnknownName: When it is neither a file nor a known name; the message has the nearest one.
        ReadError: When the file cannot be read.
        OpenLoop: When its loops do not close.
    """
    from phalanx.mechanism import library, with_floating_base
    from phalanx.mechanism.read import load

    if library.knows(model):
        mechanism = library.by_name(model)
        return with_floating_base(mechanism) if floating_base else mechanism
    path = _file(model)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        mechanism = load(path, floating_base=floating_base, package_paths=package_path or ())
        if mechanism.loops:
            # a frame that is moved to close a loop is said here, as what the file lacks is
            from phalanx.equations.assembly.closed_loops import closed_loops

            closed_loops(mechanism)
    for warning in caught:
        say_warning(str(warning.message))
    return mechanism


def model_reference(model: str) -> str:
    """MODEL as other processes and later days find it: a file by its whole path."""
    path = home_path(model)
    return str(path.resolve()) if os.path.isfile(path) else model


def _file(model: str) -> Path:
    if model.startswith(ROBOT):
        robots = robot_files()
        if not robots:
            raise MissingExtra(f"'{model}'", "bench")
        name = model.removeprefix(ROBOT)
        if name not in robots:
            raise UnknownName(ROBOTS_PACKAGE, "robot", name, _nearest(name, robots)[:SHOWN])
        return robots[name]
    path = home_path(model)
    if os.path.exists(path) or path.suffix.lower() in SUFFIXES or len(path.parts) > 1:
        return path
    from phalanx.mechanism import library

    known = [*library.names(), *(ROBOT + name for name in robot_files())]
    raise UnknownName(
        "phalanx (see `phalanx library`)", "model", model, _nearest(model, known)[:SHOWN]
    )


def _nearest(name: str, known: dict[str, Path] | list[str]) -> list[str]:
    """Known names, those that resemble ``name`` or contain it first."""
    plain = {k: k.removeprefix(ROBOT) for k in known}
    close = get_close_matches(name, plain.values(), n=5, cutoff=0.5)
    first = [k for k, p in plain.items() if name.lower() in p.lower()]
    first += [k for k, p in plain.items() if p in close and k not in first]
    return first + [k for k in known if k not in first]


def robot_files() -> dict[str, Path]:
    """Name to URDF file of every robot in example-robot-data; empty when it is not installed.

    A robot is named after its file; where two files share a name, the folder stands in front.
    """
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
