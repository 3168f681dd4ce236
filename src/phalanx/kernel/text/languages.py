"""Languages that a function can be exported to, by name."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import casadi as ca

from phalanx.kernel.text.emit_c import export_c
from phalanx.kernel.text.emit_fortran import export_fortran


@final
@dataclass(frozen=True)
class Language:
    """A language that a function can be exported to.

    Attributes:
        suffixes: Of its files, in lower case.
        write: Writes a function, see :func:`~phalanx.kernel.export_c`.
    """

    suffixes: tuple[str, ...]
    write: Callable[..., Path]


def export_casadi(
    function: ca.Function,
    path: str | os.PathLike[str],
    shapes: Any = None,
    *,
    intermediates: Sequence[str] = (),
) -> Path:
    """Write ``function`` for ``casadi.Function.load``; shapes are those it has."""
    function.save(str(path))
    return Path(path)


LANGUAGES = {
    "c": Language((".c",), export_c),
    "fortran": Language((".f90", ".f08"), export_fortran),
    "casadi": Language((".casadi",), export_casadi),
}
