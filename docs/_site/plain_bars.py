"""Bars in docstrings are magnitudes, |x|, and not the substitutions of reStructuredText."""

from __future__ import annotations

import re
from typing import Any

LITERAL = re.compile(r"(``.*?``)")


def plain(text: str) -> str:
    """A line whose bars outside of literals are bars."""
    parts = LITERAL.split(text)
    return "".join(p if p.startswith("``") else p.replace("|", r"\|") for p in parts)


def escape(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Called by autodoc with the lines of a docstring, which are changed in place."""
    lines[:] = [plain(line) for line in lines]


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("autodoc-process-docstring", escape, priority=900)  # after napoleon
    return {"parallel_read_safe": True, "parallel_write_safe": True}
