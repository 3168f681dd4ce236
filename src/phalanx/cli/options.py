"""Options that several commands share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import typer

from phalanx.cli.choices import OneOf

Threads = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=1024,
        help="Number of threads for large batches. Default: all processors.",
        show_default=False,
    ),
]
Dtype = Annotated[
    str,
    OneOf("phalanx.kernel.build:DTYPES"),
    typer.Option(help="Floating-point type of the computation."),
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


@dataclass(frozen=True)
class Numerics:
    """Number of threads and floating-point type of kernels."""

    panel: ClassVar = "Computation"

    threads: Threads = None
    dtype: Dtype = "float64"

    @property
    def options(self) -> dict[str, Any]:
        """Keyword arguments of the library's functions."""
        return {"threads": self.threads, "dtype": self.dtype}
