"""Checksums over every byte of a recording that is read.

MCAP protects the numbers in a chunk and nothing else: a changed byte in a name, a setting or the
length of a record would be read as if it had been written. So every part of a file (names,
settings, a chunk of rows) is followed by a record of our own, which other readers skip. It says
where the part begins, which samples it holds, and the checksum of its bytes. Checkpoints are found
by their mark, not by the lengths of records: damage in one part cannot hide the next.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

# MCAP leaves opcodes from 0x80 on to applications
_HEAD = struct.Struct("<BQ")
_BODY = struct.Struct("<8sQQQQII")  # mark, start, end, first, samples, kind, checksum
_SELF = struct.Struct("<I")
SIZE = _HEAD.size + _BODY.size + _SELF.size
_BEGIN = _HEAD.pack(0x80, _BODY.size + _SELF.size)
_MARK = b"\x91PHALANX"


class FileSection(IntEnum):
    """Kind of the file section that a checkpoint protects."""

    NAMES = 0
    SETTINGS = 1
    SAMPLES = 2
    END = 3  # nothing: all that was to be recorded stands before it


@dataclass(frozen=True)
class Checkpoint:
    """A part of a file and its checksum.

    Attributes:
        kind: What the part holds.
        start: Its first byte.
        end: The byte after its last, where the checkpoint itself stands.
        first: Number of the first sample in it, or of the next to come.
        samples: How many it holds.
        checksum: CRC-32 of its bytes.
    """

    kind: FileSection
    start: int
    end: int
    first: int
    samples: int
    checksum: int

    @property
    def after(self) -> int:
        """The byte after the checkpoint, where the next part begins."""
        return self.end + SIZE

    def pack(self) -> bytes:
        """The record, with a checksum of its own."""
        place = (self.start, self.end, self.first, self.samples)
        record = _BEGIN + _BODY.pack(_MARK, *place, self.kind, self.checksum)
        return record + _SELF.pack(zlib.crc32(record))


def checkpoints(data: bytes) -> Iterator[Checkpoint]:
    """The sound checkpoints of a file, in the order of their parts."""
    place = data.find(_BEGIN + _MARK)
    while place >= 0:
        record = data[place : place + SIZE]
        if len(record) == SIZE and _SELF.pack(zlib.crc32(record[: -_SELF.size])) == record[-4:]:
            _, start, end, first, samples, kind, checksum = _BODY.unpack_from(record, _HEAD.size)
            # a copy of an earlier checkpoint would name another place
            if start <= end == place:
                yield Checkpoint(FileSection(kind), start, end, first, samples, checksum)
        place = data.find(_BEGIN + _MARK, place + 1)
