"""Page theme: title, style and labels of viser's page.

The page is one file of HTML that viser serves as it is. On its way to the browser it gets the
machine's name as its title, a few rules of style (boxes in which numbers fit, text that can be
read, on a phone a panel below the picture instead of over it), and a script that gives controls
the names that screen readers say.
"""

from __future__ import annotations

import gzip
from functools import lru_cache
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from websockets.http11 import Response

TITLE = b"<title>Viser</title>"
ABOUT = b'content="Viser client"'
END_OF_HEAD = b"</head>"


def dress(page: Response, name: str) -> None:
    """Give an answer that is viser's page a title and our style; leave all others alone."""
    if "text/html" not in page.headers.get("Content-Type", ""):
        return
    packed = page.headers.get("Content-Encoding") == "gzip"
    page.body = _dressed(bytes(page.body), name, packed)
    del page.headers["Content-Length"]
    page.headers["Content-Length"] = str(len(page.body))


@lru_cache(maxsize=8)
def _dressed(body: bytes, name: str, packed: bool) -> bytes:
    page = gzip.decompress(body) if packed else body
    style, names = (
        files("phalanx.view.web").joinpath(f"page_theme.{kind}").read_bytes()
        for kind in ("css", "js")
    )
    title = escape(name).encode()
    page = page.replace(TITLE, b"<title>%s \xc2\xb7 Phalanx</title>" % title, 1)
    page = page.replace(ABOUT, b'content="%s in 3-D"' % title, 1)
    ours = b"<style>%s</style><script>%s</script></head>" % (style, names)
    page = page.replace(END_OF_HEAD, ours, 1)
    return gzip.compress(page, 5) if packed else page
