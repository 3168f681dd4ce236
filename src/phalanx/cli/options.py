"""Options that several commands share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import typer

from phalanx.cli.choices import OneOf

Threads = Annotated[
    int | None,
    typer.Option(
        min=1, max=1024, help="Threads for large batches; all processors.", show_default=False
    ),
]
Dtype = Annotated[
    str, OneOf("phalanx.kernel.build:DTYPES"), typer.Option(help="Numbers of the computation.")
]
Json = Annotated[bool, typer.Option("--json", help="Write the result as JSON, for programs.")]


@dataclass(frozen=True)
class Numerics:
    """How kernels compute."""

    threads: Threads = None
    dtype: Dtype = "float64"

    @property
    def options(self) -> dict[str, Any]:
        """As the library's functions take them."""
        return {"threads": self.threads, "dtype": self.dtype}
