"""Violations of a plan's rules."""

from __future__ import annotations

from typing import NamedTuple


class Violation(NamedTuple):
    """Something that makes a plan impossible.

    Attributes:
        kind: ``missing``, ``repeated``, ``processor``, ``operator``, ``duration``,
            ``precedence``, ``overlap``, ``message`` or ``link``; of lanes also ``lock-step``, of
            other kinds of computers what their own rules call it; of repeated plans also
            ``interval`` or ``buffer``.
        tasks: Names of the tasks concerned.
        text: What is wrong, to print.
    """

    kind: str
    tasks: tuple[str, ...]
    text: str
