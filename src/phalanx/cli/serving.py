"""What commands that open a page share: where it is served, and how long."""

from __future__ import annotations

import os
import sys
import threading
import webbrowser
from typing import TYPE_CHECKING, Annotated

import typer

from phalanx.cli import console

if TYPE_CHECKING:
    from phalanx.view.viewer import Viewer

Host = Annotated[
    str, typer.Option(help="Address to listen on; 0.0.0.0 lets other computers in, unguarded.")
]
Port = Annotated[int, typer.Option(min=0, max=65535, help="Port, or the next that is free.")]
Open = Annotated[bool, typer.Option("--open/--no-open", help="Open the page in a browser.")]


def serve(viewer: Viewer, opened: bool) -> None:
    """Say where the page is, open it, and stay until Ctrl-C."""
    console.out().print(f"{viewer.mechanism.name} at {viewer.url} – Ctrl-C ends.", soft_wrap=True)
    if opened and _has_display():
        webbrowser.open(viewer.url)
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        console.err().print("Closed.")


def _has_display() -> bool:
    """Whether a browser would have a window; without, it might take over the terminal."""
    windows = sys.platform in ("win32", "darwin")
    return windows or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
