"""Self-contained HTML pages: style, tables and pictures in one file."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Mapping
from html import escape
from io import BytesIO
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STYLE = """
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { font: 15px/1.5 system-ui, sans-serif; color: #1d2733; background: #fff; max-width: 62rem;
       margin: 2rem auto; padding: 0 1.2rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin-bottom: 0.2rem; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin-top: 2.2rem; }
a { color: #1f5a8c; }
p.about { color: #56636f; margin-top: 0; }
nav { border-block: 1px solid #e4e9ee; padding: 0.4rem 0; margin: 1rem 0; }
nav a { display: inline-block; padding: 0.25rem 0; margin-right: 1.2rem; }
table { border-collapse: collapse; max-width: 100%; }
td, th { text-align: left; padding: 0.25rem 1.2rem 0.25rem 0; border-bottom: 1px solid #e4e9ee;
         vertical-align: top; overflow-wrap: anywhere; }
th[scope="row"] { font-weight: 600; }
td.number { font-variant-numeric: tabular-nums; }
td.fixed, td code, th[scope="row"], thead th:first-child { white-space: nowrap; }
div.wide { overflow-x: auto; }
figure { margin: 1.2rem 0; }
img { max-width: 100%; height: auto; }
figcaption { color: #56636f; font-size: 0.9rem; }
@media (max-width: 40rem) {
  body { margin: 1rem auto; padding: 0 0.9rem; }
  table.facts, table.facts tbody, table.facts tr, table.facts th, table.facts td
    { display: block; white-space: normal; padding-right: 0; }
  table.facts th { border-bottom: 0; padding-bottom: 0; }
  figure img { max-width: none; width: 40rem; }
}
@media print {
  body { margin: 0; max-width: none; font-size: 11pt; }
  nav { display: none; }
  figure, tr { break-inside: avoid; }
  h2 { break-after: avoid; }
  figure img { max-width: 100%; width: auto; }
}
"""


def whole_page(title: str, parts: Iterable[str]) -> str:
    """A page of parts that are HTML already."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head>\n"
        f"<body>\n<main>\n{chr(10).join(parts)}\n</main>\n</body></html>\n"
    )


def sections(parts: Mapping[str, str]) -> list[str]:
    """Links to parts of a page, then the parts, by heading; their text is HTML already."""
    links = " ".join(f'<a href="#{anchor(name)}">{escape(name)}</a>' for name in parts)
    return [
        f'<nav aria-label="parts of this page">{links}</nav>',
        *(
            f'<section id="{anchor(name)}"><h2>{escape(name)}</h2>{text}</section>'
            for name, text in parts.items()
        ),
    ]


def anchor(name: str) -> str:
    """A heading as a name that links can have."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "part"


def table(rows: Iterable[tuple[str, str]]) -> str:
    """Names and what they are, a row each; the second text is HTML already."""
    lines = [
        f'<tr><th scope="row">{escape(name)}</th><td class="number">{text}</td></tr>'
        for name, text in rows
    ]
    return f'<table class="facts">{"".join(lines)}</table>' if lines else "<p>none</p>"


def wide(what: str, content: str) -> str:
    """Something that a narrow screen shows a part of, to be moved by finger or arrow keys."""
    name = escape(what, quote=True)
    return f'<div class="wide" role="group" tabindex="0" aria-label="{name}">{content}</div>'


def figure_image(caption: str, figure: Figure) -> str:
    """A plot as an image of its own, so that names inside one drawing never meet another's.

    Machines have more sides than a page of lines should hold; they come as dots.
    """
    buffer = BytesIO()
    solid = any(axes.name == "3d" for axes in figure.axes)
    kind = "png" if solid else "svg+xml"
    if solid:
        figure.savefig(buffer, format="png", dpi=130)
    else:
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    data = base64.b64encode(buffer.getvalue()).decode()
    text = escape(caption, quote=True)
    image = f'<img alt="{text}" src="data:image/{kind};base64,{data}">'
    return f"<figure>{wide(caption, image)}<figcaption>{text}</figcaption></figure>"
