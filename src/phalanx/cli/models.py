"""The argument MODEL: a file, a machine of the library, or a robot of example-robot-data."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

import typer

from phalanx.base.files import home_path
from phalanx.base.robots import ROBOT, SUFFIXES, robot_files
from phalanx.cli.completion import MACHINES, offering, words
from phalanx.cli.console import print_warnings
from phalanx.cli.metavariables import NAMES

if TYPE_CHECKING:
    from phalanx.mechanism import Mechanism


def model_names() -> list[str]:
    """Return names of machines of the library and of robots, without loading them."""
    return [*words()[MACHINES], *(ROBOT + name for name in robot_files())]


model_words = offering(model_names, *SUFFIXES)

Model = Annotated[
    str,
    typer.Argument(
        metavar="MODEL",
        autocompletion=model_words,
        help="Model file (.urdf, .xml, .sdf), machine of the library (puma560, chain:999), or "
        "robot:NAME.",
        show_default=False,
    ),
]
FloatingBase = Annotated[
    bool, typer.Option("--floating-base", help="Give the root six degrees of freedom.")
]
PackagePath = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="FOLDER",
        help="Folder with mesh files: a package, or a folder of packages. May be repeated.",
        show_default=False,
    ),
]
NoClosures = Annotated[
    bool,
    typer.Option("--no-closures", help="Ignore the loop closures in the YAML file of a URDF."),
]

Lock = Annotated[
    str | None,
    typer.Option(
        help="Joints to fix at zero, such as those of other kinds than the command takes.",
        metavar=NAMES,
        show_default=False,
    ),
]


@dataclass(frozen=True)
class Loading:
    """Options for reading MODEL."""

    panel: ClassVar = "Reading the model"

    floating_base: FloatingBase = False
    package_path: PackagePath = None
    no_closures: NoClosures = False

    def find(self, model: str) -> Mechanism:
        """Return the mechanism of a model; see :func:`find_model`."""
        return find_model(model, self.floating_base, self.package_path, self.no_closures)


def find_model(
    model: str,
    floating_base: bool = False,
    package_path: list[Path] | None = None,
    no_closures: bool = False,
) -> Mechanism:
    """Return the mechanism of a file or name, and print warnings of its reader.

    Raises:
        UnknownName: When it is neither a file nor a known name; the message has the nearest one.
        ReadError: When the file cannot be read.
        OpenLoop: When its loops do not close.
    """
    from phalanx.mechanism.read import load
    from phalanx.mechanism.read.named import is_name

    with print_warnings():
        mechanism = load(
            model,
            floating_base=floating_base,
            package_paths=package_path or (),
            closures=False if no_closures else None,
        )
        if mechanism.loops and not is_name(model):
            # warns of frames that are moved to close a loop
            from phalanx.equations.loops.assembly.closed_loops import closed_loops

            closed_loops(mechanism)
    return mechanism


def locked(mechanism: Mechanism, joints: str | None) -> Mechanism:
    """Return the mechanism with the named joints fixed at zero.

    Raises:
        UnknownName: There is no such joint.
    """
    from phalanx.mechanism.edit import lock

    if joints is None:
        return mechanism
    return lock(mechanism, [name.strip() for name in joints.split(",")])


def model_reference(model: str) -> str:
    """Return MODEL for other processes and later runs: a file by its absolute path."""
    path = home_path(model)
    return str(path.resolve()) if os.path.isfile(path) else model
