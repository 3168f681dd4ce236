"""Write generated source code to a file."""

from __future__ import annotations

import os
from pathlib import Path

from phalanx.base.errors import WriteError


def write_source(path: str | os.PathLike[str], text: str) -> Path:
    """Write a source file; returns its path.

    Raises:
        WriteError: When the file cannot be written.
    """
    target = Path(path)
    try:
        target.write_text(text)
    except (OSError, ValueError) as error:
        raise WriteError(f"{target} cannot be written: {error}.") from error
    return target
