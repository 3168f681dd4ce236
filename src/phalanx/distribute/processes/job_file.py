"""Job file: what a launcher hands to the ranks that it starts, in plain text."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from phalanx.base.errors import InvalidInput, ReadError, shown
from phalanx.distribute.processes.ranks import as_text

ORDER, OUTCOME = "order.json", "outcome.json"  # files of a job's folder


@dataclass(frozen=True)
class JobFile:
    """Which program to run.

    Attributes:
        program: Its name, see `register`.
        arguments: What it is told, plain data.
        timeout: How long ranks wait for each other [s].
    """

    program: str
    arguments: dict[str, Any]
    timeout: float

    def write(self, folder: Path) -> None:
        """Leave it in the folder of a job."""
        (folder / ORDER).write_text(as_text(asdict(self)))

    @classmethod
    def read(cls, folder: Path, program: str) -> JobFile:
        """Read what `write` wrote.

        Args:
            folder: Of the job.
            program: The program that the command names; a file alone makes nobody run anything.

        Raises:
            ReadError: It is no order.
            InvalidInput: It is for another program.
        """
        path = folder / ORDER
        try:
            order = cls(**json.loads(path.read_text()))
        except (OSError, ValueError, TypeError, RecursionError) as error:
            raise ReadError(f"{path} is no order for ranks: {error}.") from None
        if order.program != program:
            raise InvalidInput(
                f"{path} is for {shown(order.program)}, and this rank was started for '{program}'."
            )
        return order
