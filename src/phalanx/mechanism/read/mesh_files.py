"""Search for a model's mesh files, never outside the folders that the user trusts.

Trusted are the model's package (the nearest folder above the file with a ``package.xml``, or else
the file's own folder), near folders above it that bear the package's name, and ``package_paths``.
A path that leaves them, by ``..``, by a symbolic link or because it is absolute, is refused.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from urllib.parse import unquote, urlsplit
from xml.etree.ElementTree import Element

from phalanx.base.cached import cached_property
from phalanx.base.errors import ReadError, shown
from phalanx.base.files import home_path, naming_file
from phalanx.base.guarded_xml import parse_xml

# <package>/<group>/<robot>/urdf/robot.urdf
LEVELS = 4


class _Outside(ReadError):
    """A path to a place outside the trusted folders."""


class _Empty(_Outside):
    """A path to a place outside the trusted folders where there is no file."""


class MeshFinder:
    """Finds the meshes that one model file names, and remembers those it did not find."""

    def __init__(self, model: Path, package_paths: Sequence[str | Path]) -> None:
        """Look from ``model``, a file, and in ``package_paths``, packages or folders of them."""
        self._folder = model.resolve().parent
        self._extra = [_folder_of(path) for path in package_paths]
        self.missing: list[str] = []
        self.outside: list[str] = []

    def drawn(self, uri: str) -> Path | None:
        """The mesh that is only drawn; one outside the trusted folders is noted and not opened."""
        try:
            return self.find(uri)
        except _Outside:
            self.outside.append(uri)
            return None

    def find(self, uri: str) -> Path | None:
        """The mesh behind ``package://``, ``model://``, ``file://`` or a plain path, if any.

        Raises:
            ReadError: When the path leaves the trusted folders, or is none.
        """
        try:
            parts = urlsplit(uri)
        except ValueError as error:
            raise ReadError(f"mesh '{uri}': {error}.") from error
        if parts.scheme in ("package", "model"):
            # package:///name/… with three slashes occurs in the wild
            within = unquote(parts.netloc + parts.path).lstrip("/")
            package, _, inside = within.partition("/")
            roots = self._packages(package)
            found = [self._inside(root / inside.lstrip("/"), root, uri) for root in roots]
            if not parts.netloc and not any(found):
                # package:///mesh.stl names no package: the file lies in the model's own
                found += [self._inside(root / within, root, uri) for root in self._own]
        elif parts.scheme == "file":
            # file://mesh.stl names no place on the machine: it lies beside the model
            path = Path(unquote(parts.path or parts.netloc))
            found = [self._inside(self._folder / path, self._home, uri)]
        else:
            found = [] if parts.scheme else [self.find_path(uri)]
        file = next((path for path in found if path is not None), None)
        if file is None:
            self.missing.append(uri)
        return file

    def find_model(self, uri: str) -> Path | None:
        """The SDF file that ``model://name`` or a path means: a file, or that of a folder.

        The manifest ``model.config`` of a folder says which file is of the latest version.

        Raises:
            ReadError: When the path leaves the trusted folders, or is none.
        """
        try:
            parts = urlsplit(uri)
        except ValueError as error:
            raise ReadError(f"'{uri}': {error}.") from error
        if parts.scheme not in ("", "model", "package", "file"):
            raise ReadError(f"no file is fetched from '{parts.scheme}:'. Save it in the folder.")
        within = unquote(parts.netloc + parts.path)
        within = within if parts.scheme == "file" else within.lstrip("/")
        name, _, inside = within.partition("/")
        tries = [(folder / within, folder) for folder in self._own]
        if parts.scheme in ("model", "package"):
            tries = [*((root / inside, root) for root in self._packages(name)), *tries]
        for path, root in tries:
            manifest = self._inside(path / "model.config", root, uri)
            names = [] if manifest is None else _model_files(manifest)
            for file in (path, *(path / name for name in (*names, "model.sdf"))):
                found = self._inside(file, root, uri)
                if found is not None:
                    return found
        return None

    def of_included(self, file: Path) -> MeshFinder:
        """A finder for a file that the model includes; it trusts the same folders."""
        finder = MeshFinder(file, [])
        finder._extra = list(dict.fromkeys([*self._own, *self._extra]))
        finder.missing, finder.outside = self.missing, self.outside
        return finder

    def find_path(self, path: str) -> Path | None:
        """The file at a plain path, relative to the model; None when it is not there.

        Raises:
            ReadError: When the path leaves the trusted folders, or is none.
        """
        return self.find_first([path])

    def find_first(self, paths: Iterable[str]) -> Path | None:
        """The file at the first of some plain paths at which there is one; None if at none."""
        return next((file for file in self.find_each(paths) if file is not None), None)

    def find_each(self, paths: Iterable[str]) -> list[Path | None]:
        """The file at each of some plain paths that may mean the same; None where there is none.

        Where one of them leads to a file inside the trusted folders, others may lead to places
        outside at which there is nothing.

        Raises:
            ReadError: When one leads to a file outside the trusted folders, or is none; when one
                leaves them and nothing is inside.
        """
        found: list[Path | None] = []
        refused: list[ReadError] = []
        for path in paths:
            try:
                found.append(self._inside(self._folder / path, self._home, path))
            except _Empty as error:
                found.append(None)
                refused.append(error)
        if refused and not any(found):
            raise refused[0]
        return found

    def _inside(self, path: Path, root: Path, written: str) -> Path | None:
        try:
            real = path.resolve()
            if real.is_symlink():  # later interpreters leave a loop of links as it is
                raise OSError(f"{os.strerror(errno.ELOOP)}")
            trusted = any(real.is_relative_to(folder) for folder in (root, *self._extra))
            # an absolute path of someone else's machine is merely not here
            if not trusted and (".." in path.parts or real.exists()):
                raise (_Outside if real.exists() else _Empty)(
                    f"file '{written}' lies outside the model's folder {root}. If you trust the "
                    "place, name it in package_paths."
                )
            return real if trusted and real.is_file() else None
        except (OSError, RuntimeError, ValueError) as error:
            # too long a name, a loop of links
            raise ReadError(f"file '{written}': {error}.") from error

    @property
    def _own(self) -> list[Path]:
        """Folders in which files of no package are looked for."""
        return list(dict.fromkeys([self._folder, self._home, *self._extra]))

    @cached_property
    def _home(self) -> Path:
        """The folder of the model's package."""
        for folder in (self._folder, *self._folder.parents):
            if (folder / "package.xml").is_file():
                return folder
        return self._folder

    def _packages(self, name: str) -> list[Path]:
        """Folders that may be the package of that name, the likeliest first."""
        home = [self._home] if self._home_name == name else []
        above = [folder for folder in self._folders_above if folder.name == name]
        extra = [p for path in self._extra for p in (path, path / name) if p.name == name]
        return [*home, *above, *extra]

    @cached_property
    def _folders_above(self) -> list[Path]:
        """Folders that may bear a package's name: within the package, or a few levels up.

        Not all the way up: a model could call its package ``home`` and reach everybody's files.
        """
        above = [self._folder, *self._folder.parents]
        if self._home_name is not None:
            return above[: above.index(self._home) + 1]
        near = above[:LEVELS]
        try:
            user = Path.home().resolve()
        except RuntimeError:  # a user without a name and without HOME has no folder to protect
            return near
        return [folder for folder in near if not user.is_relative_to(folder)]

    @cached_property
    def _home_name(self) -> str | None:
        """What the package calls itself; its folder may be a renamed copy."""
        manifest = self._home / "package.xml"
        if not manifest.is_file():
            return None
        with naming_file(manifest):
            return parse_xml(manifest).findtext("name", default="")


def _model_files(manifest: Path) -> list[str]:
    """Files that a ``model.config`` names, the latest version first."""
    with naming_file(manifest):
        files = [x for x in parse_xml(manifest).findall("sdf") if (x.text or "").strip()]

    def version(file: Element) -> list[int]:
        numbers = file.get("version", "").split(".")
        return [int(x) if x.isdecimal() and x.isascii() else 0 for x in numbers]

    return [(x.text or "").strip() for x in sorted(files, key=version, reverse=True)]


def _folder_of(path: str | Path) -> Path:
    try:
        folder = home_path(path).resolve()
    except (OSError, RuntimeError, ValueError) as error:
        # too long a name, a loop of links, a NUL
        raise ReadError(f"package path {shown(str(path))}: {error}.") from error
    if not os.path.isdir(folder):
        raise ReadError(f"package path {shown(str(path))} is no folder.")
    return folder
