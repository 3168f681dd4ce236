"""CasADi's operators without the search for their meaning.

``x * y`` in CasADi's Python interface tries signature after signature, for numbers, numeric arrays
and other kinds of symbols, and asks both operands for a dozen attributes on the way: 20 µs, of
which the multiplication takes one. ``SX.binary`` has one signature and makes the same node. Policy:
while expressions are built, ``+ - * /`` of CasADi's class go there at once if both operands are
symbols or plain numbers, and the usual way otherwise; afterwards the class is as it was. Other
threads may use CasADi meanwhile, and get the same nodes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import casadi as ca
from casadi import SX

_OPERATORS = {"add": ca.OP_ADD, "sub": ca.OP_SUB, "mul": ca.OP_MUL, "truediv": ca.OP_DIV}
_NUMBERS = (float, int)

_lock = threading.Lock()
_users = 0


@contextmanager
def quick_operators() -> Iterator[None]:
    """Build expressions with quick operators; may be nested, and used by several threads."""
    global _users
    with _lock:
        _users += 1
        if _users == 1:
            for name, operator in _QUICK.items():
                setattr(SX, name, operator)
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if not _users:
                for name in _QUICK:
                    delattr(SX, name)  # what SX inherits is seen again


def _made() -> dict[str, Callable[[SX, Any], SX]]:
    """Operators and their reflections, by the names of the methods."""
    quick = {}
    for name, code in _OPERATORS.items():
        quick[f"__{name}__"] = _operator(code, getattr(SX, f"__{name}__"))
        quick[f"__r{name}__"] = _reflected(code, getattr(SX, f"__r{name}__"))
    return quick


def _operator(code: int, usual: Callable[[SX, Any], SX]) -> Callable[[SX, Any], SX]:
    binary = SX.binary

    def operator(x: SX, y: Any) -> SX:
        kind = type(y)
        if kind is SX:
            return binary(code, x, y)
        if kind in _NUMBERS:
            return binary(code, x, SX(y))
        return usual(x, y)

    return operator


def _reflected(code: int, usual: Callable[[SX, Any], SX]) -> Callable[[SX, Any], SX]:
    binary = SX.binary

    def operator(x: SX, y: Any) -> SX:
        return binary(code, SX(y), x) if type(y) in _NUMBERS else usual(x, y)

    return operator


_QUICK = _made()
