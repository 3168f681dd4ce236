"""Read recordings from MCAP files, also from files that end in the middle of a record.

Records are walked by their lengths, without the summary, which a run that was killed has not
written. Chunks as Phalanx writes them are taken as arrays; chunks that another tool has rewritten
are taken apart message by message.
"""

from __future__ import annotations

import json
import struct
import warnings
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from phalanx.errors import PhalanxError, ReadError
from phalanx.simulate.record import mcap_layout as layout
from phalanx.simulate.record.mcap_write import MAGIC
from phalanx.simulate.record.settings import JSON
from phalanx.simulate.record.signal import Array, Channel, check_channels

if TYPE_CHECKING:
    from mcap.records import Chunk, McapRecord

FOOTER, CHANNEL, CHUNK, METADATA = 0x02, 0x04, 0x06, 0x0C
WANTED = (CHANNEL, layout.MESSAGE, CHUNK, METADATA, FOOTER)
# what a chunk may grow to when it is unpacked, so that a small file cannot fill the memory
LARGEST_CHUNK = 1 << 28


class RecordingWarning(UserWarning):
    """A recording that can be read, but not to the end it should have had."""


@dataclass
class _Contents:
    """What has been read so far."""

    channels: tuple[Channel, ...] | None = None
    channel_id: int = -1
    settings: dict[str, JSON] = field(default_factory=dict)
    blocks: list[Array] = field(default_factory=list)
    finished: bool = False

    @property
    def width(self) -> int:
        return 1 + sum(channel.width for channel in self.channels or ())


def read_mcap(path: Path) -> tuple[tuple[Channel, ...], Array, dict[str, JSON]]:
    """Channels, rows (time first) and settings of a recording.

    Warns:
        RecordingWarning: When the file was cut off, with the time up to which it could be read.

    Raises:
        ReadError: When the file is damaged, or is not a recording.
    """
    from mcap.exceptions import McapError

    contents = _Contents()
    try:
        with path.open("rb") as file:
            _check_magic(file, path)
            for place, opcode, body in _records(file, contents):
                try:
                    _take(contents, opcode, body)
                except (PhalanxError, McapError, ValueError, struct.error) as error:
                    raise ReadError(
                        f"{path}: the record at byte {place} is damaged: {error}"
                    ) from None
    except OSError as error:
        raise ReadError(f"{path} cannot be read: {error.strerror or error}.") from None
    if contents.channels is None:
        raise ReadError(
            f"{path} is no recording of Phalanx: expected a topic {layout.TOPIC} with the "
            f"metadata '{layout.SIGNALS}'."
        )
    table = np.concatenate([np.empty((0, contents.width)), *contents.blocks])
    if not contents.finished:
        until = f"at t = {table[-1, 0]:.9g} s" if len(table) else "before its first sample"
        warnings.warn(f"{path} was cut off {until}.", RecordingWarning, stacklevel=3)
    return contents.channels, table, contents.settings


def _check_magic(file: BinaryIO, path: Path) -> None:
    begin = file.read(len(MAGIC))
    if begin != MAGIC:
        what = "is empty" if not begin else f"begins with {begin!r}"
        raise ReadError(f"{path} is not an MCAP file: it {what}.")


def _records(file: BinaryIO, contents: _Contents) -> Iterator[tuple[int, int, bytes]]:
    """Place, opcode and body of the records that matter, up to the first incomplete one."""
    place = file.tell()
    size = file.seek(0, 2)
    while place + layout.HEAD <= size:
        file.seek(place)
        opcode, length = struct.unpack("<BQ", file.read(layout.HEAD))
        # a file system that lost power may have left zeros where data should be
        if opcode == 0 or place + layout.HEAD + length > size:
            return
        if opcode in WANTED:
            yield place, opcode, file.read(length)
        place += layout.HEAD + length
        if opcode == FOOTER:
            file.seek(place)
            contents.finished = file.read(len(MAGIC)) == MAGIC
            return


def _take(contents: _Contents, opcode: int, body: bytes) -> None:
    from mcap import records
    from mcap.data_stream import ReadDataStream

    stream = ReadDataStream(BytesIO(body))
    if opcode == CHANNEL:
        _take_record(contents, records.Channel.read(stream))
    elif opcode == METADATA:
        _take_record(contents, records.Metadata.read(stream))
    elif opcode == layout.MESSAGE:
        _take_record(contents, records.Message.read(stream, len(body)))
    elif opcode == CHUNK:
        _take_chunk(contents, records.Chunk.read(stream))


def _take_record(contents: _Contents, record: McapRecord) -> None:
    from mcap import records

    if isinstance(record, records.Channel):
        if layout.SIGNALS in record.metadata and contents.channels is None:
            contents.channels = check_channels(layout.signals_from(record.metadata[layout.SIGNALS]))
            contents.channel_id = record.id
    elif isinstance(record, records.Metadata):
        if record.name == layout.SETTINGS:
            contents.settings |= {k: json.loads(text) for k, text in record.metadata.items()}
    elif isinstance(record, records.Message) and record.channel_id == contents.channel_id:
        if len(record.data) != 8 * contents.width:
            raise ValueError(f"a sample of {len(record.data)} bytes, expected {8 * contents.width}")
        contents.blocks.append(np.frombuffer(record.data, "<f8").reshape(1, -1))


def _take_chunk(contents: _Contents, chunk: Chunk) -> None:
    data = _unpacked(chunk)
    dtype = layout.message_dtype(contents.width)
    if contents.channels is not None and len(data) % dtype.itemsize == 0:
        messages = np.frombuffer(data, dtype)
        regular = (
            (messages["opcode"] == layout.MESSAGE)
            & (messages["length"] == dtype.itemsize - layout.HEAD)
            & (messages["channel"] == contents.channel_id)
        )
        if regular.all():
            contents.blocks.append(messages["row"])
            return
    from mcap.stream_reader import breakup_chunk

    for record in breakup_chunk(replace(chunk, compression="", data=data)):
        _take_record(contents, record)


def _unpacked(chunk: Chunk) -> bytes:
    """The data of a chunk, never more than it announces."""
    import lz4.frame
    import zstandard

    size = chunk.uncompressed_size
    if size > LARGEST_CHUNK:
        raise ValueError(f"a chunk of {size} bytes")
    try:
        if chunk.compression == "zstd":
            # the size in the frame, where there is one, overrules the limit given here
            if zstandard.frame_content_size(chunk.data) not in (-1, size):
                raise ValueError("its sizes contradict each other")
            data = zstandard.decompress(chunk.data, size)
        elif chunk.compression == "lz4":
            data = lz4.frame.LZ4FrameDecompressor().decompress(chunk.data, size)
        else:
            data = chunk.data
    except (zstandard.ZstdError, RuntimeError) as error:
        raise ValueError(str(error)) from None
    if len(data) != size or chunk.uncompressed_crc not in (0, zlib.crc32(data)):
        raise ValueError("its checksum does not fit")
    return data
