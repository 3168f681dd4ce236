"""JSON files: readable diffs when written, limits when read."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from phalanx.base.errors import InvalidInput, ReadError, shown
from phalanx.base.files import naming_file, read_text
from phalanx.base.json_fields import Fields


def write_json(path: Path, value: Any) -> None:
    """Write JSON values; an existing file is replaced.

    Raises:
        InvalidInput: When nothing can be written there.
    """
    text = _layout(value) + "\n"
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InvalidInput(f"cannot write {path}: {error.strerror}.") from None


def read_json(path: Path, *, largest: int, expected: str) -> Fields:
    """The object in a file.

    Args:
        path: The file.
        largest: Its size at most [bytes].
        expected: What it should be, for messages: ``a plan``.

    Raises:
        ReadError: When the file cannot be read, or holds no JSON object.
    """
    with naming_file(path):
        text = read_text(path, largest)
    try:
        value = json.loads(text, object_pairs_hook=_object)
    except RecursionError:
        raise ReadError(f"{path.name} is nested too deeply to be {expected}.") from None
    except ValueError as error:
        raise ReadError(f"{path.name} is not JSON: {error}.") from None
    return Fields.of(value, path.name)


def _layout(value: Any, margin: str = "") -> str:
    """JSON with a line for every row of a table."""
    inner = margin + "  "
    if isinstance(value, dict) and any(isinstance(part, dict | list) for part in value.values()):
        parts = [f"{json.dumps(key)}: {_layout(part, inner)}" for key, part in value.items()]
        return "{\n" + ",\n".join(inner + part for part in parts) + f"\n{margin}}}"
    if isinstance(value, list) and value and isinstance(value[0], dict):
        rows = ",\n".join(inner + json.dumps(row, allow_nan=False) for row in value)
        return f"[\n{rows}\n{margin}]"
    return json.dumps(value, allow_nan=False)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        twice = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise ValueError(f"the key {shown(twice)} comes twice in one object")
    return made
