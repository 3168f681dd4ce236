"""Encoding of MCAP records: schemas, channels, message indexes."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from phalanx.base.version import __version__
from phalanx.simulation.record import mcap_layout as layout
from phalanx.simulation.record.signal import Array, Channel

if TYPE_CHECKING:
    from mcap.data_stream import RecordBuilder

LARGEST_TIME = (1 << 63) / 1e9


class _Record(Protocol):
    def write(self, stream: RecordBuilder) -> None: ...


class Preamble:
    """The records that say what the rows are."""

    def __init__(self, channels: Sequence[Channel]) -> None:
        """Describe the channels."""
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


def as_bytes(*records: _Record) -> bytes:
    """Records of the format one after the other."""
    from mcap.data_stream import RecordBuilder

    builder = RecordBuilder()
    for record in records:
        record.write(builder)
    return bytes(builder.end())  # type: ignore[no-untyped-call]


def message_index(nanoseconds: np.ndarray[tuple[int], np.dtype[np.uint64]], size: int) -> bytes:
    """The record by which viewers find messages in a chunk: an entry a row, made as an array."""
    entries = np.empty((len(nanoseconds), 2), "<u8")
    entries[:, 0] = nanoseconds
    entries[:, 1] = np.arange(len(nanoseconds)) * size
    body = struct.pack("<HI", layout.CHANNEL_ID, entries.nbytes) + entries.tobytes()
    return struct.pack("<BQ", 0x07, len(body)) + body


def as_nanoseconds(time: Array) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    """Times for viewers, which know none before zero; the exact time is part of the row."""
    return np.rint(1e9 * np.clip(time, 0.0, LARGEST_TIME)).astype(np.uint64)
