"""Faster operator dispatch for casadi.SX (temporary monkey-patch).

``x * y`` in CasADi's Python interface tries signature after signature, for numbers, numeric arrays
and other kinds of symbols, and asks both operands for a dozen attributes on the way: 20 µs, of
which the multiplication takes one. ``SX.binary`` has one signature and makes the same node. Policy:
while expressions are built, ``+ - * /`` of CasADi's class go there at once if both operands are
symbols or plain numbers, and the usual way otherwise; so do ``@`` of dense matrices, indices that
are plain numbers or whole rows and columns, and ``shape``, which every search asks for.
Afterwards the class is as it was. Other threads may use CasADi meanwhile, and get the same nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import casadi as ca
from casadi import SX

from phalanx.base.cached import ForkSafeLock
from phalanx.base.forks import fork_waits

_OPERATORS = {"add": ca.OP_ADD, "sub": ca.OP_SUB, "mul": ca.OP_MUL, "truediv": ca.OP_DIV}
_NUMBERS = (float, int)
_SLICES = [ca.Slice(k, k + 1) for k in range(64)]
_rows, _columns = SX.size1, SX.size2
_EVERYTHING, _ALL = slice(None), ca.Slice()

_lock = ForkSafeLock()
_users = 0


def symbol(name: str, size: int) -> SX:
    """A column of symbols of any name; CasADi reads one that begins with [ as several."""
    return SX.sym(name.replace("[", "("), size)


@contextmanager
def quick_operators() -> Iterator[None]:
    """Build expressions with quick operators; may be nested, and used by several threads.

    A fork waits for those that are being built.
    """
    with fork_waits, _quick():
        yield


@contextmanager
def _quick() -> Iterator[None]:
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
                    if name in _OWN:
                        setattr(SX, name, _OWN[name])
                    else:
                        delattr(SX, name)  # what SX inherits is seen again


def _made() -> dict[str, Any]:
    """Operators and their reflections, indices and shape, by the names of the attributes."""
    quick: dict[str, Any] = {
        "__matmul__": _product(SX.__matmul__),
        "__getitem__": _item(SX.__getitem__),
        "shape": property(_shape),
    }
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


def _product(usual: Callable[[SX, Any], SX]) -> Callable[[SX, Any], SX]:
    """Products of dense matrices as CasADi finds them itself: added to zeros."""
    dense = SX.is_dense

    def product(x: SX, y: Any) -> SX:
        if type(y) is SX and dense(x) and dense(y):
            # others are products with a number, or errors
            if _columns(x) == _rows(y) and x.numel() > 1 < y.numel():
                return ca.mac(x, y, SX.zeros(_rows(x), _columns(y)))
        return usual(x, y)

    return product


def _item(usual: Callable[[SX, Any], SX]) -> Callable[[SX, Any], SX]:
    """Entries, rows and columns by slices that need not be made first."""
    get = SX.get

    def item(x: SX, index: Any) -> SX:
        if type(index) is tuple and len(index) == 2:
            row, column = _slice(index[0]), _slice(index[1])
            if row is not None and column is not None:
                return get(x, False, row, column)
        return usual(x, index)

    return item


def _slice(index: Any) -> ca.Slice | None:
    """CasADi's slice for a small number or for everything; None for what else there is."""
    if type(index) is int:
        return _SLICES[index] if 0 <= index < len(_SLICES) else None
    return _ALL if type(index) is slice and index == _EVERYTHING else None


def _shape(x: SX) -> tuple[int, int]:
    """See CasADi; its own goes through two more functions."""
    return _rows(x), _columns(x)


_QUICK = _made()
_OWN = {name: vars(SX)[name] for name in _QUICK if name in vars(SX)}
