"""Decorator for equations: names of their inputs and outputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

# a method of some quantity: a function of a mechanism and symbols
Equation = Callable[..., Any]

F = TypeVar("F", bound=Equation)


def equation(*outputs: str) -> Callable[[F], F]:
    """Name the outputs of an equation, for kernels, exported code and messages."""

    def mark(function: F) -> F:
        function.outputs = outputs  # type: ignore[attr-defined]
        return function

    return mark
