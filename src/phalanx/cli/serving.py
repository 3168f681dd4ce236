"""Serving a page: address, port, browser; until Ctrl-C."""

from __future__ import annotations

import os
import sys
import threading
import webbrowser
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar, Protocol

import typer

from phalanx.base.facts import Facts
from phalanx.cli import console

if TYPE_CHECKING:
    from phalanx.mechanism import Mechanism

Host = Annotated[
    str,
    typer.Option(
        metavar="ADDRESS",
        help="Address to listen on; 0.0.0.0 accepts other computers. They can watch; control needs "
        "the printed address with its token.",
    ),
]
Port = Annotated[
    int, typer.Option(min=0, max=65535, metavar="N", help="Port; the next free one if it is taken.")
]
Open = Annotated[bool, typer.Option("--open/--no-open", help="Open the page in a browser.")]


@dataclass(frozen=True)
class Serving:
    """Address and port of a page."""

    panel: ClassVar = "Web page"

    host: Host = "127.0.0.1"
    port: Port = 8080
    opened: Open = True


class Page(Protocol):
    """A page that can be served."""

    @property
    def url(self) -> str:
        """Its address."""

    @property
    def mechanism(self) -> Mechanism:
        """The machine that it shows."""


def serve(page: Page, opened: bool) -> None:
    """Print the address of the page, open it in a browser and wait for Ctrl-C."""
    try:
        console.print_facts(Facts([f"{page.mechanism.name} at {page.url} – stop with Ctrl-C."]))
        if opened and _has_display():
            webbrowser.open(page.url)
        threading.Event().wait()
    except KeyboardInterrupt:
        console.print_note("Closed.")


def _has_display() -> bool:
    """Return whether a browser has a display; without one it could take over the terminal."""
    windows = sys.platform in ("win32", "darwin")
    return windows or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
