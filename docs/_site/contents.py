"""The site's table of contents: the tables of the first page, a group for every heading.

They are written once, as a reader of the repository sees them.
"""

from __future__ import annotations

import re
from typing import Any

HEADING = re.compile(r"^## (.+)$")
ROW = re.compile(r"^\| \[[^\]]+\]\(([^)#]+)\.(?:md|rst)\)")


def contents(text: str) -> str:
    """Tables of contents of the pages that a text lists, for Sphinx to find; they are not shown."""
    groups: dict[str, list[str]] = {}
    heading = ""
    for line in text.splitlines():
        if found := HEADING.match(line):
            heading = found[1]
        elif found := ROW.match(line):
            groups.setdefault(heading, []).append(found[1])
    groups.setdefault("Reference", []).insert(0, "reference/index")  # made when the site is built
    blocks = [
        "\n".join(["```{toctree}", ":hidden:", f":caption: {name}", "", *pages, "```"])
        for name, pages in groups.items()
    ]
    return "\n\n".join(blocks)


def append(app: Any, page: str, source: list[str]) -> None:
    """Called by Sphinx with the text of a page, which is changed in place."""
    if page == app.config.root_doc:
        source[0] += "\n\n" + contents(source[0]) + "\n"


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("source-read", append)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
