"""Files that an MJCF model names, checked before MuJoCo opens them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree.ElementTree import Element

from phalanx.base.guarded_xml import parse_xml
from phalanx.mechanism.read.formats import check_root
from phalanx.mechanism.read.mesh_files import MeshFinder

# elements whose files only draw, or say how heavy a shape is
ASSETS = ("mesh", "texture", "skin")
# elements that bring in another model
PARTS = ("include", "model")
FOLDERS = ("meshdir", "texturedir", "assetdir")


@dataclass(frozen=True)
class ModelFiles:
    """Files of a model.

    Attributes:
        parts: The root elements of the model and of all that it includes.
        missing: Files of meshes, textures and skins that are not there, as written.
    """

    parts: list[Element]
    missing: list[str]


def check_files(model: Path, package_paths: Sequence[str | Path]) -> ModelFiles:
    """The files of a model, looked for where MuJoCo would.

    A model that includes, or draws from, files outside its folder is refused.

    Raises:
        ReadError: When it does, when an included file is not clean XML, or when the root element
            is not MuJoCo's.
    """
    root = parse_xml(model)
    check_root(root.tag, "mujoco")
    finder = MeshFinder(model, package_paths)
    parts = [(root, Path())]
    seen: set[Path] = set()
    for part, folder in parts:
        for name in (e.get("file", "") for tag in PARTS for e in part.iter(tag)):
            # relative to the model's folder or to that of the part, as MuJoCo's version has it
            places = [Path(name), folder / name]
            for path, file in zip(places, finder.find_each(map(str, places)), strict=True):
                if file is not None and file not in seen:
                    seen.add(file)
                    parts.append((parse_xml(file), path.parent))
    # a compiler setting in any part holds for all
    compilers = [compiler for part, _ in parts for compiler in part.iter("compiler")]
    folders = {Path()} | {Path(c.get(key, "")) for c in compilers for key in FOLDERS}
    missing: dict[str, None] = {}
    for element, place in ((e, place) for part, place in parts for e in part.iter()):
        for name in _files(element):
            places = [start / folder / name for folder in folders for start in (Path(), place)]
            if finder.find_first(map(str, places)) is None and element.tag in ASSETS:
                missing[name] = None
    return ModelFiles([part for part, _ in parts], list(missing))


def _files(element: Element) -> list[str]:
    """Values of ``file``, and of ``fileright`` and its like of a cube texture."""
    return [value for key, value in element.attrib.items() if key.startswith("file")]
