"""Tab completion of arguments and choices, without loading the library.

The shell starts ``phalanx`` at every Tab, so names are read from a file
(:mod:`phalanx.cli.completion_words` writes it from the tables of the library, and a test compares
them). The shell completes file names where no name matches.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable
from contextlib import redirect_stdout
from functools import cache
from io import StringIO
from pathlib import Path
from pkgutil import get_data
from typing import Any

COMPLETE = "_PHALANX_COMPLETE"
WORDS = "completion_words.json"
MACHINES, QUANTITIES, METHODS = "machines", "quantities", "methods"

Complete = Callable[[str], list[str]]


@cache
def words() -> dict[str, list[str]]:
    """Return names by table, ``module:NAME``, and those of machines and quantities."""
    text = get_data("phalanx.cli", WORDS)
    read: dict[str, list[str]] = json.loads(text) if text else {}
    return read


def offering(names: Callable[[], Iterable[str]], *suffixes: str) -> Complete:
    """Return a completer for typer: matching names, and files with these suffixes."""

    def complete(incomplete: str) -> list[str]:
        if "/" in incomplete or incomplete.startswith((".", "~")):
            return []
        found = [name for name in names() if name.startswith(incomplete)]
        if found:  # else the shell completes files and folders
            found += _files(incomplete, suffixes)
        return found

    return complete


def _files(incomplete: str, suffixes: tuple[str, ...]) -> list[str]:
    try:
        here = sorted(os.listdir())
    except OSError:
        return []
    return [name for name in here if name.startswith(incomplete) and Path(name).suffix in suffixes]


def completed(run: Callable[[], Any]) -> Any:
    """Run the command line; for bash, join words that it splits at colons and equals signs.

    bash passes ``robot:panda`` and ``--a=b`` as three words and replaces the last one.
    """
    typed, place = os.environ.get("COMP_WORDS"), os.environ.get("COMP_CWORD", "")
    if os.environ.get(COMPLETE) != "complete_bash" or typed is None or not place.isdigit():
        return run()
    words, here = joined(typed.split("\n"), int(place))
    os.environ["COMP_WORDS"], os.environ["COMP_CWORD"] = "\n".join(words), str(here)
    before, colon, _ = words[here].rpartition(":")
    shell = sys.stdout
    with redirect_stdout(StringIO()) as printed:
        try:
            return run()
        finally:
            for line in printed.getvalue().splitlines():
                print(line.removeprefix(before + colon), file=shell)


def joined(words: list[str], place: int) -> tuple[list[str], int]:
    """Join words at colons and equals signs; return them and the new index of ``place``."""
    whole: list[str] = []
    here, glued = 0, False
    for k, word in enumerate(words):
        breaks = bool(word) and set(word) <= set(":=")
        if whole and (breaks or glued):
            whole[-1] += word
        else:
            whole.append(word)
        glued = breaks
        here = len(whole) - 1 if k <= place else here
    return whole, here
