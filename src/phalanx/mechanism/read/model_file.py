"""Load a model file: choose the reader by the file's format."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from phalanx.base.arguments import check_call
from phalanx.base.errors import InvalidInput, InvalidModel, ReadError
from phalanx.base.files import home_path, naming_file
from phalanx.base.guarded_xml import parse_xml
from phalanx.mechanism.edit import merge_fixed as merged
from phalanx.mechanism.edit import with_floating_base
from phalanx.mechanism.joint import Fixed
from phalanx.mechanism.mechanism import Mechanism
from phalanx.mechanism.read.closures import closures_beside, with_closures
from phalanx.mechanism.read.formats import SUPPORTED
from phalanx.mechanism.read.mjcf import read_mjcf
from phalanx.mechanism.read.named import named_model
from phalanx.mechanism.read.report import Remark, unsupported_phrases, warn_about
from phalanx.mechanism.read.sdf import read_sdf
from phalanx.mechanism.read.unstated import without_unstated_limits
from phalanx.mechanism.read.urdf import read_urdf

READERS = {"robot": read_urdf, "mujoco": read_mjcf, "sdf": read_sdf}
# what files are called, and the root element that they should have
SUFFIXES = {
    ".urdf": "robot",
    ".xml": "mujoco",
    ".mjcf": "mujoco",
    ".sdf": "sdf",
    ".world": "sdf",
}
MASSLESS = "these bodies move without a mass, which is rarely meant (no <inertial>?)"


def load(
    path: str | Path,
    *,
    floating_base: bool = False,
    merge_fixed: bool = False,
    package_paths: Sequence[str | Path] = (),
    closures: str | Path | bool | None = None,
) -> Mechanism:
    """The mechanism in a model file, or of a name.

    >>> px.load("arm.urdf"), px.load("puma560"), px.load("chain:300"), px.load("robot:panda")

    Args:
        path: A URDF, MJCF or SDF file; or, as text, the name of a machine of the library with
            numbers behind it where it takes some, or ``robot:NAME`` for a robot of
            example-robot-data.
            A name wins over a file that is called the same: ``./puma560`` or a ``Path`` is a file.
        floating_base: Let the root move freely, as of a humanoid or a quadruped.
        merge_fixed: Lump bodies that are fixed to each other; their frames keep their names.
        package_paths: Packages, or folders of packages, in which meshes may lie.
        closures: A YAML file of loop closures; for ``arm.urdf``, ``arm.closures.yaml`` beside it is
            read when none is named, or ``arm.yaml`` or ``robot.yaml`` with a key ``closed_loop``.
            False reads none of these.

    Raises:
        ReadError: When the file cannot be read, with the place and the reason.
        InvalidModel: When what it describes contradicts mechanics.
        UnknownName: When it is neither a file nor a known name, with the nearest one.
        MissingExtra: When the format, or a robot, needs a package that is not installed.
    """
    check_call(load, locals())
    if closures is True:
        raise InvalidInput("closures=True names no file; expected a YAML file, None or False.")
    named = home_path(closures) if isinstance(closures, str | Path) else None
    found = named_model(path) if isinstance(path, str) else home_path(path)
    if isinstance(found, Mechanism):
        mechanism = found if named is None else with_closures(found, named)
        mechanism = with_floating_base(mechanism) if floating_base else mechanism
        return merged(mechanism) if merge_fixed else mechanism
    path = found
    if os.path.isdir(path):
        raise ReadError(f"{path} is a folder; name the model file in it: {SUPPORTED}.")
    if not os.path.exists(path):
        raise ReadError(f"there is no file {path} (looked in {Path.cwd()}).")
    root = _root_element(path)
    mechanism, remarks = READERS[root](path, package_paths)
    if named is not None:
        mechanism = with_closures(mechanism, named)
    elif closures is None and root == "robot":
        mechanism = _with_closures_beside(mechanism, path)
    if root in ("robot", "sdf"):
        mechanism, unstated = without_unstated_limits(mechanism)
        remarks += unstated
    if floating_base:
        mechanism = with_floating_base(mechanism)
    if root == "robot":
        # in MJCF, bodies between the joints of one body are massless by construction
        remarks.append(Remark(MASSLESS, _moving_without_mass(mechanism)))
    warn_about(path, remarks)
    ignored = unsupported_phrases(remarks)
    mechanism = replace(mechanism, unsupported=ignored) if ignored else mechanism
    return merged(mechanism) if merge_fixed else mechanism


def _with_closures_beside(mechanism: Mechanism, path: Path) -> Mechanism:
    """The mechanism with the closures of a file that lies beside its own, if there is one."""
    beside = closures_beside(path)
    if beside is None:
        return mechanism
    try:
        return with_closures(mechanism, beside)
    except (ReadError, InvalidModel) as error:
        hint = "Load the model with closures=False to go without (phalanx … --no-closures)."
        raise type(error)(f"{error} {hint}") from error


def _root_element(path: Path) -> str:
    """The root element of the format that a file is in, by its suffix; of XML, the one it has."""
    suffix = path.suffix.lower()
    if suffix in (".xml", ".mjcf", ".world"):
        with naming_file(path):
            tag = parse_xml(path).tag
        return tag if tag in READERS else SUFFIXES[suffix]
    if suffix in SUFFIXES:
        return SUFFIXES[suffix]
    if suffix == ".xacro":
        raise ReadError(f"{path}: expand it first: xacro {path.name} > {path.stem}.urdf")
    raise ReadError(f"{path}: unknown format '{suffix}'; supported are {SUPPORTED}.")


def _moving_without_mass(mechanism: Mechanism) -> list[str]:
    """Bodies that a joint moves and that, with all that is fixed to them, have no mass."""
    lump = [body.mass for body in mechanism.bodies]
    for k in reversed(range(len(mechanism.joints))):
        if isinstance(mechanism.joints[k].motion, Fixed):
            lump[mechanism.parents[k + 1]] += lump[k + 1]
    return [
        joint.child
        for k, joint in enumerate(mechanism.joints)
        if joint.motion.nv and lump[k + 1] == 0
    ]
