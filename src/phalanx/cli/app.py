"""The command line application: its commands, error handling and exit codes.

Exit codes: 0 for success, 2 for an error that the user can correct (one line on standard error,
without a traceback), 130 after Ctrl-C, 141 when the reader of a pipe has closed it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from phalanx.base.errors import PhalanxError
from phalanx.base.version import __version__
from phalanx.cli.completion import completed
from phalanx.cli.console import leave_closed_pipe, print_error, replace_unencodable
from phalanx.cli.groups import spread
from phalanx.cli.help_pages import Command, HelpPage
from phalanx.simulation.extensions import extensions

CommandFunction = Callable[..., None]

SPECIAL = "Special machines"  # the panel of commands that extensions add
# panels of `phalanx --help` and the files of their commands, those that are used first on top
PANELS = {
    "First steps": ("info", "simulate", "view", "evaluate", "bench"),
    "Models": ("library", "operations", "export"),
    "Simulation": ("rollout", "linearize", "replay", "diff"),
    "Planning and identification": ("inverse_kinematics", "trajectory", "identify"),
    "Sweeps and distributed runs": (
        "sweep",
        "sweep_status",
        "sweep_report",
        "sweep_replay",
        "cosimulate",
    ),
    "Multiprocessors and hardware": ("schedule", "array", "chip", "mesh", "systolic_solve"),
    "Comparison of methods": ("chain", "compare_chains", "compare_loops"),
}

WRONG_INPUT = 2
INTERRUPTED = 130

HELP = """Parallel dynamics of robots and machines.

MODEL is a file (arm.urdf, arm.xml), a machine of the library (puma560, chain:10000) or a robot of
the package example-robot-data (robot:ur5_robot). `phalanx library` lists the names. The help of a
command has its options and examples: `phalanx simulate --help`.

Examples:
    phalanx info puma560
    phalanx simulate puma-pd --report out
    phalanx view puma560
    phalanx evaluate puma560 inverse-dynamics --samples 1e6
    phalanx bench puma560 --quick
"""


class Commands(HelpPage, TyperGroup):
    """All commands; prints an error as one line and exits with its code."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except PhalanxError as error:
            print_error(str(error))
            raise typer.Exit(WRONG_INPUT) from None
        except BrokenPipeError:
            leave_closed_pipe()
        except MemoryError as error:
            print_error(f"not enough memory: {error or 'take less at a time'}.")
            raise typer.Exit(WRONG_INPUT) from None
        except OSError as error:
            print_error(f"{error.strerror or error}: {error.filename or 'input or output'}")
            raise typer.Exit(WRONG_INPUT) from None
        except KeyboardInterrupt:
            print_error("interrupted.")
            _exit_during_compilation()
            raise typer.Exit(INTERRUPTED) from None

    def main(self, *args: Any, **options: Any) -> Any:
        """Run a command, or complete words for a shell."""
        replace_unencodable()
        return completed(lambda: super(Commands, self).main(*args, **options))

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[Any, Any, list[str]]:
        """Return the named command with its options; the others have none yet."""
        name, command, rest = super().resolve_command(ctx, _with_its_second_word(args))
        if name is None:
            return name, command, rest
        return name, whole(COMMANDS[name], completing=ctx.resilient_parsing), rest


def _with_its_second_word(args: list[str]) -> list[str]:
    """Join the words of `sweep status`; `sweep-status` is the same command."""
    first, second = [*args, "", ""][:2]
    if f"{first} {second}" in COMMANDS:
        return [f"{first} {second}", *args[2:]]
    spaced = first.replace("-", " ", 1)
    return [spaced, *args[1:]] if spaced in COMMANDS else args


def _exit_during_compilation() -> None:
    """Exit at once while LLVM compiles, which cannot be interrupted and delays a normal exit."""
    from phalanx.kernel.llvm.native import is_compiling

    if is_compiling():
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(INTERRUPTED)


def _show_version(requested: bool) -> None:
    if requested:
        typer.echo(f"phalanx {__version__}")
        raise typer.Exit


app = typer.Typer(
    cls=Commands,
    help=HELP,
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def _options(
    show_version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    pass


def _panels() -> Iterator[tuple[str, CommandFunction]]:
    """Yield all commands with their panels: a file each, and those of special machines."""
    for panel, files in PANELS.items():
        for name in files:
            yield panel, getattr(import_module(f"phalanx.cli.{name}"), name)
    for place in (place for extension in extensions() for place in extension.commands):
        module, _, name = place.partition(":")
        yield SPECIAL, getattr(import_module(module), name)


def whole(command: CommandFunction, *, completing: bool = False) -> Any:
    """Return a command with all its options, as typer runs it.

    Choices of options are tables of the library, which takes time to load. So only the command that
    is run is built, and without choices when a shell completes its words.
    """
    alone = typer.Typer(add_completion=False, rich_markup_mode="markdown")
    alone.command(cls=Command)(spread(command, completing=completing))
    return typer.main.get_command(alone)


def _outline(command: CommandFunction) -> CommandFunction:
    """Return a function with the name and text of a command, for the list of commands."""

    def outline() -> None:
        pass

    outline.__name__, outline.__doc__ = command.__name__, command.__doc__
    return outline


def _name(command: CommandFunction) -> str:
    """Return the name on the command line: `compare-loops`, and two words for `sweep status`."""
    name = command.__name__
    return name.replace("_", " " if name.startswith("sweep_") else "-")


COMMANDS: dict[str, CommandFunction] = {}
for _panel, _command in _panels():
    COMMANDS[_name(_command)] = _command
    app.command(_name(_command), rich_help_panel=_panel)(_outline(_command))
