"""Notebook display of a mechanism: its tree and its picture."""

from __future__ import annotations

from html import escape

from phalanx.mechanism import Mechanism
from phalanx.mechanism.describe import describe
from phalanx.simulation.record.inline import inline_figure
from phalanx.view.plots.draw import draw

LISTED = 60  # bodies; a chain of thousands would fill the page
DRAWN = 500  # bodies at most, which take a moment

TREE = "flex:1 1 24em;max-height:32em;overflow:auto;margin:0;font-size:85%;line-height:1.35"
PICTURE = "flex:0 1 26em;min-width:14em"


def mechanism_page(mechanism: Mechanism) -> str:
    """The tree of bodies and joints as text, and a picture where one can be drawn."""
    tree = f'<pre style="{TREE}">{escape(describe(mechanism, most=LISTED))}</pre>'
    return (
        f'<div style="display:flex;flex-wrap:wrap;gap:1em;align-items:start">'
        f'{tree}<div style="{PICTURE}">{_picture(mechanism)}</div></div>'
    )


def _picture(mechanism: Mechanism) -> str:
    if len(mechanism.bodies) > DRAWN:
        return f"<em>{len(mechanism.bodies):,} bodies: see them with px.Viewer.</em>"
    try:
        return inline_figure(draw(mechanism), f"{mechanism.name} with every joint at zero")
    except Exception as error:  # the tree is worth showing, whatever a picture meets
        return f"<em>not drawn: {escape(str(error))}</em>"
