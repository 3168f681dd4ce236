"""Pickling by constructor call, for values that hold functions.

A ready-made law or trajectory holds a function that was made inside another, which no pickle can
hold. What made it, and with which arguments, can be: the other side makes it again.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any, TypeVar, cast

from phalanx.base.errors import InvalidInput

F = TypeVar("F", bound=Callable[..., Any])

_RECIPE = "_recipe"


def remembered(make: F) -> F:
    """The function, whose values know how they were made."""

    @functools.wraps(make)
    def made(*args: Any, **options: Any) -> Any:
        # arguments as they are now: a caller's array may change later
        try:
            recipe = _again, (made, *deepcopy((args, options)))
        except Exception as error:  # of a generator, a module, whatever a stranger's class raises
            raise InvalidInput(
                f"{make.__name__} keeps a copy of what it is given, and one value has none "
                f"({error}); expected numbers, arrays, functions."
            ) from None
        value = make(*args, **options)
        object.__setattr__(value, _RECIPE, recipe)
        return value

    return cast(F, made)


def reduced(value: Any, *fields: Any) -> tuple[Any, ...]:
    """Reduce a value for pickling: its constructor call, or its class and its fields."""
    recipe = vars(value).get(_RECIPE)
    return recipe if recipe is not None else (type(value), fields)


def made_by(value: Any) -> tuple[Callable[..., Any], dict[str, Any]] | None:
    """Return the function and arguments that made a value; None where it is not recorded."""
    recipe = getattr(value, _RECIPE, None)
    if recipe is None:
        return None
    make, args, options = recipe[1]
    return make, dict(inspect.signature(make).bind(*args, **options).arguments)


def _again(make: Callable[..., Any], args: tuple[Any, ...], options: Mapping[str, Any]) -> Any:
    return make(*args, **options)
