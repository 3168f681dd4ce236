"""Metavariables that teach: what stands after an option in its help."""

from __future__ import annotations

from pathlib import Path
from types import UnionType
from typing import Any, Union, get_args, get_origin

LIST = "0.1,0.2,…"  # numbers between commas
NAMES = "NAME,NAME,…"
WIDEST = 20  # choices that take more room stand in the text


def metavariable(kind: Any, text: str) -> str:
    """What an option takes, by its type and its text, when its author does not say.

    Args:
        kind: Its annotation.
        text: Its help; a unit in it says more than the type.
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
    """``rk4|euler`` while that is short; else None, and the names belong into the text."""
    short = "|".join(names)
    return short if len(short) <= WIDEST else None


def _plain(kind: Any) -> Any:
    """The type without None and lists around it."""
    while get_origin(kind) in (Union, UnionType, list):
        kind = next(part for part in get_args(kind) if part is not type(None))
    return kind
