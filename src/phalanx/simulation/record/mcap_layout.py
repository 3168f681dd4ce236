"""Layout of a recording in an MCAP file: one message a sample, its payload the row of numbers.

Messages have the encoding ``ros1``, which the common tools read and in which a message of
``float64`` fields is those numbers in memory order and nothing else. So a block of rows becomes a
block of messages by copying columns, without a look at a single number. Field names are restricted
to letters, digits and underscores; the true names, labels and units stand in the metadata of the
MCAP channel.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from phalanx.simulation.record.signal import Channel

TOPIC = "/signals"
SCHEMA_NAME = "phalanx/Signals"
SIGNALS = "phalanx.signals"
SETTINGS = "phalanx.settings"
CHANNEL_ID = 1
SCHEMA_ID = 1
MESSAGE = 0x05
HEAD = 9  # opcode and length of every record
NESTED = "=" * 80


def message_dtype(width: int) -> np.dtype[Any]:
    """A whole MCAP message record with ``width`` numbers, byte for byte."""
    return np.dtype(
        [
            ("opcode", "u1"),
            ("length", "<u8"),
            ("channel", "<u2"),
            ("sequence", "<u4"),
            ("log_time", "<u8"),
            ("publish_time", "<u8"),
            ("row", "<f8", (width,)),
        ]
    )


def schema_text(channels: Sequence[Channel]) -> str:
    """The message definition: time, then a field a scalar and a nested message a vector."""
    fields, parts = ["float64 time"], []
    names = field_names(["time", *(channel.name for channel in channels)])[1:]
    for name, channel in zip(names, channels, strict=True):
        if channel.labels:
            fields.append(f"phalanx/{name} {name}")
            parts.append(f"{NESTED}\nMSG: phalanx/{name}")
            parts.extend(f"float64 {label}" for label in field_names(channel.labels))
        else:
            fields.append(f"float64 {name}")
    return "\n".join([*fields, *parts]) + "\n"


def field_names(names: Iterable[str]) -> list[str]:
    """Names as message definitions allow them, still different from each other."""
    made: list[str] = []
    for name in names:
        plain = re.sub(r"[^A-Za-z0-9_]", "_", name)
        plain = plain if plain[:1].isalpha() else f"x{plain}"
        candidate, k = plain, 1
        while candidate in made:
            k += 1
            candidate = f"{plain}_{k}"
        made.append(candidate)
    return made


def signals_text(channels: Sequence[Channel]) -> str:
    """The channels as JSON, for the metadata of the MCAP channel."""
    facts = [
        {"name": c.name, "unit": c.unit, "labels": list(c.labels)}
        | ({"units": list(c.units)} if c.units else {})
        for c in channels
    ]
    return json.dumps(facts, ensure_ascii=False)


def signals_from(text: str) -> tuple[Channel, ...]:
    """The channels that ``signals_text`` wrote.

    Raises:
        ValueError: When the text is something else.
    """
    try:
        return tuple(
            Channel(
                str(fact["name"]),
                str(fact["unit"]),
                tuple(map(str, fact["labels"])),
                tuple(map(str, fact.get("units", ()))),
            )
            for fact in json.loads(text)
        )
    except (TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ValueError(f"{type(error).__name__}: {error}") from None
