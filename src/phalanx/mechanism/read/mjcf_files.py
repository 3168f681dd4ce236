"""Files that an MJCF model names, checked before MuJoCo opens them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from xml.etree.ElementTree import Element

from phalanx.errors import ReadError
from phalanx.mechanism.read.guarded_xml import parse_xml
from phalanx.mechanism.read.mesh_files import MeshFinder

FOLDERS = ("meshdir", "texturedir", "assetdir")


def check_files(model: Path, package_paths: Sequence[str | Path]) -> None:
    """Refuse a model that includes, or draws from, files outside its folder.

    Raises:
        ReadError: When it does, when an included file is not clean XML, or when the root element
            is not MuJoCo's.
    """
    root = parse_xml(model)
    if root.tag != "mujoco":
        raise ReadError(f"the root element is <{root.tag}>; MJCF has <mujoco>, URDF <robot>.")
    finder = MeshFinder(model, package_paths)
    parts = [root]
    seen: set[Path] = set()
    for part in parts:
        for include in part.iter("include"):
            file = finder.find(include.get("file", ""))
            if file is not None and file not in seen:
                seen.add(file)
                parts.append(parse_xml(file))
    # a compiler setting in any part holds for all
    folders = {""} | {
        compiler.get(key, "")
        for part in parts
        for compiler in part.iter("compiler")
        for key in FOLDERS
    }
    for element in (element for part in parts for element in part.iter()):
        for named in _files(element):
            for folder in folders:
                finder.find(str(Path(folder) / named))


def _files(element: Element) -> list[str]:
    """Values of ``file``, and of ``fileright`` and its like of a cube texture."""
    return [value for key, value in element.attrib.items() if key.startswith("file")]
