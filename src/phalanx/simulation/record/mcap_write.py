"""Write recordings as MCAP files that stay readable after a crash, up to the last flush.

What identifies the run (signals, settings) is written to a file of another name, which then takes
the wanted name: a recording that exists is readable. After it come chunks of rows, each complete
in itself, and at the end the summary by which viewers seek. Every part is followed by a checkpoint.

A part is written whole or not at all: when the disk is full, the file is cut back to the last
checkpoint, and the same part may be written again later.
"""

from __future__ import annotations

import json
import os
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from phalanx.base.errors import InvalidInput, WriteError
from phalanx.simulation.record import mcap_layout as layout
from phalanx.simulation.record.checkpoint import Checkpoint, FileSection
from phalanx.simulation.record.mcap_bytes import (
    Preamble,
    as_bytes,
    as_nanoseconds,
    message_index,
)
from phalanx.simulation.record.settings import JSON
from phalanx.simulation.record.signal import Array, Channel

if TYPE_CHECKING:
    from mcap.records import ChunkIndex

MAGIC = b"\x89MCAP0\r\n"
# about a megabyte: viewers load chunks whole
CHUNK_BYTES = 1 << 20
# doubles hardly compress: higher levels cost twice the time for two per cent
ZSTD_LEVEL = 1


class McapFile:
    """An MCAP file that grows by rows.

    Attributes:
        rows: How many are written.
    """

    def __init__(
        self, path: Path, channels: Sequence[Channel], settings: Mapping[str, JSON]
    ) -> None:
        """Create the file, in the place of any that is there.

        Raises:
            InvalidInput: When the suffix is not ``.mcap``.
            WriteError: When nothing can be written there.
        """
        if path.suffix.lower() != ".mcap":
            raise InvalidInput(f"cannot record into {path.name}: its suffix must be .mcap.")
        self._dtype = layout.message_dtype(1 + sum(channel.width for channel in channels))
        self._preamble = Preamble(channels)
        self._chunks: list[ChunkIndex] = []
        self._settings_at: list[tuple[int, int]] = []
        self.rows = 0
        self._span = (0, 0)
        self._path, self._finished = path, False
        self._size = self._checksum = 0  # of all that is written
        partial = path.with_name(f"{path.name}.{os.getpid()}.new")
        try:
            # unbuffered: what was written is known, and nothing is tried again behind our back
            self._file = partial.open("wb", buffering=0)
            try:
                preamble = self._preamble
                names = as_bytes(preamble.header, preamble.schema, preamble.channel)
                self._write(MAGIC + names, FileSection.NAMES)
                self.write_settings(settings)
                os.replace(partial, path)
            except BaseException:
                self._file.close()
                partial.unlink(missing_ok=True)
                raise
        except OSError as error:
            raise WriteError(f"{path} cannot be written: {error.strerror or error}.") from None

    def write_settings(self, settings: Mapping[str, JSON]) -> None:
        """Add settings; a reader takes the last of each name."""
        from mcap.records import Metadata

        texts = {name: json.dumps(value, ensure_ascii=False) for name, value in settings.items()}
        record = as_bytes(Metadata(layout.SETTINGS, texts))
        place = self._size
        self._write(record, FileSection.SETTINGS)
        self._settings_at.append((place, len(record)))

    def _write(self, part: bytes, kind: FileSection, samples: int = 0) -> None:
        """Add a part and its checkpoint, or nothing.

        Raises:
            OSError: When there is no room for it; the file is as it was.
        """
        start, end = self._size, self._size + len(part)
        checkpoint = Checkpoint(kind, start, end, self.rows, samples, zlib.crc32(part))
        data = part + checkpoint.pack()
        self._put(data)
        self._checksum = zlib.crc32(data, self._checksum)

    def _put(self, data: bytes) -> None:
        left = memoryview(data)
        if self._file.closed:  # after a failure at the end
            self._file = self._path.open("r+b", buffering=0)
            self._file.seek(self._size)
        try:
            while left:
                left = left[self._file.write(left) :]
        except OSError:
            self._file.seek(self._size)
            self._file.truncate()
            raise
        self._size += len(data)

    def write_rows(self, table: Array) -> None:
        """Add rows, each time and then the numbers of all channels.

        Raises:
            OSError: When there is no room for all of them; ``rows`` says how many are written.
        """
        rows_in_chunk = max(1, CHUNK_BYTES // self._dtype.itemsize)
        for start in range(0, len(table), rows_in_chunk):
            self._write_chunk(table[start : start + rows_in_chunk])

    def _write_chunk(self, table: Array) -> None:
        import zstandard
        from mcap.records import Chunk, ChunkIndex

        messages = np.empty(len(table), self._dtype)
        messages["opcode"] = layout.MESSAGE
        messages["length"] = self._dtype.itemsize - layout.HEAD
        messages["channel"] = layout.CHANNEL_ID
        messages["sequence"] = np.arange(self.rows, self.rows + len(table)) & 0xFFFFFFFF
        nanoseconds = as_nanoseconds(table[:, 0])
        messages["log_time"] = messages["publish_time"] = nanoseconds
        messages["row"] = table
        data = messages.tobytes()

        first, last = int(nanoseconds[0]), int(nanoseconds[-1])
        packed = zstandard.ZstdCompressor(level=ZSTD_LEVEL).compress(data)
        chunk = as_bytes(Chunk("zstd", packed, last, first, zlib.crc32(data), len(data)))
        index = message_index(nanoseconds, self._dtype.itemsize)
        offset = self._size
        self._write(chunk + index, FileSection.SAMPLES, len(table))

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
        self._span = (self._span[0] if self.rows else first, last)
        self.rows += len(table)

    def close(self) -> None:
        """Write the summary and close; once is enough.

        Raises:
            OSError: When there is no room for the summary; it may be tried again.
        """
        if self._finished:
            return
        from mcap.records import DataEnd, Footer

        end = Checkpoint(
            FileSection.END, self._size, self._size, self.rows, 0, zlib.crc32(b"")
        ).pack()
        data = end + as_bytes(DataEnd(zlib.crc32(end, self._checksum)))
        start = self._size + len(data)
        summary = b"".join(self._summary())
        head = struct.pack("<BQQQ", 0x02, 20, start, 0)  # the footer up to its checksum
        footer = Footer(start, 0, zlib.crc32(head, zlib.crc32(summary)))
        self._put(data + summary + as_bytes(footer) + MAGIC)
        self._finished = True
        self._file.close()

    def release(self) -> None:
        """Let the file go as it is; what is written later opens it again."""
        self._file.close()

    def _summary(self) -> Iterator[bytes]:
        from mcap.records import MetadataIndex, Statistics

        yield as_bytes(self._preamble.schema, self._preamble.channel)
        yield as_bytes(
            Statistics(
                attachment_count=0,
                channel_count=1,
                channel_message_counts={layout.CHANNEL_ID: self.rows},
                chunk_count=len(self._chunks),
                message_count=self.rows,
                message_start_time=self._span[0],
                message_end_time=self._span[1],
                metadata_count=len(self._settings_at),
                schema_count=1,
            )
        )
        yield as_bytes(*self._chunks)
        yield as_bytes(
            *(MetadataIndex(at, length, layout.SETTINGS) for at, length in self._settings_at)
        )
