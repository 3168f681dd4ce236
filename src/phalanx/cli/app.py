"""The application: its commands, and how it ends when something is wrong.

Exit codes: 0 when all went well, 2 for anything the user can put right (said in one line on
standard error, never a traceback), 130 after Ctrl-C, 141 when nobody reads on.
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
from phalanx.cli.console import leave_closed_pipe, say_error, write_what_fits
from phalanx.cli.groups import spread
from phalanx.cli.help_pages import PlainCommand, Plainly
from phalanx.simulation.extensions import extensions

Command = Callable[..., None]

SPECIAL = "special machines"  # where commands stand that their owners offer
# the files of all other commands, in the order of the list that --help shows
FILES = (
    "info",
    "view",
    "simulate",
    SPECIAL,
    "rollout",
    "sweep",
    "sweep_status",
    "sweep_report",
    "sweep_replay",
    "trajectory",
    "identify",
    "cosimulate",
    "replay",
    "evaluate",
    "inverse_kinematics",
    "schedule",
    "array",
    "chip",
    "mesh",
    "systolic_solve",
    "export",
    "operations",
    "bench",
    "chain",
    "compare_loops",
    "compare_chains",
    "library",
    "diff",
)

WRONG_INPUT = 2
INTERRUPTED = 130

HELP = """Parallel dynamics of robots and machines.

MODEL is a file (arm.urdf, arm.xml), a machine of the library (puma560, chain:10000) or, with the
package example-robot-data, a robot of it (robot:ur5_robot). `phalanx library` lists the names.

    phalanx info puma560

    phalanx view puma560

    phalanx evaluate puma560 inverse-dynamics --samples 1e6

    phalanx inverse-kinematics puma560 --frame tool --position 0.4,0.2,0.3

    phalanx simulate puma-pd --report out

    phalanx excavator

    phalanx excavator-fleet --machines 4096

    phalanx rollout puma560 --runs 1e4

    phalanx sweep puma-robustness --to out.zarr --engine processes:2

    phalanx cosimulate planar_3rrr --ranks 4

    phalanx trajectory puma560 --demo --edit

    phalanx identify puma560 --excite motion.csv

    phalanx schedule puma560 --processors 1-13 --gantt plan.html

    phalanx array puma560 --kind logarithmic --page array.html

    phalanx chip puma560 --format fixed:24 --faults 2

    phalanx mesh cat215b --page mesh.html

    phalanx systolic-solve --size 6 --page solver.html

    phalanx export puma560 mass-matrix --to mass_matrix.c

    phalanx operations puma560

    phalanx bench puma560 --quick

    phalanx chain --bodies 10000 --compare
"""


class Commands(Plainly, TyperGroup):
    """The group of all commands; turns errors into one line and an exit code."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except PhalanxError as error:
            say_error(str(error))
            raise typer.Exit(WRONG_INPUT) from None
        except BrokenPipeError:
            leave_closed_pipe()  # who reads has seen enough, as in `| head`
        except MemoryError as error:
            say_error(f"not enough memory: {error or 'take less at a time'}.")
            raise typer.Exit(WRONG_INPUT) from None
        except OSError as error:
            say_error(f"{error.strerror or error}: {error.filename or 'input or output'}")
            raise typer.Exit(WRONG_INPUT) from None
        except KeyboardInterrupt:
            say_error("interrupted.")
            _leave_a_compilation()
            raise typer.Exit(INTERRUPTED) from None

    def main(self, *args: Any, **options: Any) -> Any:
        """Run, or tell a shell how words go on."""
        write_what_fits()
        return completed(lambda: super(Commands, self).main(*args, **options))

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[Any, Any, list[str]]:
        """The command that is meant, with its options; of the others there are outlines."""
        name, command, rest = super().resolve_command(ctx, _with_its_second_word(args))
        if name is None:
            return name, command, rest
        return name, whole(COMMANDS[name], completing=ctx.resilient_parsing), rest


def _with_its_second_word(args: list[str]) -> list[str]:
    """`sweep status` as one word, which `sweep-status` means too."""
    first, second = [*args, "", ""][:2]
    if f"{first} {second}" in COMMANDS:
        return [f"{first} {second}", *args[2:]]
    spaced = first.replace("-", " ", 1)
    return [spaced, *args[1:]] if spaced in COMMANDS else args


def _leave_a_compilation() -> None:
    """End now if LLVM is at work: it cannot be stopped, and an orderly end would wait for it."""
    from phalanx.kernel.llvm.native import is_compiling

    if is_compiling():
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(INTERRUPTED)


def _show_version(wanted: bool) -> None:
    if wanted:
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
            "--version", callback=_show_version, is_eager=True, help="Show the version and stop."
        ),
    ] = False,
) -> None:
    pass


def _commands() -> Iterator[Command]:
    """All commands: a file each, which has the command's name, and those of special machines."""
    for name in FILES:
        if name != SPECIAL:
            yield getattr(import_module(f"phalanx.cli.{name}"), name)
            continue
        for offered in (one for extension in extensions() for one in extension.commands):
            module, _, function = offered.partition(":")
            yield getattr(import_module(module), function)


def whole(command: Command, *, completing: bool = False) -> Any:
    """A command with all its options, as typer runs it.

    Its choices are tables of the library, which is loaded for that; so a command is made when it is
    asked for, and without them when a shell only completes its words.
    """
    alone = typer.Typer(add_completion=False, rich_markup_mode="markdown")
    alone.command(cls=PlainCommand)(spread(command, completing=completing))
    return typer.main.get_command(alone)


def _outline(command: Command) -> Command:
    """Name and text of a command, for the list of all."""

    def outline() -> None:
        pass

    outline.__name__, outline.__doc__ = command.__name__, command.__doc__
    return outline


def _name(command: Command) -> str:
    """What a person writes: `compare-loops`, and two words for what is done with a sweep."""
    name = command.__name__
    return name.replace("_", " " if name.startswith("sweep_") else "-")


COMMANDS = {_name(command): command for command in _commands()}
for _command in COMMANDS.values():
    app.command(_name(_command))(_outline(_command))
