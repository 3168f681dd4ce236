"""Safe TOML parsing: limits on size and depth.

Python's reader calls itself for every level of a list, and looks at every part of a dotted key once
for every other, so a line of a hundred kilobytes could keep it busy for hours.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from phalanx.base.errors import ReadError
from phalanx.base.files import read_text

LARGEST_FILE = 2**20
DEEPEST = 16

_PART = r"""(?:"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+'|[\w-]++)"""
_DOT = r"[ \t]*+\.[ \t]*+"
_LONG_KEY = re.compile(rf"""(?<![\w"'.-])(?:{_PART}{_DOT}){{{DEEPEST}}}{_PART}""")


def parse_toml(path: Path) -> dict[str, Any]:
    """The content of a file.

    Raises:
        ReadError: When it cannot be read, is not TOML, or is nested too deeply; with the line.
    """
    text = read_text(path, LARGEST_FILE)
    long = _LONG_KEY.search(text)
    if long is not None:
        line = text.count("\n", 0, long.start()) + 1
        raise ReadError(f"line {line}: a key of more than {DEEPEST} parts is nested too deeply.")
    try:
        content = tomllib.loads(text)
    except RecursionError:
        raise ReadError("nested too deeply.") from None
    except ValueError as error:  # also numbers and dates that Python does not have
        raise ReadError(f"not TOML: {error}") from None
    _check_depth(content)
    return content


def _check_depth(content: dict[str, Any]) -> None:
    level: list[Any] = [content]
    for _ in range(DEEPEST):
        inner = [part.values() if isinstance(part, dict) else part for part in level]
        level = [part for parts in inner for part in parts if isinstance(part, dict | list)]
        if not level:
            return
    raise ReadError(f"nested too deeply, more than {DEEPEST} levels.")
