"""Self-contained web pages: style, scripts and data in one file.

A page is a frame, a body, style sheets and scripts (folder ``page``); what it shows goes in as
data. Texts are escaped on their way in, and the scripts set them as text only.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from typing import Any

RULES_SHOWN = 200
DIGITS = 9  # of times: more than any screen resolves


@dataclass(frozen=True)
class WebPage:
    """Parts of a page.

    Attributes:
        body: File with its body.
        styles: Files of its style, beside the common one.
        scripts: Files of its scripts, each of which knows the names before it.
        wrong: What is said of that which breaks rules, ``This plan cannot be carried out``.
    """

    body: str
    styles: tuple[str, ...]
    scripts: tuple[str, ...]
    wrong: str

    def text(
        self, title: str, facts: Mapping[str, str], broken: Sequence[str], data: Mapping[str, Any]
    ) -> str:
        """The page.

        Args:
            title: Its title.
            facts: What is said in numbers above everything, by name.
            broken: Rules that are broken, in words.
            data: What the scripts draw.
        """
        parts = {
            "title": escape(title),
            "style": "\n".join(map(_part, ("page.css", *self.styles))),
            # all scripts as one function, so that their names are theirs alone
            "script": "\n".join(["'use strict';", "(() => {", *map(_part, self.scripts), "})();"]),
            "summary": _described(facts),
            "violations": self._violations(broken),
            # inside a script element only "<" could end the data
            "data": json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"),
        }
        whole = _part("frame.html").replace("{{body}}", _part(self.body))
        return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], whole)

    def _violations(self, broken: Sequence[str]) -> str:
        """The rules that are broken, to fold out; nothing when there are none."""
        if not broken:
            return ""
        items = "".join(f"<li>{escape(text)}</li>" for text in broken[:RULES_SHOWN])
        if len(broken) > RULES_SHOWN:
            items += f"<li>and {len(broken) - RULES_SHOWN} more</li>"
        count = "1 rule is" if len(broken) == 1 else f"{len(broken)} rules are"
        return (
            f'<details class="wrong"><summary>{escape(self.wrong)}: {count} broken'
            f"</summary><ul>{items}</ul></details>"
        )


def short(time: float) -> float:
    """A number with as many digits as a page needs."""
    return float(f"{time:.{DIGITS}g}")


def _described(facts: Mapping[str, str]) -> str:
    """Facts as entries of a description list."""
    return "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>"
        for name, value in facts.items()
    )


def _part(name: str) -> str:
    return (
        files("phalanx.multiprocessor.pictures").joinpath("page", name).read_text(encoding="utf-8")
    )
