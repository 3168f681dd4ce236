"""MODEL on the command line: a file, a machine of the library, or a robot of a wheel."""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from phalanx.base.files import home_path
from phalanx.base.robots import ROBOT, SUFFIXES, robot_files
from phalanx.cli.completion import MACHINES, offering, words
from phalanx.cli.console import say_warning
from phalanx.cli.metavariables import NAMES

if TYPE_CHECKING:
    from phalanx.mechanism import Mechanism


def model_names() -> list[str]:
    """Machines of the library and robots of the wheel; none of them is loaded."""
    return [*words()[MACHINES], *(ROBOT + name for name in robot_files())]


model_words = offering(model_names, *SUFFIXES)

Model = Annotated[
    str,
    typer.Argument(
        metavar="MODEL",
        autocompletion=model_words,
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
        metavar="FOLDER",
        help="A package, or folder of packages, in which meshes lie. May be repeated.",
        show_default=False,
    ),
]
NoClosures = Annotated[
    bool,
    typer.Option("--no-closures", help="Leave out closures in YAML files beside a URDF."),
]

Lock = Annotated[
    str | None,
    typer.Option(
        help="Joints that are held at zero, so that a chain is left: finger_1,finger_2.",
        metavar=NAMES,
        show_default=False,
    ),
]


@dataclass(frozen=True)
class Loading:
    """How MODEL is read."""

    floating_base: FloatingBase = False
    package_path: PackagePath = None
    no_closures: NoClosures = False

    def find(self, model: str) -> Mechanism:
        """The mechanism that a user means; see :func:`find_model`."""
        return find_model(model, self.floating_base, self.package_path, self.no_closures)


def find_model(
    model: str,
    floating_base: bool = False,
    package_path: list[Path] | None = None,
    no_closures: bool = False,
) -> Mechanism:
    """The mechanism that a user means by ``model``.

    Raises:
        UnknownName: When it is neither a file nor a known name; the message has the nearest one.
        ReadError: When the file cannot be read.
        OpenLoop: When its loops do not close.
    """
    from phalanx.mechanism.read import load
    from phalanx.mechanism.read.named import is_name

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        mechanism = load(
            model,
            floating_base=floating_base,
            package_paths=package_path or (),
            closures=False if no_closures else None,
        )
        if mechanism.loops and not is_name(model):
            # a frame that is moved to close a loop is said here, as what the file lacks is
            from phalanx.equations.loops.assembly.closed_loops import closed_loops

            closed_loops(mechanism)
    for warning in caught:
        say_warning(str(warning.message))
    return mechanism


def locked(mechanism: Mechanism, joints: str | None) -> Mechanism:
    """A mechanism whose joints of these names are held at zero.

    Raises:
        UnknownName: There is no such joint.
    """
    from phalanx.mechanism.edit import lock

    if joints is None:
        return mechanism
    return lock(mechanism, [name.strip() for name in joints.split(",")])


def model_reference(model: str) -> str:
    """MODEL as other processes and later days find it: a file by its whole path."""
    path = home_path(model)
    return str(path.resolve()) if os.path.isfile(path) else model
