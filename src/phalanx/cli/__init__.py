"""The command ``phalanx``: one file per command."""

from phalanx.cli.app import app

__all__ = ["app"]
__dir__ = __all__.copy
