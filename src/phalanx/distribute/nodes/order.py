"""What a launcher hands to the ranks that it starts: a file, in plain text."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from phalanx.distribute.nodes.ranks import as_text

ORDER, OUTCOME = "order.json", "outcome.json"  # files of a job's folder


@dataclass(frozen=True)
class Order:
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
    def read(cls, folder: Path) -> Order:
        """Read what `write` wrote."""
        return cls(**json.loads((folder / ORDER).read_text()))
