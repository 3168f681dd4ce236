"""Where a model's meshes are, never outside the folders the user trusts.

Trusted are the model's package (the nearest folder above the file with a ``package.xml``, or else
the file's own folder), folders above it that bear a package's name, and ``package_paths``. A path
that leaves them, by ``..``, by a symbolic link or because it is absolute, is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from urllib.parse import unquote, urlsplit

from phalanx.errors import ReadError
from phalanx.mechanism.read.guarded_xml import parse_xml


class MeshFinder:
    """Finds the meshes that one model file names, and remembers those it did not find."""

    def __init__(self, model: Path, package_paths: Sequence[str | Path]) -> None:
        """Look from ``model``, a file, and in ``package_paths``, packages or folders of them."""
        self._folder = model.resolve().parent
        self._extra = [Path(path).expanduser().resolve() for path in package_paths]
        self.missing: list[str] = []

    def find(self, uri: str) -> Path | None:
        """The mesh behind ``package://``, ``file://`` or a plain path; None when it is not there.

        Raises:
            ReadError: When the path leaves the trusted folders, or is none.
        """
        try:
            file = self._find(uri)
        except (OSError, RuntimeError, ValueError) as error:
            # too long a name, a loop of links, a malformed address
            raise ReadError(f"mesh '{uri}': {error}.") from error
        if file is None:
            self.missing.append(uri)
        return file

    def _find(self, uri: str) -> Path | None:
        parts = urlsplit(uri)
        if parts.scheme == "package":
            # package:///name/… with three slashes occurs in the wild
            package, _, inside = unquote(parts.netloc + parts.path).lstrip("/").partition("/")
            candidates = [(root / inside.lstrip("/"), root) for root in self._packages(package)]
        elif parts.scheme == "file":
            candidates = [(Path(unquote(parts.path)), self._home)]
        elif not parts.scheme:
            candidates = [(self._folder / uri, self._home)]
        else:
            candidates = []
        for path, root in candidates:
            real = path.resolve()
            inside_trusted = any(real.is_relative_to(trusted) for trusted in (root, *self._extra))
            # an absolute path of someone else's machine is merely not here
            if not inside_trusted and (".." in path.parts or real.exists()):
                raise ReadError(
                    f"mesh '{uri}' lies outside the model's folder {root}. If you trust the place, "
                    "name it in package_paths."
                )
            if inside_trusted and real.is_file():
                return real
        return None

    @cached_property
    def _home(self) -> Path:
        """The folder of the model's package."""
        for folder in (self._folder, *self._folder.parents):
            if (folder / "package.xml").is_file():
                return folder
        return self._folder

    def _packages(self, name: str) -> list[Path]:
        """Folders that may be the package of that name, the likeliest first."""
        above = [folder for folder in (self._folder, *self._folder.parents) if folder.name == name]
        home = [self._home] if self._home_name == name else []
        extra = [p for path in self._extra for p in (path, path / name) if p.name == name]
        return [*home, *above, *extra]

    @cached_property
    def _home_name(self) -> str | None:
        """What the package calls itself; its folder may be a renamed copy."""
        manifest = self._home / "package.xml"
        return parse_xml(manifest).findtext("name") if manifest.is_file() else None
