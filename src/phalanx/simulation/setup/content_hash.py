"""Content hash of laws and setups: equal keys for equal contents.

Policy. Numbers, text and arrays count by value, to the last bit. An object counts by its class and
what it holds, a function by its code and all that the code can see. What cannot
be looked into (symbols, generators, open files, objects of other languages) has no key, and
the caller does without.
"""

from __future__ import annotations

import dis
import functools
import sys
import types
from abc import ABC
from collections.abc import Callable, Hashable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import PurePath
from typing import Any, Generic, Protocol, final
from weakref import WeakKeyDictionary

import casadi as ca
import numpy as np

from phalanx.base.cached import cached_property
from phalanx.mechanism import Mechanism

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


PLAIN = (type(None), bool, int, str, bytes, type(...))
ROOTS = (object, ABC, Generic, Protocol)


@final
class Content:
    """A key with a hash that is found once."""

    __slots__ = ("_hash", "_parts")

    def __init__(self, parts: Hashable) -> None:
        self._parts, self._hash = parts, hash(parts)

    def __eq__(self, other: object) -> bool:
        """Whether all parts are equal."""
        if self is other:
            return True
        return isinstance(other, Content) and (
            self._hash == other._hash and self._parts == other._parts
        )

    def __hash__(self) -> int:
        return self._hash


def content(value: Any) -> Content:
    """The key of a value.

    Raises:
        NoContent: When it cannot be looked into.
    """
    return Content(_part(value, ()))


# a mechanism's arrays are read-only copies: it is looked into once
_MECHANISMS: WeakKeyDictionary[Mechanism, Content] = WeakKeyDictionary()


def _part(value: Any, path: tuple[int, ...]) -> Hashable:
    """The key of a value; ``path`` has the identities of those that hold it, outermost first."""
    kind = type(value)
    if kind in PLAIN:
        return kind, value
    if kind is float:
        return float, value.hex()  # 0.0 and -0.0 differ, NaN is itself
    if id(value) in path:
        return "again", path.index(id(value))
    if kind is object:  # a mark, which is compared by identity
        return Same(value)
    if kind is Mechanism:
        return _mechanism(value)
    within = (*path, id(value))

    def part(item: Any) -> Hashable:
        return _part(item, within)

    for kinds, look in _KINDS:
        if isinstance(value, kinds):
            return look(value, part)
    return _object(value, part)


def _mechanism(value: Mechanism) -> Content:
    known = _MECHANISMS.get(value)
    if known is not None:
        return known
    known = _MECHANISMS[value] = Content(_PartsOf()(value))
    return known


@final
class _PartsOf:
    """Looks into one mechanism, which may have tens of thousands of parts.

    Classes are looked into once, and so is what many parts share (motions, poses). Parts of a
    mechanism do not hold each other in circles.
    """

    def __init__(self) -> None:
        self._shared: dict[int, Hashable] = {}
        self._classes: dict[type, tuple[Hashable, tuple[str, ...]] | None] = {}

    def __call__(self, item: Any) -> Hashable:
        kind = type(item)
        if kind is np.ndarray:
            return _array(item, self)
        if kind is tuple:
            return _items(item, self)
        if kind not in self._classes:
            self._classes[kind] = self._class(kind)
        found = self._classes[kind]
        if found is None:
            return _part(item, ())
        if id(item) not in self._shared:
            key, names = found
            self._shared[id(item)] = key, tuple([self(getattr(item, name)) for name in names])
        return self._shared[id(item)]

    def _class(self, kind: type) -> tuple[Hashable, tuple[str, ...]] | None:
        """The key of a class and the fields of its instances; None unless it is frozen data."""
        if not is_dataclass(kind) or not kind.__dataclass_params__.frozen:  # type: ignore[attr-defined]
            return None
        if not all(base in ROOTS or _is_written_in_python(base) for base in kind.__mro__):
            raise NoContent
        return class_content(kind, self), tuple(field.name for field in fields(kind))


def _object(value: Any, part: Part) -> Hashable:
    kind = type(value)
    if not all(base in ROOTS or _is_written_in_python(base) for base in kind.__mro__):
        raise NoContent
    if is_dataclass(kind) and kind.__dataclass_params__.frozen:  # type: ignore[attr-defined]
        # all else that it holds was made of its fields
        held = {field.name: getattr(value, field.name) for field in fields(kind)}
    else:
        held = _held(value)
    return class_content(kind, part), _table(held, part)


def _held(value: Any) -> dict[str, Any]:
    """All that an object holds, in its table and in slots, but for what it found out itself."""
    kind = type(value)
    held = {
        name: item
        for name, item in getattr(value, "__dict__", {}).items()
        if not isinstance(getattr(kind, name, None), (cached_property, functools.cached_property))
    }
    for base in kind.__mro__:
        slots = vars(base).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if hasattr(value, name):
                held[name] = getattr(value, name)
    return held


def _is_written_in_python(kind: type) -> bool:
    """Whether all that instances hold can be seen."""
    if kind.__module__ == "__main__":
        return True
    source = getattr(sys.modules.get(kind.__module__), "__file__", None)
    return source is not None and source.endswith(".py")


def _array(value: Any, part: Part) -> Hashable:
    if type(value) is not np.ndarray or value.dtype.hasobject:
        raise NoContent
    return np.ndarray, value.dtype.str, value.shape, value.tobytes()


def _number(value: Any, part: Part) -> Hashable:
    return type(value), value.tobytes()


def _matrix(value: ca.DM, part: Part) -> Hashable:
    pattern, filled = value.sparsity(), np.array(value.nonzeros()).tobytes()
    return ca.DM, value.shape, tuple(pattern.colind()), tuple(pattern.row()), filled


def _items(value: Any, part: Part) -> Hashable:
    kind = type(value)
    if kind not in (tuple, list) and not hasattr(kind, "_fields"):
        raise NoContent
    return kind, tuple(map(part, value))


def _table(value: Mapping[Any, Any], part: Part) -> Hashable:
    if type(value) not in (dict, types.MappingProxyType):
        raise NoContent
    return dict, tuple((part(name), part(item)) for name, item in value.items())


def _set(value: Any, part: Part) -> Hashable:
    return type(value), frozenset(map(part, value))


def _slice(value: slice, part: Part) -> Hashable:
    return slice, part(value.start), part(value.stop), part(value.step)


def _text(value: Any, part: Part) -> Hashable:
    return type(value), str(value)


def _itself(value: Any, part: Part) -> Hashable:
    return Same(value)


_KINDS: tuple[tuple[Any, Any], ...] = (
    (np.ndarray, _array),
    (np.generic, _number),
    (Enum, _itself),
    (ca.DM, _matrix),
    ((ca.Function, np.ufunc), _itself),
    ((tuple, list), _items),
    (Mapping, _table),
    ((set, frozenset), _set),
    (slice, _slice),
    ((PurePath, range), _text),
    (functools.partial, partial_content),
    (types.MethodType, method_content),
    (types.BuiltinFunctionType, builtin_content),
    (types.FunctionType, function_content),
    (types.ModuleType, module_content),
    (type, class_content),
)
