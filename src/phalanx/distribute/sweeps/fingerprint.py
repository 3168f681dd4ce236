"""Content hash of what decides results, the same in every process and on every machine.

It is made of the same parts as the keys of compiled code (``simulation.content``), with classes and
functions of libraries by their names, and functions of the user by their code and what it sees.
"""

from __future__ import annotations

import hashlib
import types
from collections.abc import Iterator
from enum import Enum
from typing import Any

import casadi as ca

from phalanx.simulation.setup.content_hash import Content, NoContent, Same, content


def fingerprint(value: Any) -> str:
    """Of a value: 64 hexadecimal digits.

    Raises:
        NoContent: When it cannot be looked into.
    """
    return hashlib.sha256(_bytes(content(value))).hexdigest()


def _bytes(part: Any) -> bytes:
    """One part, so that different parts never give the same bytes."""
    digest = hashlib.sha256()
    digest.update(type(part).__qualname__.encode() + b"\0")
    match part:
        case Content():
            digest.update(_bytes(part._parts))
        case Same():
            digest.update(_bytes(_name(part.thing)))
        case tuple():
            for item in part:
                digest.update(_bytes(item))
        case frozenset():
            for item in sorted(map(_bytes, part)):
                digest.update(item)
        case types.CodeType():
            for item in _code(part):
                digest.update(_bytes(item))
        case type():
            digest.update(f"{part.__module__}.{part.__qualname__}".encode())
        case bytes():
            digest.update(part)
        case None | bool() | int() | str() | float() | types.EllipsisType():
            digest.update(repr(part).encode())
        case _:
            raise NoContent
    return digest.digest()


def _code(code: types.CodeType) -> Iterator[Any]:
    """What code does, whatever file and line it stands in."""
    yield code.co_code
    yield from (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    yield code.co_consts


def _name(thing: Any) -> Any:
    """What stands for a thing that is equal to itself alone."""
    if isinstance(thing, ca.Function):
        return str(thing.serialize())
    if isinstance(thing, Enum):
        return f"{type(thing).__module__}.{type(thing).__qualname__}.{thing.name}"
    module = getattr(thing, "__module__", None) or ""
    name = getattr(thing, "__qualname__", None) or getattr(thing, "__name__", None)
    if name is None:
        raise NoContent
    return f"{module}.{name}"
