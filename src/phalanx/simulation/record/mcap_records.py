"""Decoding of MCAP records: channels, settings, rows.

Records are walked by their lengths. Chunks as Phalanx writes them are taken as arrays; chunks that
another tool has rewritten are taken apart message by message.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np

from phalanx.base.errors import PhalanxError, ReadError
from phalanx.simulation.record import mcap_layout as layout
from phalanx.simulation.record.settings import JSON
from phalanx.simulation.record.signal import Array, Channel, check_channels

if TYPE_CHECKING:
    from mcap.records import Chunk, McapRecord

FOOTER, CHANNEL, CHUNK, METADATA = 0x02, 0x04, 0x06, 0x0C
WANTED = (CHANNEL, layout.MESSAGE, CHUNK, METADATA)
# what a chunk may grow to when it is unpacked, so that a small file cannot fill the memory
LARGEST_CHUNK = 1 << 28
# what lengths and texts that are none of a record's end in
NOT_A_RECORD = (ValueError, OverflowError, RecursionError)


@dataclass
class Contents:
    """Contents read so far."""

    channels: tuple[Channel, ...] | None = None
    channel_id: int = -1
    settings: dict[str, JSON] = field(default_factory=dict)
    blocks: list[Array] = field(default_factory=list)

    @property
    def width(self) -> int:
        """Numbers in a row, time included."""
        return 1 + sum(channel.width for channel in self.channels or ())

    @property
    def table(self) -> Array:
        """All rows."""
        return np.concatenate([np.empty((0, self.width)), *self.blocks])


def take_records(contents: Contents, data: bytes, start: int, end: int) -> bool:
    """Read the records of a segment of a file, up to the first incomplete one.

    Returns:
        Whether the footer was met.

    Raises:
        ReadError: When a record is damaged; it says at which byte.
    """
    from mcap.exceptions import McapError

    for place, opcode, body in _records(data, start, end):
        if opcode == FOOTER:
            return True
        try:
            _take(contents, opcode, body)
        except (PhalanxError, McapError, struct.error, *NOT_A_RECORD) as error:
            raise ReadError(f"the record at byte {place} is damaged: {error}") from None
    return False


def _records(data: bytes, place: int, end: int) -> Iterator[tuple[int, int, bytes]]:
    """Place, opcode and body of the records that matter."""
    while place + layout.HEAD <= end:
        opcode, length = struct.unpack("<BQ", data[place : place + layout.HEAD])
        # a file system that lost power may have left zeros where data should be
        if opcode == 0 or place + layout.HEAD + length > end:
            return
        if opcode in WANTED or opcode == FOOTER:
            yield place, opcode, data[place + layout.HEAD : place + layout.HEAD + length]
        place += layout.HEAD + length


def _take(contents: Contents, opcode: int, body: bytes) -> None:
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


def _take_record(contents: Contents, record: McapRecord) -> None:
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


def _take_chunk(contents: Contents, chunk: Chunk) -> None:
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
