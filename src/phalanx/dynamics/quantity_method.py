"""Quantity methods: typed methods for editors and ``help``, compiled builtins for calls.

To a type checker and to ``help(Dynamics.inverse_dynamics)`` a quantity is a plain method with its
own signature and text. Asked for on an object it compiles, and the builtin that comes out lies in
the object's ``__dict__`` from then on, where Python finds it without any code of ours: one call
costs what a builtin costs. The builtin has the name and text of the method, and the signature of
the kernel, with all that is open in this object.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar, cast, final, get_type_hints

from phalanx.kernel import Kernel

M = TypeVar("M", bound=Callable[..., Any])


def compiled(method: M) -> M:
    """A method whose body is the kernel of its name; what is written there is its description."""
    return cast(M, _Compiled(method, method.__name__))


def of_the_tree(method: M) -> M:
    """The same quantity by its full name, which says that it is one of the spanning tree."""
    short = cast(_Compiled, method)
    full = _Compiled(short.method, short.quantity)
    full.method.__name__ = f"tree_{short.quantity}"
    full.method.__qualname__ = short.method.__qualname__.replace(
        short.quantity, f"tree_{short.quantity}"
    )
    full.method.__doc__ = (
        f"``{short.quantity}`` by its full name: that of the spanning tree, loops cut open.\n\n"
        f"{inspect.getdoc(short.method)}\n"
    )
    return cast(M, full)


@final
class _Compiled:
    """Gives a method on the class, and the kernel's call on an object."""

    def __init__(self, description: Callable[..., Any], quantity: str) -> None:
        self.quantity = quantity

        @functools.wraps(description)
        def method(self: Any, *args: Any, **keywords: Any) -> Any:
            return self.kernel(quantity).call(*args, **keywords)

        self.method = method

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: type | None = None) -> Callable[..., Any]:
        if instance is None:
            return self.method
        call: Callable[..., Any] = instance.kernel(self.quantity).call
        # not a data descriptor: what lies there comes first from now on
        instance.__dict__[self.name] = call
        return call


def describe(kernel: Kernel, owner: type, quantity: str) -> None:
    """Give a kernel's call the text of the method of its name, and its results their class."""
    method = getattr(owner, quantity, None)
    if method is None:  # one that only other quantities use
        return
    results = get_type_hints(method)["return"]
    fields = getattr(results, "_fields", None)
    has_fields = fields == tuple(port.name for port in kernel.outputs)
    kernel.describe(quantity, inspect.getdoc(method) or "", results if has_fields else None)
