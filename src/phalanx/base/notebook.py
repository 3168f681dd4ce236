"""Notebook display, registered by the rooms that can draw.

A mechanism is data and knows nobody who draws it. Who does offers a function for it::

    draws("Mechanism", "mine.pictures:page_of")

It is imported when a notebook shows the first one. What comes with Phalanx is offered in
``phalanx/__init__.py``.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_drawn_by: dict[str, str] = {}


def draws(kind: str, by: str) -> None:
    """Offer a function ``module:name`` that turns values of a class into HTML."""
    _drawn_by[kind] = by


def page_of(value: Any) -> str | None:
    """A value as HTML; None without a function for it, or when that fails: text has to do."""
    by = _drawn_by.get(type(value).__name__)
    if by is None:
        return None
    module, _, name = by.partition(":")
    try:
        return str(getattr(import_module(module), name)(value))
    except Exception:  # a notebook shows the text then; that a picture failed is no news to it
        return None
