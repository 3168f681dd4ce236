"""Options of all commands: each has help, and every choice is a table of the library."""

from __future__ import annotations

import enum
import inspect
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, get_args, get_type_hints

import pytest
import typer
from typer.testing import CliRunner

from phalanx.cli.app import COMMANDS, app, whole
from phalanx.cli.choices import OneOf
from phalanx.cli.groups import fields_of, spread
from phalanx.studies.khan.contestants import CONTESTANTS


def options_of(command: Any) -> Iterator[tuple[str, Any]]:
    """Names and annotations of what a command takes, as its author wrote them."""
    for name, hint in get_type_hints(command, include_extras=True).items():
        if name != "return":
            yield from fields_of(name, hint)


ALL = [
    pytest.param(command, name, hint, id=f"{command}-{name}")
    for command, function in COMMANDS.items()
    for name, hint in options_of(function)
]
CHOICES = [p for p in ALL if any(isinstance(x, OneOf) for x in get_args(p.values[2]))]


def test_there_are_commands_with_choices():
    assert {"simulate", "schedule", "excavator", "cosimulate"} <= set(COMMANDS)
    assert len(CHOICES) >= 15


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_says_what_it_is(command):
    said = CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "200"}).output
    for option in whole(COMMANDS[command]).params:
        assert (option.help or "").strip(), f"{command}: {option.name} has no help"
        assert "{names}" not in option.help and "{either}" not in option.help
        assert not option.opts[0].startswith("--") or option.opts[0] in said


@pytest.mark.parametrize(("command", "name", "hint"), ALL)
def test_a_choice_is_a_table_of_the_library(command, name, hint):
    """No list of names is kept on the command line itself."""
    kinds = [*get_args(hint)[:1], *get_args(get_args(hint)[0])]
    assert not any(isinstance(kind, type) and issubclass(kind, enum.Enum) for kind in kinds)
    for choice in (part for part in get_args(hint) if isinstance(part, OneOf)):
        module, _, table = choice.table.partition(":")
        assert not module.startswith("phalanx.cli")
        kept = getattr(import_module(module), table)
        names = [one.value if isinstance(one, enum.Enum) else one for one in kept]
        assert choice.names() == [*choice.beside, *names]
        assert len(names) > 1


@pytest.mark.parametrize(("command", "name", "hint"), CHOICES)
def test_every_name_of_the_table_is_said_and_taken(command, name, hint):
    choice = next(part for part in get_args(hint) if isinstance(part, OneOf))
    annotation = inspect.signature(spread(COMMANDS[command])).parameters[name].annotation
    kind, option = get_args(annotation)
    if choice.checked:
        kind = next(part for part in (kind, *get_args(kind)) if inspect.isclass(part))
        assert [one.value for one in kind] == choice.names()
    else:
        assert all(word in option.help for word in choice.names())


def test_methods_of_the_comparison_are_those_there_are():
    said = COMMANDS["compare-loops"].__doc__
    assert f"Methods: {', '.join(c.name for c in CONTESTANTS)}." in said


def test_no_command_takes_more_than_a_person_can_read():
    for name, command in COMMANDS.items():
        assert len(inspect.signature(command).parameters) <= 8, name


def test_scenarios_and_commands_take_the_same_integrators(run, read):
    from phalanx.simulation.integrators.integrators import FIXED_STEP, INTEGRATORS

    for name, kind in INTEGRATORS.items():
        text = f'model = "double_pendulum"\nduration = 0.01\nintegrator = "{name}"\n'
        assert isinstance(read(text).integrator, kind)
    short = ("--q0", "0.1", "--integrator", "rosenbrock")
    assert "energy" in run("simulate", "double_pendulum", "--duration", "0.01", *short).stdout
    words = ("rollout", "double_pendulum", "--runs", "2", "--steps", "2")
    assert "final positions" in run(*words, "--integrator", "rosenbrock").stdout
    assert set(INTEGRATORS) - set(FIXED_STEP) == {"dormand-prince", "cvodes"}
    for adaptive in ("dormand-prince", "cvodes"):
        assert "is not one of" in run(*words, "--integrator", adaptive, code=2).stderr


# -- how groups are spread -------------------------------------------------------------------------

Number = Annotated[int, typer.Option(help="A number.")]


@dataclass(frozen=True)
class Inner:
    depth: Number = 3


@dataclass(frozen=True, kw_only=True)
class Outer:
    first: Number = 1
    inner: Inner
    last: Annotated[str, OneOf("phalanx.kernel.build:DTYPES"), typer.Option(help="{either}.")]


def test_a_group_becomes_its_options_in_its_place():
    seen = []

    def command(place: Path, *, outer: Outer, flag: bool = False):
        seen.append((place, outer, flag))

    flat = spread(command)
    taken = inspect.signature(flat).parameters
    assert list(taken) == ["place", "first", "depth", "last", "flag"]
    assert (taken["depth"].default, taken["last"].default) == (3, inspect.Parameter.empty)
    kind, option = get_args(taken["last"].annotation)
    assert option.help == "float64 or float32."
    flat(place=Path("a"), first=5, depth=6, last=kind("float32"), flag=True)
    assert seen == [(Path("a"), Outer(first=5, inner=Inner(6), last="float32"), True)]


def test_units_and_names_in_brackets_stay(capsys):
    from phalanx.base.facts import Facts, TextTable
    from phalanx.cli import console

    table = TextTable("speeds [m/s]", ["joint [rad/s]"], ["[s]"], [["arm[left]", "[bold]"]])
    console.print_facts(Facts([table]))
    said = capsys.readouterr().out
    for text in ("speeds [m/s]", "joint [rad/s]", "[s]", "arm[left]", "[bold]"):
        assert text in said


def test_help_loads_no_library():
    """The list of commands comes at once; a command loads what its choices are tables of."""
    code = (
        "import sys\n"
        "from typer.testing import CliRunner\n"
        "from phalanx.cli import app\n"
        "said = CliRunner().invoke(app, ['--help']).output\n"
        "assert 'excavator-fleet' in said and 'schedule' in said, said\n"
        "print([m for m in ('casadi', 'llvmlite', 'scipy', 'matplotlib') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
