"""Messages of argument errors: what came, and what was expected."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from phalanx.base.errors import InvalidInput, PhalanxError, shown


def unfit(
    what: str, value: Any, expected: str, error: type[PhalanxError] = InvalidInput
) -> PhalanxError:
    """The error for an argument that is not what was expected."""
    return error(f"{came(what, value)}; expected {expected}.")


def came(what: str, value: Any) -> str:
    """Describe what came, as the caller wrote it where ``what`` is a keyword."""
    return f"{what}={shown(value)}" if what.isidentifier() else f"{what} is {shown(value)}"


def either(choices: Sequence[str]) -> str:
    """Choices in one sentence."""
    return " or ".join(filter(None, [", ".join(choices[:-1]), *choices[-1:]]))


def a(name: str) -> str:
    """A name with its article."""
    return f"{'an' if name[0] in 'AEIOU' else 'a'} {name}"
