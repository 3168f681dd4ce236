"""Formulas as MathML, which browsers draw by themselves: no script, nothing from the network."""

from __future__ import annotations

from typing import Any

from docutils.nodes import SkipNode
from latex2mathml.converter import convert


def inline(translator: Any, node: Any) -> None:
    """A formula within a line."""
    translator.body.append(convert(node.astext()))
    raise SkipNode


def block(translator: Any, node: Any) -> None:
    """A formula of its own."""
    # two lines of a formula stand for themselves, as in a displayed array
    text = node.astext()
    if r"\\" in text and r"\begin" not in text:
        text = rf"\begin{{array}}{{l}}{text}\end{{array}}"
    drawn = convert(text, display="block")
    translator.body.append(f'<div class="math-block">{drawn}</div>')
    raise SkipNode


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
