"""Help that teaches: a flag takes nothing, an argument is called what it is called in the text."""

from __future__ import annotations

from typing import Any

from typer.core import TyperArgument, TyperCommand


class Plainly:
    """Beside a command's class of typer: its help without types of Python."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Options and arguments; what stands beside their names is a metavariable or nothing."""
        params: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for param in params:
            if getattr(param, "is_flag", False):
                param.metavar = ""
            if isinstance(param, TyperArgument):
                vars(param)["display_type_rich"] = lambda ctx: None
        return params

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """The words of the usage line: ``MODEL`` where there must be one, ``[PATH]`` where not."""
        pieces: list[str] = super().collect_usage_pieces(ctx)  # type: ignore[misc]
        return [piece.replace("{", "").replace("}", "") for piece in pieces]


class PlainCommand(Plainly, TyperCommand):
    """A command with such help."""
