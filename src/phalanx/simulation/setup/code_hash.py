"""Content hash of functions, classes and modules: code, and all that the code can see.

Two functions made by one line with equal numbers are equal, and one whose captured array was
changed since is another. Libraries are taken not to change while a program runs.
"""

from __future__ import annotations

import dis
import functools
import sys
import types
from collections.abc import Callable, Hashable
from dataclasses import is_dataclass
from typing import Any, final

from phalanx.base.cached import cached_property

LIBRARIES = frozenset({"phalanx", "numpy", "casadi", "scipy"}) | sys.stdlib_module_names
# what dataclasses write by themselves
GENERATED = frozenset(
    ("__init__", "__repr__", "__eq__", "__hash__", "__setattr__", "__delattr__", "__replace__")
)
Part = Callable[[Any], Hashable]  # the key of something within


class NoContent(Exception):
    """A value that cannot be hashed by content."""


@final
class Same:
    """A thing that is equal to itself alone; the key keeps it alive, so that none takes its place.

    Attributes:
        thing: That thing.
    """

    __slots__ = ("thing",)

    def __init__(self, thing: Any) -> None:
        self.thing = thing

    def __eq__(self, other: object) -> bool:
        """Whether both hold one thing."""
        return isinstance(other, Same) and self.thing is other.thing

    def __hash__(self) -> int:
        return id(self.thing)


def function_content(value: types.FunctionType, part: Part) -> Hashable:
    """Code, what it closes over, defaults, and the names of its module that it may look up."""
    try:
        closed = [cell.cell_contents for cell in value.__closure__ or ()]
    except ValueError:  # a name that has no value yet
        raise NoContent from None
    seen = [closed, value.__defaults__, value.__kwdefaults__, vars(value)]
    if not _is_library(value.__module__):
        names, imported = _names(value.__code__)
        if not all(map(_is_library, imported)):
            raise NoContent
        known = value.__globals__
        seen.append({name: known[name] for name in names if name in known})
    return types.FunctionType, value.__code__, tuple(map(part, seen))


def class_content(value: type, part: Part) -> Hashable:
    """The class itself; one that is not a library's with all that its methods can see."""
    if _is_library(value.__module__):
        return Same(value)
    held = [(name, _member_content(value, name, item, part)) for name, item in vars(value).items()]
    return Same(value), tuple(held), tuple(map(part, value.__bases__))


def _member_content(owner: type, name: str, item: Any, part: Part) -> Hashable:
    match item:
        case staticmethod() | classmethod():
            return part(item.__func__)
        case property():
            return tuple(map(part, (item.fget, item.fset, item.fdel)))
        case functools.cached_property() | cached_property():
            return part(item.func)
        case types.FunctionType():
            return None if is_dataclass(owner) and name in GENERATED else part(item)
        case types.MemberDescriptorType() | types.GetSetDescriptorType():
            return None
    return None if name.startswith(("__", "_abc_")) else part(item)


def partial_content(value: functools.partial[Any], part: Part) -> Hashable:
    """Content of a ``functools.partial``: function and arguments."""
    return functools.partial, part(value.func), part(value.args), part(value.keywords)


def method_content(value: types.MethodType, part: Part) -> Hashable:
    """The function, and the object that it belongs to."""
    return types.MethodType, part(value.__func__), part(value.__self__)


def builtin_content(value: types.BuiltinFunctionType, part: Part) -> Hashable:
    """Itself, unless it belongs to an object."""
    if value.__self__ is not None and not isinstance(value.__self__, types.ModuleType):
        raise NoContent
    return Same(value)


def module_content(value: types.ModuleType, part: Part) -> Hashable:
    """Itself, if it is a library; names in another may change."""
    if not _is_library(value.__name__):
        raise NoContent
    return Same(value)


@functools.lru_cache(maxsize=256)
def _names(code: types.CodeType) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names that a function and those inside it may look up, and modules that they import."""
    names = list(code.co_names)
    steps = dis.get_instructions(code)
    imported = [str(step.argval) for step in steps if step.opname == "IMPORT_NAME"]
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            more = _names(inner)
            names += more[0]
            imported += more[1]
    return tuple(dict.fromkeys(names)), tuple(imported)


def _is_library(module: str | None) -> bool:
    return bool(module) and str(module).partition(".")[0] in LIBRARIES
