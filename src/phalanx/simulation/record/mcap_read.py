"""Read recordings from MCAP files, also from truncated or damaged ones.

Every part is under a checksum of ours (`checkpoint.py`): what is read is what was written, and what
is not is named. The summary is not needed, since a run that was killed has not written one.
"""

from __future__ import annotations

import struct
import warnings
import zlib
from dataclasses import dataclass
from pathlib import Path

from phalanx.base.errors import ReadError
from phalanx.base.files import opened
from phalanx.simulation.record import mcap_layout as layout
from phalanx.simulation.record.checkpoint import Checkpoint, FileSection, checkpoints
from phalanx.simulation.record.mcap_records import FOOTER, Contents, take_records
from phalanx.simulation.record.mcap_write import MAGIC
from phalanx.simulation.record.settings import JSON
from phalanx.simulation.record.signal import Array, Channel

_FOOTER = struct.Struct("<BQQQI")  # opcode, length, start of the summary, of its offsets, checksum
UNKNOWN_PART = "a part whose kind is not known"
NAMED = {
    FileSection.NAMES: "the names of the signals",
    FileSection.SETTINGS: "settings",
    FileSection.SAMPLES: "samples",
    FileSection.END: "the mark of its end",
}


class RecordingWarning(UserWarning):
    """A recording of which something is missing, or cannot be vouched for."""


def read_mcap(
    path: Path, *, salvage: bool = False
) -> tuple[tuple[Channel, ...], Array, dict[str, JSON]]:
    """Channels, rows (time first) and settings of a recording; see :meth:`Recording.read`."""
    contents, data = Contents(), _bytes(path)
    points = list(checkpoints(data))
    try:
        if points:
            notices = _read_parts(contents, data, points, salvage)
        else:
            notices = _read_unprotected(contents, data)
    except ReadError as error:
        raise ReadError(f"{path}: {error}") from None
    if contents.channels is None:
        raise ReadError(
            f"{path} is no recording of Phalanx: expected a topic {layout.TOPIC} with the "
            f"metadata '{layout.SIGNALS}'."
        )
    for notice in notices:
        warnings.warn(f"{path} {notice}", RecordingWarning, stacklevel=3)
    return contents.channels, contents.table, contents.settings


def _bytes(path: Path) -> bytes:
    """All bytes of a file that begins as MCAP files do.

    They are copied: a file that is looked at in place might be cut back by who writes it.
    """
    try:
        with opened(path) as file:
            begin = file.read(len(MAGIC))
            if begin != MAGIC:
                what = "is empty" if not begin else f"begins with {begin!r}"
                raise ReadError(f"is not an MCAP file: it {what}.")
            return begin + file.read()
    except ReadError as error:
        raise ReadError(f"{path} {error}") from None


def _read_unprotected(contents: Contents, data: bytes) -> list[str]:
    """A file without checkpoints: only the numbers are protected, by checksums of their chunks."""
    finished = take_records(contents, data, len(MAGIC), len(data))
    notices = ["has no checksums over names and settings: another program wrote it."]
    if not finished or data[-len(MAGIC) :] != MAGIC:
        notices.append(_cut_off(contents.table))
    return notices


@dataclass(frozen=True)
class _Lost:
    """A part that cannot be read: what, which bytes and, of samples, which."""

    what: str
    start: int
    end: int
    first: int = 0
    samples: int = 0

    def __str__(self) -> str:
        which = f" {self.first + 1} to {self.first + self.samples}" if self.samples else ""
        return f"{self.what}{which} (bytes {self.start} to {self.end})"


def _read_parts(
    contents: Contents, data: bytes, points: list[Checkpoint], salvage: bool
) -> list[str]:
    sound, lost = _sorted_out(data, points)
    tail = _sound_summary(data)
    if points[-1].kind is not FileSection.END and tail is not None:
        lost.append(_Lost(NAMED[FileSection.END], points[-1].after, tail[0]))
    if tail is not None and not any(point.kind is FileSection.NAMES for point in sound):
        take_records(contents, data, *tail)  # which repeats the names
    if lost and not salvage:
        more = " Recording.read(path, salvage=True) gives the rest."
        raise ReadError(f"it is damaged; lost are {', '.join(map(str, lost))}.{more}")
    for point in sound:
        take_records(contents, data, _first_record(point), point.end)
    if lost and contents.channels is None:
        raise ReadError(
            f"it is damaged; lost are {', '.join(map(str, lost))}: no signal has a name."
        )
    notices = [f"is damaged; lost are {', '.join(map(str, lost))}."] if lost else []
    if points[-1].kind is not FileSection.END and tail is None:
        notices.append(_cut_off(contents.table))
    elif tail is None:
        notices.append(_cut_off(contents.table, ", after its last sample"))
    return notices


def _sorted_out(data: bytes, points: list[Checkpoint]) -> tuple[list[Checkpoint], list[_Lost]]:
    """The parts whose checksums fit, and what stands between and beside them."""
    sound: list[Checkpoint] = []
    lost: list[_Lost] = []
    place = row = 0
    for point in points:
        if point.start > place:  # its checkpoint is lost too
            missing = point.first - row
            what = NAMED[FileSection.SAMPLES] if missing else UNKNOWN_PART
            lost.append(_Lost(what, place, point.start, row, missing))
        if zlib.crc32(data[point.start : point.end]) == point.checksum:
            sound.append(point)
        else:
            what = NAMED[point.kind]
            lost.append(_Lost(what, point.start, point.end, point.first, point.samples))
        place, row = point.after, point.first + point.samples
    return sound, lost


def _first_record(point: Checkpoint) -> int:
    return point.start or len(MAGIC)


def _sound_summary(data: bytes) -> tuple[int, int] | None:
    """Where the summary stands, if the file ends with one whose checksum fits."""
    place = len(data) - len(MAGIC) - _FOOTER.size
    if place < 0 or data[-len(MAGIC) :] != MAGIC:
        return None
    opcode, length, start, _, checksum = _FOOTER.unpack(data[place : place + _FOOTER.size])
    if opcode != FOOTER or length != _FOOTER.size - layout.HEAD or start > place:
        return None
    whole = zlib.crc32(data[start : place + _FOOTER.size - 4])
    return (start, place) if whole == checksum else None


def _cut_off(table: Array, where: str = "") -> str:
    until = f"at t = {table[-1, 0]:.9g} s{where}" if len(table) else "before its first sample"
    return f"was cut off {until}."
