"""Metavariables of options in help pages, such as SECONDS, FILE or N."""

from __future__ import annotations

from pathlib import Path
from types import UnionType
from typing import Any, Union, get_args, get_origin

LIST = "0.1,0.2,…"  # numbers separated by commas
NAMES = "NAME,NAME,…"
WIDEST = 20  # longer lists of choices go into the text


def metavariable(kind: Any, text: str) -> str:
    """Return the metavariable of an option that has none, by its type and unit.

    Args:
        kind: Annotation of the option.
        text: Help of the option, which may have a unit.
    """
    inner = _plain(kind)
    if inner is bool:
        return ""
    if inner is Path:
        return "FILE"
    if inner in (int, float) and "[s]" in text:
        return "SECONDS"
    return {int: "N", float: "NUMBER"}.get(inner, "TEXT")


def choice_metavariable(names: list[str]) -> str | None:
    """Return ``rk4|euler`` if that is short; else None, and the names go into the text."""
    short = "|".join(names)
    return short if len(short) <= WIDEST else None


def _plain(kind: Any) -> Any:
    """Return the type without None and lists around it."""
    while get_origin(kind) in (Union, UnionType, list):
        kind = next(part for part in get_args(kind) if part is not type(None))
    return kind
