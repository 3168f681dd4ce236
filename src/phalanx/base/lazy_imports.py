"""Lazy imports of public names: importing a package stays quick.

The names of such a package stand in its stub, ``__init__.pyi``, as the imports that type checkers
and editors read. Here the same lines are a table from name to module, so that there is one list and
no second one to keep equal to it. ``__all__`` is as the stub has it: by topic, what people use
first in front.

A name may not be that of another module in the package: once imported, that module would stand in
its place.

One thread loads at a time: where several import packages that lean on each other, Python ends in
ImportError or in a deadlock that it detects.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pkgutil import get_data
from typing import Any

from phalanx.base import forks  # noqa: F401, from here on forks wait for imports
from phalanx.base.cached import ForkSafeLock

LONGEST = 60.0  # [s] that a thread waits for others that load
_lock = ForkSafeLock()


def names_of_stub(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """``__getattr__``, ``__dir__`` and ``__all__`` of a package that has a stub.

    Args:
        package: Its name, while it is being imported.
    """
    homes, public = _read_stub(package)

    def load(name: str) -> Any:
        """Import what a public name stands for, and keep it."""
        module = sys.modules[package]
        if name not in homes:
            message = f"module '{package}' has no attribute '{name}'"
            raise AttributeError(message, name=name, obj=module)
        home, original = homes[name]
        with _alone():
            if home == package:  # one of its own modules
                value: Any = import_module(f"{package}.{original}")
            else:  # a name or a module, as in "from home import original"
                value = getattr(__import__(home, fromlist=[original]), original)
        setattr(module, name, value)
        return value

    return load, public.copy, public


@contextmanager
def _alone() -> Iterator[None]:
    """Load while no other thread does; at the latest then, as others may wait for this one.

    They do where this thread is in the middle of an import that they need.
    """
    taken = _lock.acquire(LONGEST)
    try:
        yield
    finally:
        if taken:
            _lock.release()


def _read_stub(package: str) -> tuple[dict[str, tuple[str, str]], list[str]]:
    """Public name to the module it comes from and its name there; and ``__all__`` as it stands."""
    stub = get_data(package, "__init__.pyi")
    assert stub is not None, f"{package} has no stub"
    body = ast.parse(stub).body
    homes = {
        alias.asname or alias.name: (statement.module or "", alias.name)
        for statement in body
        if isinstance(statement, ast.ImportFrom)
        for alias in statement.names
    }
    (listed,) = (ast.literal_eval(one.value) for one in body if isinstance(one, ast.Assign))
    return homes, listed
