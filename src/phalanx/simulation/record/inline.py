"""Inline figures for HTML pages (base64)."""

from __future__ import annotations

import base64
from html import escape
from io import BytesIO
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DPI = 90


def picture_of(figure: Figure) -> bytes:
    """A figure as the bytes of a PNG, in the size of a page."""
    content = BytesIO()
    figure.savefig(content, format="png", dpi=DPI, facecolor="white")
    return content.getvalue()


def inline_figure(figure: Figure, says: str) -> str:
    """A figure as an ``<img>`` that has the picture in itself.

    Args:
        figure: The figure.
        says: What it shows, for who cannot see it.
    """
    code = base64.b64encode(picture_of(figure)).decode()
    return f'<img alt="{escape(says)}" style="max-width:100%" src="data:image/png;base64,{code}"/>'
