"""Validators built from type annotations, and descriptions of what they expect."""

from __future__ import annotations

import operator
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, Union

import numpy as np
from numpy.typing import ArrayLike

from phalanx.base.arguments import kinds
from phalanx.base.arguments.kinds import Check, Wrong
from phalanx.base.arguments.values import a, either

PLAIN: dict[Any, tuple[Check, str]] = {
    Any: (kinds.as_anything, "anything"),
    float: (kinds.as_number, "a number"),
    int: (kinds.as_whole, "a whole number"),
    bool: (kinds.as_truth, "True or False"),
    str: (kinds.instance_of(str), "a text"),
}


def check_of(hint: Any) -> tuple[Check, str]:
    """Return the validator of an annotation, and a description of what it expects."""
    hint = _meant(hint)
    if _is_union(hint):
        return _union(hint)
    origin = typing.get_origin(hint) or hint
    given = typing.get_args(hint)
    if origin is Literal:
        return kinds.one_of(given), either([repr(choice) for choice in given])
    if origin in PLAIN:
        return PLAIN[origin]
    if origin is np.ndarray:
        return kinds.as_array, "an array of numbers"
    if origin is type(None):
        return kinds.as_nothing, "None"
    if origin in (tuple, Sequence, list, Iterable):
        return _sequence_check(origin, given)
    if origin in (Mapping, dict):
        return _mapping_check(given)
    if origin is Callable:
        return kinds.as_callable, "a function"
    if origin is PathLike:
        return kinds.instance_of(PathLike), "a path"
    if getattr(origin, "_is_protocol", False):
        return kinds.with_methods_of(origin), a(origin.__name__)
    if isinstance(origin, type):
        return kinds.instance_of(origin), getattr(origin, "in_words", a(origin.__name__))
    return kinds.as_anything, "anything"


def _meant(hint: Any) -> Any:
    """Resolve a type alias: NumPy writes its own as ``type X = ...`` on later interpreters."""
    alias = typing.get_origin(hint) or hint
    if not hasattr(alias, "__value__"):
        return hint
    given = typing.get_args(hint)
    return _meant(alias.__value__[given] if given else alias.__value__)


def _is_union(hint: Any) -> bool:
    return typing.get_origin(hint) in (Union, types.UnionType)


def _members(hint: Any) -> tuple[Any, ...]:
    """Of a union, its members and theirs; anything else alone."""
    meant = _meant(hint)
    if not _is_union(meant):
        return (meant,)
    return tuple(m for member in typing.get_args(meant) for m in _members(member))


def _union(hint: Any) -> tuple[Check, str]:
    members = list(_members(hint))
    array_like = set(_members(ArrayLike))
    checks: list[tuple[Check, str]] = []
    if array_like <= set(members):
        members = [member for member in members if member not in array_like]
        checks.append((kinds.as_array, "an array of numbers"))
    checks += [check_of(member) for member in members]
    may_be_none = type(None) in members

    def check(value: Any) -> Any:
        if value is None and may_be_none:
            return value  # the most frequent one, without asking the others
        for own, _ in checks:
            try:
                return own(value)
            except Wrong:
                continue
        raise Wrong

    words = dict.fromkeys(words for _, words in checks)
    return check, either(sorted(words, key=lambda text: text == "None"))


def _sequence_check(origin: Any, given: tuple[Any, ...]) -> tuple[Check, str]:
    fixed = origin is tuple and given and given[-1] is not Ellipsis
    parts = [check_of(hint) for hint in given if hint is not Ellipsis]
    item, words = parts[0] if parts else (kinds.as_anything, "anything")
    no_list = (str, bytes, Mapping)

    def check(value: Any) -> Any:
        is_list = type(value) in (tuple, list)
        if not is_list and (isinstance(value, no_list) or not isinstance(value, Iterable)):
            raise Wrong
        try:
            found = tuple(value)
        except Exception:  # an array without axes, a symbol of CasADi: what it raises is its own
            raise Wrong from None
        if fixed:
            if len(found) != len(parts):
                raise Wrong
            return tuple(own(x) for (own, _), x in zip(parts, found, strict=True))
        converted = tuple(map(item, found))
        if not all(map(operator.is_, converted, found)):
            return converted
        return value if isinstance(value, list) and origin is not tuple else found

    if fixed:
        return check, f"{len(parts)} values, each {words}"
    return check, "a list of names" if words == "a text" else f"a list, each item {words}"


def _mapping_check(given: tuple[Any, ...]) -> tuple[Check, str]:
    key, value_check = (check_of(hint)[0] for hint in (given or (Any, Any)))

    def check(value: Any) -> Any:
        if not isinstance(value, Mapping):
            raise Wrong
        for name, item in value.items():
            key(name)
            value_check(item)
        return value

    return check, "values by name: {name: value}"
