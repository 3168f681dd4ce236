"""Web pages in one file that needs nothing else: their style, tables and pictures."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from html import escape
from io import BytesIO
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STYLE = """
:root { color-scheme: light; }
body { font: 15px/1.5 system-ui, sans-serif; color: #1d2733; max-width: 62rem; margin: 2rem auto;
       padding: 0 1.2rem; }
h1 { font-size: 1.6rem; margin-bottom: 0.2rem; }
h2 { font-size: 1.1rem; margin-top: 2rem; }
p.about { color: #5c6a79; margin-top: 0; }
table { border-collapse: collapse; }
td, th { text-align: left; padding: 0.2rem 1.2rem 0.2rem 0; border-bottom: 1px solid #e4e9ee;
         vertical-align: top; overflow-wrap: anywhere; }
td.number { font-variant-numeric: tabular-nums; }
td.fixed, td code, th[scope="row"], th:first-child { white-space: nowrap; }
div.wide { overflow-x: auto; }
figure { margin: 1rem 0; }
img { max-width: 100%; height: auto; }
figcaption { color: #5c6a79; font-size: 0.85rem; }
"""


def whole_page(title: str, parts: Iterable[str]) -> str:
    """A page of parts that are HTML already."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head>\n"
        f"<body>\n{chr(10).join(parts)}\n</body></html>\n"
    )


def table(rows: Iterable[tuple[str, str]]) -> str:
    """Names and what they are, a row each; the second text is HTML already."""
    lines = [
        f'<tr><th scope="row">{escape(name)}</th><td class="number">{text}</td></tr>'
        for name, text in rows
    ]
    return f"<table>{''.join(lines)}</table>" if lines else "<p>none</p>"


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
    return (
        f'<figure><img alt="{text}" src="data:image/{kind};base64,{data}">'
        f"<figcaption>{text}</figcaption></figure>"
    )
