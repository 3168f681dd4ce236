"""What commands that open a page share: where it is served, and how long."""

from __future__ import annotations

import os
import sys
import threading
import webbrowser
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Protocol

import typer

from phalanx.cli import console

if TYPE_CHECKING:
    from phalanx.mechanism import Mechanism

Host = Annotated[
    str,
    typer.Option(
        metavar="ADDRESS",
        help="Where to listen; 0.0.0.0 lets other computers in. They may watch; touching anything "
        "needs the address with the token, which is printed.",
    ),
]
Port = Annotated[
    int, typer.Option(min=0, max=65535, metavar="N", help="Port, or the next that is free.")
]
Open = Annotated[bool, typer.Option("--open/--no-open", help="Open the page in a browser.")]


@dataclass(frozen=True)
class Serving:
    """Where a page is served."""

    host: Host = "127.0.0.1"
    port: Port = 8080
    opened: Open = True


class Page(Protocol):
    """A page that is served."""

    @property
    def url(self) -> str:
        """Where it is."""

    @property
    def mechanism(self) -> Mechanism:
        """What it shows."""


def serve(page: Page, opened: bool) -> None:
    """Say where the page is, open it, and stay until Ctrl-C."""
    try:
        said = f"{page.mechanism.name} at {page.url} – Ctrl-C ends."
        console.out().print(said, soft_wrap=True, markup=False)
        if opened and _has_display():
            webbrowser.open(page.url)
        threading.Event().wait()
    except KeyboardInterrupt:
        console.err().print("Closed.")


def _has_display() -> bool:
    """Whether a browser would have a window; without, it might take over the terminal."""
    windows = sys.platform in ("win32", "darwin")
    return windows or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
