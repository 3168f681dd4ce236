"""Model files that others published: which load, which are refused and why, which are right.

    python benchmarks/models.py FOLDER ... [--states 3] [--json out.json] [--all]

Every URDF, MJCF and SDF file below the folders is read. A robot is a file that is meant to be
loaded alone: scenes, which put robots on a floor, and parts, which other files include, are counted
apart, as are robots whose meshes are missing here and would say how heavy they are. Robots that
load are compared with who reads the format too: mass matrix and gravity in random postures with
MuJoCo (MJCF) and with Pinocchio (URDF). Where a URDF has closures in the form of parallel robots,
the freedoms that they leave are compared with the rank of Pinocchio's constraint Jacobian.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
from defusedxml.ElementTree import parse
from rich.console import Console
from rich.table import Table

import phalanx as px
from model_peers import Peer, closed_freedoms, in_mujoco, in_pinocchio
from phalanx.base.guarded_xml import parse_xml
from phalanx.equations.tree.build import model_as_written
from phalanx.mechanism import Mechanism

SUFFIXES = {".urdf": "URDF", ".xml": "MJCF", ".mjcf": "MJCF", ".sdf": "SDF"}
AGREE = 1e-7  # of the largest number of a result
ROOTS = ("robot", "mujoco", "sdf", "gazebo")


@dataclass
class Finding:
    """A file and what became of it.

    Attributes:
        file: Its path below the folder.
        kind: Robot, scene, part or incomplete.
        loaded: Whether it was read.
        reason: Why not.
        check: Whom it was compared with, and the largest relative difference.
        difference: That difference, if there was a comparison.
    """

    file: str
    kind: str
    loaded: bool
    reason: str = ""
    check: str = ""
    difference: float | None = None


def find(folder: Path) -> list[Path]:
    """Model files below a folder."""
    files = (file for file in folder.rglob("*") if file.suffix.lower() in SUFFIXES)
    return sorted(file for file in files if file.is_file() and root_of(file) in ROOTS)


def root_of(file: Path) -> str:
    """The root element of a file; none of a file that is no XML."""
    try:
        return parse_xml(file).tag
    except px.PhalanxError:
        return ""


def included(files: list[Path]) -> set[Path]:
    """Files that others include."""
    return {
        (file.parent / element.get("file", "")).resolve()
        for file in files
        if file.suffix.lower() == ".xml"
        for element in parse(file).iter("include")
    }


def kind_of(file: Path, parts: set[Path], error: str) -> str:
    """What a file is meant for."""
    if "scene" in file.stem:
        return "scene"
    if "is missing, and the inertia of" in error:
        return "incomplete"
    # a part of another model that does not stand for itself
    if error and (file.resolve() in parts or "It has no bodies" in error):
        return "part"
    return "robot"


def examine(folder: Path, states: int) -> list[Finding]:
    """Read and compare all files of a folder."""
    files = find(folder)
    parts, found = included(files), []
    for file in files:
        name = str(file.relative_to(folder))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                mechanism = px.load(file)
            except px.PhalanxError as error:
                text = str(error).replace(f"{file}: ", "")
                found.append(Finding(name, kind_of(file, parts, text), False, text))
                continue
            kind = kind_of(file, parts, "")
            alone = len(mechanism.bodies) == 1 or file.resolve() in parts
            if kind == "robot" and not mechanism.nv and alone:
                kind = "part"  # it says nothing by itself
            # a scene is a robot of the same folder on a floor
            check, difference = ("", None) if kind == "scene" else compared(file, mechanism, states)
        found.append(Finding(name, kind, True, "", check, difference))
    return found


def compared(file: Path, mechanism: Mechanism, states: int) -> tuple[str, float | None]:
    """Whom a machine was compared with, and the largest relative difference; or why not."""
    formats = {"robot": in_pinocchio, "mujoco": in_mujoco}
    reader = formats.get(root_of(file))
    if reader is None:
        return "no other reader here", None
    if not mechanism.nv:
        return "nothing moves", None
    closed = mechanism
    if mechanism.loops and root_of(file) == "robot":
        mechanism = tree_of(file)
    try:
        peer = reader(file, mechanism)
    except Exception as error:  # whatever others raise of a file
        return f"not read by the other: {' '.join(str(error).split())[:80]}", None
    difference = max_difference(mechanism, peer, states)
    text = peer.name
    if closed.loops and root_of(file) == "robot":
        ours, theirs = closed_freedoms(file, closed)
        text += f", freedoms {ours} and {theirs}"
        if ours != theirs:
            return text, float("inf")
    return text, difference


def tree_of(file: Path) -> Mechanism:
    """A URDF without its closures, whose joints are the hinges that are written."""
    from phalanx.mechanism.read.urdf import read_urdf

    return read_urdf(file)[0]


def max_difference(mechanism: Mechanism, peer: Peer, states: int) -> float:
    """Of mass matrix and gravity, relative to the largest number in each."""
    tree, n = model_as_written(mechanism), mechanism.nv
    M = px.expression(px.mass_matrix.composite_body, tree)
    tau = px.expression(px.inverse_dynamics.recursive, tree)
    worst = 0.0
    for q in mechanism.random_positions(states, seed=1):
        zero = ca.DM.zeros(n)
        inertia, weight = peer.evaluate(q)
        largest = float(np.abs(inertia).max(initial=0.0))
        # of a machine that lies flat, gravity is what rounding leaves
        heaviest = max(float(np.abs(weight).max(initial=0.0)), 9.81 * largest)
        for ours, theirs, size in (
            (M(q), inertia, largest),
            (tau(q, zero, zero), weight, heaviest),
        ):
            mine = np.asarray(ours).reshape(theirs.shape)
            worst = max(worst, float(np.abs(mine - theirs).max(initial=0.0)) / (size or 1.0))
    return worst


def show(console: Console, folder: Path, found: list[Finding], every: bool) -> None:
    """Counts of a folder, and what was refused or differs."""
    counts = Table(title=str(folder))
    for column in ("files", "number", "loaded", "compared", "agree"):
        counts.add_column(column, justify="left" if column == "files" else "right")
    for kind in ("robot", "scene", "part", "incomplete"):
        own = [x for x in found if x.kind == kind]
        with_peer = [x for x in own if x.difference is not None]
        agree = [x for x in with_peer if x.difference is not None and x.difference < AGREE]
        loaded = sum(x.loaded for x in own)
        share = f" ({loaded / len(own):.1%})" if own and kind == "robot" else ""
        row = [kind, str(len(own)), f"{loaded}{share}", str(len(with_peer)), str(len(agree))]
        counts.add_row(*row)
    console.print(counts)
    for x in found:
        differs = x.difference is not None and x.difference >= AGREE
        if every or differs or not x.loaded:
            end = f"{x.difference:.1e}" if x.difference is not None else ""
            console.print(f"{x.kind:10} {x.file}: {x.reason or x.check} {end}", soft_wrap=True)
    others = Counter(x.check for x in found if x.check and x.difference is None)
    for reason, number in others.items():
        console.print(f"not compared: {number} × {reason}", soft_wrap=True)


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--states", type=int, default=3, help="postures compared")
    parser.add_argument("--json", type=Path, help="write all findings")
    parser.add_argument("--all", action="store_true", help="list files that agree too")
    given = parser.parse_args()
    console = Console(highlight=False)
    everything: dict[str, list[dict[str, Any]]] = {}
    wrong = 0
    for folder in given.folders:
        begin = time.monotonic()
        found = examine(folder, given.states)
        show(console, folder, found, given.all)
        console.print(f"{time.monotonic() - begin:.0f} s")
        everything[str(folder)] = [asdict(x) for x in found]
        wrong += sum(x.difference is not None and x.difference >= AGREE for x in found)
    if given.json:
        given.json.write_text(json.dumps(everything, indent=1))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
