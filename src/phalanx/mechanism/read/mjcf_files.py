"""Files that an MJCF model names, checked before MuJoCo opens them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from xml.etree.ElementTree import Element

from phalanx.errors import ReadError
from phalanx.mechanism.read.guarded_xml import parse_xml
from phalanx.mechanism.read.mesh_files import MeshFinder

# elements that bring in another model
PARTS = ("include", "model")
FOLDERS = ("meshdir", "texturedir", "assetdir")


def check_files(model: Path, package_paths: Sequence[str | Path]) -> list[Element]:
    """The root elements of a model and of all that it includes.

    A model that includes, or draws from, files outside its folder is refused.

    Raises:
        ReadError: When it does, when an included file is not clean XML, or when the root element
            is not MuJoCo's.
    """
    root = parse_xml(model)
    if root.tag != "mujoco":
        raise ReadError(f"the root element is <{root.tag}>; MJCF has <mujoco>, URDF <robot>.")
    finder = MeshFinder(model, package_paths)
    parts = [(root, Path())]
    seen: set[Path] = set()
    for part, folder in parts:
        for name in (e.get("file", "") for tag in PARTS for e in part.iter(tag)):
            # relative to the model's folder or to that of the part, as MuJoCo's version has it
            for path in {Path(name), folder / name}:
                file = finder.find_path(str(path))
                if file is not None and file not in seen:
                    seen.add(file)
                    parts.append((parse_xml(file), path.parent))
    # a compiler setting in any part holds for all
    compilers = [compiler for part, _ in parts for compiler in part.iter("compiler")]
    folders = {Path()} | {Path(c.get(key, "")) for c in compilers for key in FOLDERS}
    for element, place in ((e, place) for part, place in parts for e in part.iter()):
        for name in _files(element):
            for folder in folders:
                finder.find_path(str(folder / name))
                finder.find_path(str(place / folder / name))
    return [part for part, _ in parts]


def _files(element: Element) -> list[str]:
    """Values of ``file``, and of ``fileright`` and its like of a cube texture."""
    return [value for key, value in element.attrib.items() if key.startswith("file")]
