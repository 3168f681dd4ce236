"""Checksums of the files of a store, so that damage is noticed and named.

A seal is a JSON file with hashes of other files and, in its last line, the hash of itself. That of
a chunk also has the study, chunk and cases it is of, so that files that changed places are
noticed too. A checksum detects damage; it does not prove who wrote.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, final

from phalanx.base.errors import ReadError
from phalanx.base.files import read_bytes

LARGEST_SEAL = 2**30


@final
@dataclass(frozen=True)
class Seal:
    """What a chunk is.

    Attributes:
        study: Hash of the study that made it.
        chunk: Its number.
        first: Its first case.
        cases: How many it has.
    """

    study: str
    chunk: int
    first: int
    cases: int

    def to_data(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)


def digest(content: bytes) -> str:
    """Hash of some bytes: 64 hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def sealed(facts: dict[str, Any]) -> bytes:
    """Facts as a file that ends with its own hash."""
    content = json.dumps(facts).encode() + b"\n"
    return content + digest(content).encode() + b"\n"


def unsealed(path: Path, largest: int = LARGEST_SEAL) -> dict[str, Any]:
    """The facts of a file that :func:`sealed` made.

    Raises:
        ReadError: When it cannot be read, or is not what was written.
    """
    content, _, own = read_bytes(path, largest).removesuffix(b"\n").rpartition(b"\n")
    if digest(content + b"\n").encode() != own:
        raise ReadError(f"{path.name} is damaged: it does not have the hash that it ends with.")
    try:
        facts = json.loads(content)
    except (ValueError, RecursionError):
        facts = None
    if not isinstance(facts, dict):
        raise ReadError(f"{path.name} is damaged: it holds no table.")
    return facts
