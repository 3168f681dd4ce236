"""Write recordings as MCAP files that can be read up to the last flush whatever happens.

What identifies the run (signals, settings) is written to a file of another name, which then takes
the wanted name: a recording that exists is readable. After it come chunks of rows, each complete
in itself, and at the end the summary by which viewers seek.
"""

from __future__ import annotations

import json
import os
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np

from phalanx.errors import InvalidInput
from phalanx.simulate.record import mcap_layout as layout
from phalanx.simulate.record.settings import JSON
from phalanx.simulate.record.signal import Array, Channel
from phalanx.version import __version__

if TYPE_CHECKING:
    from mcap.data_stream import RecordBuilder
    from mcap.records import ChunkIndex

MAGIC = b"\x89MCAP0\r\n"
# about a megabyte: viewers load chunks whole
CHUNK_BYTES = 1 << 20
# doubles hardly compress: higher levels cost twice the time for two per cent
ZSTD_LEVEL = 1
LARGEST_TIME = (1 << 63) / 1e9


class McapFile:
    """An MCAP file that grows by rows."""

    def __init__(
        self, path: Path, channels: Sequence[Channel], settings: Mapping[str, JSON]
    ) -> None:
        """Create the file, in the place of any that is there.

        Raises:
            InvalidInput: When the suffix is not ``.mcap``.
            OSError: When nothing can be written there.
        """
        if path.suffix.lower() != ".mcap":
            raise InvalidInput(f"cannot record into {path.name}: its suffix must be .mcap.")
        self._width = 1 + sum(channel.width for channel in channels)
        self._dtype = layout.message_dtype(self._width)
        self._preamble = _Preamble(channels)
        self._chunks: list[ChunkIndex] = []
        self._settings_at: list[tuple[int, int]] = []
        self._rows = 0
        self._span = (0, 0)
        partial = path.with_name(f"{path.name}.{os.getpid()}.new")
        self._file = partial.open("wb")
        try:
            self._file.write(MAGIC + _record(self._preamble.header))
            self.write_settings(settings)
            self._file.write(_record(self._preamble.schema, self._preamble.channel))
            self._file.flush()
            os.replace(partial, path)
        except BaseException:
            self._file.close()
            partial.unlink(missing_ok=True)
            raise

    def write_settings(self, settings: Mapping[str, JSON]) -> None:
        """Add settings; a reader takes the last of each name."""
        from mcap.records import Metadata

        texts = {name: json.dumps(value, ensure_ascii=False) for name, value in settings.items()}
        record = _record(Metadata(layout.SETTINGS, texts))
        self._settings_at.append((self._file.tell(), len(record)))
        self._file.write(record)

    def write_rows(self, table: Array) -> None:
        """Add rows, each time and then the numbers of all channels, and flush them."""
        rows_in_chunk = max(1, CHUNK_BYTES // self._dtype.itemsize)
        for start in range(0, len(table), rows_in_chunk):
            self._write_chunk(table[start : start + rows_in_chunk])
        self._file.flush()

    def _write_chunk(self, table: Array) -> None:
        import zstandard
        from mcap.records import Chunk, ChunkIndex

        messages = np.empty(len(table), self._dtype)
        messages["opcode"] = layout.MESSAGE
        messages["length"] = self._dtype.itemsize - layout.HEAD
        messages["channel"] = layout.CHANNEL_ID
        messages["sequence"] = np.arange(self._rows, self._rows + len(table)) & 0xFFFFFFFF
        nanoseconds = _nanoseconds(table[:, 0])
        messages["log_time"] = messages["publish_time"] = nanoseconds
        messages["row"] = table
        data = messages.tobytes()

        first, last = int(nanoseconds[0]), int(nanoseconds[-1])
        packed = zstandard.ZstdCompressor(level=ZSTD_LEVEL).compress(data)
        chunk = _record(Chunk("zstd", packed, last, first, zlib.crc32(data), len(data)))
        index = _message_index(nanoseconds, self._dtype.itemsize)
        offset = self._file.tell()
        self._file.write(chunk + index)

        self._chunks.append(
            ChunkIndex(
                chunk_start_offset=offset,
                chunk_length=len(chunk),
                compression="zstd",
                compressed_size=len(packed),
                message_start_time=first,
                message_end_time=last,
                message_index_offsets={layout.CHANNEL_ID: offset + len(chunk)},
                message_index_length=len(index),
                uncompressed_size=len(data),
            )
        )
        self._span = (self._span[0] if self._rows else first, last)
        self._rows += len(table)

    def close(self) -> None:
        """Write the summary and close; once is enough."""
        if self._file.closed:
            return
        from mcap.records import DataEnd, Footer

        try:
            self._file.write(_record(DataEnd(0)))
            start = self._file.tell()
            summary = b"".join(self._summary())
            head = struct.pack("<BQQQ", 0x02, 20, start, 0)  # the footer up to its checksum
            footer = Footer(start, 0, zlib.crc32(head, zlib.crc32(summary)))
            self._file.write(summary + _record(footer) + MAGIC)
        finally:
            self._file.close()

    def abandon(self) -> None:
        """Close without a summary, after a failure to write."""
        self._file.close()

    def _summary(self) -> Iterator[bytes]:
        from mcap.records import MetadataIndex, Statistics

        yield _record(self._preamble.schema, self._preamble.channel)
        yield _record(
            Statistics(
                attachment_count=0,
                channel_count=1,
                channel_message_counts={layout.CHANNEL_ID: self._rows},
                chunk_count=len(self._chunks),
                message_count=self._rows,
                message_start_time=self._span[0],
                message_end_time=self._span[1],
                metadata_count=len(self._settings_at),
                schema_count=1,
            )
        )
        yield _record(*self._chunks)
        yield _record(
            *(MetadataIndex(at, length, layout.SETTINGS) for at, length in self._settings_at)
        )


class _Record(Protocol):
    def write(self, stream: RecordBuilder) -> None: ...


class _Preamble:
    """The records that say what the rows are."""

    def __init__(self, channels: Sequence[Channel]) -> None:
        from mcap.records import Channel as McapChannel
        from mcap.records import Header, Schema

        self.header = Header("phalanx", f"phalanx {__version__}")
        self.schema = Schema(
            id=layout.SCHEMA_ID,
            name=layout.SCHEMA_NAME,
            encoding="ros1msg",
            data=layout.schema_text(channels).encode(),
        )
        self.channel = McapChannel(
            id=layout.CHANNEL_ID,
            topic=layout.TOPIC,
            message_encoding="ros1",
            metadata={layout.SIGNALS: layout.signals_text(channels)},
            schema_id=layout.SCHEMA_ID,
        )


def _record(*records: _Record) -> bytes:
    from mcap.data_stream import RecordBuilder

    builder = RecordBuilder()
    for record in records:
        record.write(builder)
    return bytes(builder.end())  # type: ignore[no-untyped-call]


def _message_index(nanoseconds: np.ndarray[tuple[int], np.dtype[np.uint64]], size: int) -> bytes:
    """The record by which viewers find messages in a chunk: an entry a row, made as an array."""
    entries = np.empty((len(nanoseconds), 2), "<u8")
    entries[:, 0] = nanoseconds
    entries[:, 1] = np.arange(len(nanoseconds)) * size
    body = struct.pack("<HI", layout.CHANNEL_ID, entries.nbytes) + entries.tobytes()
    return struct.pack("<BQ", 0x07, len(body)) + body


def _nanoseconds(time: Array) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    """Times for viewers, which know none before zero; the exact time is part of the row."""
    return np.rint(1e9 * np.clip(time, 0.0, LARGEST_TIME)).astype(np.uint64)
