"""Help pages of commands: plain metavariables instead of Python types, and examples at the end.

The docstring of a command is its help. Lines of its section ``Examples:`` are printed below the
options as they are, neither wrapped nor framed, so that they can be copied.
"""

from __future__ import annotations

from textwrap import dedent
from typing import Any

from typer.core import TyperArgument, TyperCommand

from phalanx.cli.console import out

EXAMPLES = "\n\nExamples:\n"


class HelpPage:
    """Mixin for typer's classes of commands and groups."""

    def __init__(self, *args: Any, help: str | None = None, **options: Any) -> None:
        """Take the examples out of the help text."""
        text, _, examples = (help or "").partition(EXAMPLES)
        super().__init__(*args, help=text, **options)  # type: ignore[call-arg]
        self.examples = dedent(examples)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print usage, text, arguments and options; then the examples."""
        super().format_help(ctx, formatter)  # type: ignore[misc]
        if self.examples:
            out().print("[bold]Examples:[/]")
            for line in self.examples.splitlines():
                out().print(f"  {line}".rstrip(), markup=False, soft_wrap=True)

    def get_params(self, ctx: Any) -> list[Any]:
        """Return options and arguments with a metavariable, or nothing, beside their names."""
        params: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for param in params:
            if getattr(param, "is_flag", False):
                param.metavar = ""
            if isinstance(param, TyperArgument):
                vars(param)["display_type_rich"] = lambda ctx: None
        return params

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the words of the usage line: ``MODEL`` if required, ``[PATH]`` if optional."""
        pieces: list[str] = super().collect_usage_pieces(ctx)  # type: ignore[misc]
        return [piece.replace("{", "").replace("}", "") for piece in pieces]


class Command(HelpPage, TyperCommand):
    """A command with such a help page."""
