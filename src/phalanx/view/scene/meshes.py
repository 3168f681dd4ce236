"""Mesh files: surfaces in metres, with their own colours where they have some.

A mesh may name further files (textures, materials). Only those in its own folder are read: a model
from elsewhere must not pull other files into a page that a server hands out.
"""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from phalanx.base.errors import ReadError
from phalanx.base.files import naming_file, read_bytes
from phalanx.base.guarded_xml import parse_xml
from phalanx.mechanism import Mesh

COLLADA = ".dae"
# formats whose size is that of their file: archives can unpack to more than memory holds
SURFACES = (".stl", ".obj", COLLADA, ".ply", ".off", ".glb", ".gltf")
LARGEST_FILE = 256 * 2**20


def read_mesh(mesh: Mesh) -> Any:
    """The mesh as a ``trimesh.Scene``, scaled to metres.

    Raises:
        ReadError: When the file holds no surface that can be read.
    """
    import trimesh

    path = mesh.path
    suffix = path.suffix.lower()
    if suffix not in SURFACES:
        raise ReadError(f"mesh {path}: unknown format; read are {', '.join(SURFACES)}.")
    with naming_file(f"mesh {path}"):
        content = read_bytes(path, LARGEST_FILE)
        if suffix == COLLADA:
            parse_xml(path)  # refuses entity bombs, which the mesh reader would expand
    try:
        scene = trimesh.load_scene(
            BytesIO(content), file_type=suffix[1:], resolver=_folder_resolver(path.parent)
        )
        if suffix == COLLADA and scene.units not in (None, "meters"):
            scene = scene.convert_units("meters")
    except Exception as error:  # readers of a dozen formats have no common error
        raise ReadError(f"mesh {path} cannot be read: {error}") from error
    if not any(len(getattr(part, "faces", ())) for part in scene.geometry.values()):
        raise ReadError(f"mesh {path} has no faces.")
    return _scaled(scene, mesh.scale)


def _scaled(scene: Any, scale: tuple[float, float, float]) -> Any:
    if scale != (1.0, 1.0, 1.0):
        scene.apply_transform(np.diag([*scale, 1.0]))
    return scene


def has_own_colours(scene: Any) -> bool:
    """Whether the file says what colours the surface has."""
    return any(part.visual.kind is not None for part in scene.geometry.values())


def one_surface(scene: Any) -> tuple[Any, Any]:
    """All parts of a mesh as vertices (n, 3) and triangles (m, 3)."""
    whole = scene.to_mesh()
    return whole.vertices, whole.faces


def _folder_resolver(folder: Path) -> Any:
    """Reads the files beside a mesh and no others."""
    from trimesh.resolvers import Resolver

    class FolderResolver(Resolver):
        def __init__(self) -> None:
            pass

        def get(self, name: str) -> bytes:
            file = (folder / name.strip()).resolve()
            if not file.is_relative_to(folder.resolve()):
                raise FileNotFoundError(f"{name} is not in the folder of the mesh")
            return read_bytes(file, LARGEST_FILE)

        def write(self, name: str, data: bytes) -> None:
            raise PermissionError(f"{name}: meshes are only read")

        def namespaced(self, namespace: str) -> Any:
            return _folder_resolver(folder / namespace)

        def keys(self) -> list[str]:
            return [file.name for file in folder.iterdir()]

    return FolderResolver()
