"""Reference pages, one for each package with public names, made from the packages themselves.

A thing that several packages offer is described once, where a reader meets it first (`phalanx`
before all others); the other pages lead there. Nothing is listed by hand, so no public name can be
forgotten.
"""

from __future__ import annotations

import ast
import inspect
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from sphinx.pycode import ModuleAnalyzer

import phalanx

FOLDER = "reference"
INSIDE = {"phalanx.base.arguments", "phalanx.cli"}  # what they offer is for the package itself
PLAIN = int | float | str | tuple | dict | frozenset  # equal ones may be one object


def public_packages() -> list[str]:
    """Packages with public names: those nearest to the root first."""
    root = Path(phalanx.__file__).parent
    names = [
        ".".join(["phalanx", *init.parent.relative_to(root).parts])
        for init in root.rglob("__init__.py")
    ]
    found = {name for name in names if hasattr(import_module(name), "__all__")}
    return sorted(found - INSIDE, key=lambda name: (name.count("."), name))


def homes(packages: list[str]) -> dict[tuple[str, str], str]:
    """Package and name to the full name under which a thing is described."""
    first: dict[int, str] = {}
    found = {}
    for package in packages:
        module = import_module(package)
        for name in module.__all__:
            thing, full = getattr(module, name), f"{package}.{name}"
            if isinstance(thing, ModuleType):
                found[package, name] = thing.__name__
            else:
                found[package, name] = (
                    full if isinstance(thing, PLAIN) else first.setdefault(id(thing), full)
                )
    return found


def page(package: str, described: dict[tuple[str, str], str], packages: list[str]) -> str:
    """The page of a package, as reStructuredText."""
    module = import_module(package)
    own = [name for name in module.__all__ if described[package, name] == f"{package}.{name}"]
    leading = [
        f"- {_link(name, described[package, name], packages)}"
        for name in module.__all__
        if name not in own or isinstance(getattr(module, name), ModuleType)
    ]
    lines = [package, "=" * len(package), "", inspect.getdoc(module) or "", ""]
    lines += [f".. py:module:: {package}", ""]
    if leading:
        lines += [*_title("On other pages"), *leading, ""]
    for title, kind in (("Functions", "function"), ("Classes", "class"), ("Data", "data")):
        names = [name for name in own if _kind(getattr(module, name)) == kind]
        lines += _title(title) if names else []
        for name in names:
            lines += _entry(package, name, kind)
    return "\n".join(lines)


def _title(text: str) -> list[str]:
    return [text, "-" * len(text), ""]


def _link(name: str, home: str, packages: list[str]) -> str:
    return f":doc:`{name} <{home}>`" if home in packages else f":py:obj:`{name} <{home}>`"


def _kind(thing: Any) -> str:
    if isinstance(thing, ModuleType):
        return "module"
    if inspect.isclass(thing):
        return "class"
    return "function" if inspect.isroutine(thing) else "data"


def _entry(package: str, name: str, kind: str) -> list[str]:
    """What describes one thing."""
    if kind == "data":
        words = words_about(package, name)
        return [f".. py:data:: {name}", "", *(f"   {line}" for line in words), ""]
    options = [
        "   :members:",
        "   :inherited-members: Exception, int, str, tuple, Enum, Env, VectorEnv",
    ]
    return [f".. auto{kind}:: {package}.{name}", *(options if kind == "class" else []), ""]


def words_about(package: str, name: str) -> list[str]:
    """The text below a constant, in the module in which it is assigned."""
    module = import_module(package)
    source = Path(module.__file__ or "")
    stub = source.with_suffix(".pyi")
    for node in ast.parse((stub if stub.exists() else source).read_text()).body:
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if (alias.asname or alias.name) == name:
                    docs = ModuleAnalyzer.for_module(node.module or "").find_attr_docs()
                    return docs.get(("", alias.name), [])
    return []


def write(app: Any) -> None:
    """Write all pages. Those that are as they were are left alone, and so not built again."""
    folder = Path(app.srcdir) / FOLDER
    folder.mkdir(exist_ok=True)
    packages = public_packages()
    described = homes(packages)
    texts = {f"{name}.rst": page(name, described, packages) for name in packages}
    index = ["Reference", "=========", "", "Every public name, from its docstring.", ""]
    index += [".. toctree::", "   :maxdepth: 1", "", *(f"   {name}" for name in packages), ""]
    texts["index.rst"] = "\n".join(index)
    for old in folder.iterdir():
        if old.name not in texts:
            old.unlink()
    for name, text in texts.items():
        path = folder / name
        if not path.exists() or path.read_text() != text:
            path.write_text(text)


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("builder-inited", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
