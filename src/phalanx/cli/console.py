"""Output of commands: results on standard output; progress, warnings, errors on standard error.

:func:`print_facts` prints every result, as text or as JSON.
"""

from __future__ import annotations

import io
import json
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any, NoReturn

import typer
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from phalanx.base.facts import Cell, Fact, Facts, Styled, TextTable, TextTree

CLOSED_PIPE = 141  # 128 + SIGPIPE, as in shells


class OutputConsole(Console):
    """Standard output; its reader may close the pipe, as ``head`` does."""

    def on_broken_pipe(self) -> None:
        """Exit without a message."""
        leave_closed_pipe()


def leave_closed_pipe() -> NoReturn:
    """Exit without a message, also when Python flushes its buffers at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    raise typer.Exit(CLOSED_PIPE)


def replace_unencodable() -> None:
    """Make standard output and error write ``?`` for characters their encoding does not have."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def out() -> Console:
    """Return the console for results."""
    return OutputConsole(highlight=False)


def err() -> Console:
    """Return the console for progress, warnings and errors."""
    return Console(stderr=True, highlight=False)


def print_error(message: str) -> None:
    """Print an error in red; names in brackets are printed as they are, not as markup."""
    err().print(Text(f"Error: {message}", style="bold red"), soft_wrap=True)


def print_warning(message: str) -> None:
    """Print a warning in yellow."""
    err().print(Text(f"Warning: {message}", style="yellow"), soft_wrap=True)


@contextmanager
def print_warnings() -> Iterator[None]:
    """Print warnings of the library as they are raised, with :func:`print_warning`."""

    def show(message: Warning | str, *_: object, **__: object) -> None:
        print_warning(str(message))

    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = show
        yield


def print_note(text: str) -> None:
    """Print a line beside the result on standard error: times, progress, files."""
    err().print(text, soft_wrap=True, markup=False)


def print_written(what: str, path: Path | str) -> None:
    """Print which file was written."""
    print_note(f"{what} written to {path}.")


def print_json(value: Any) -> None:
    """Print a value as JSON, without colours or wrapping."""
    sys.stdout.write(json.dumps(value, indent=2, allow_nan=False) + "\n")
    sys.stdout.flush()


def without_markup(text: str) -> str:
    """Return a line of a docstring without roles, backquotes and stars."""
    return re.sub(r":\w+:(?=`)|[`*]+", "", text).replace("~", "")


def print_facts(facts: Facts, json: bool = False) -> None:
    """Print a result on standard output, as lines and tables or as JSON."""
    if json:
        print_json(facts.data)
        return
    to = out()
    for part in facts.parts:
        if isinstance(part, TextTable):
            to.print(_table(part))
        elif isinstance(part, TextTree):
            to.print(_tree(part))
        elif isinstance(part, Fact):
            to.print(f"{part.name:<18}{part.text}", soft_wrap=True, markup=False)
        else:
            to.print(_text(part), soft_wrap=True)


def _text(part: Cell | Sequence[Cell]) -> Text:
    """Return a line, or a cell of a table, without markup."""
    if isinstance(part, Styled):
        return Text(part.text, style=part.style)
    return Text(part) if isinstance(part, str) else Text().join(map(_text, part))


def _table(part: TextTable) -> Table:
    """Return a table whose cells are plain text: names in brackets are not markup."""
    made = Table(
        title=escape(part.title),
        title_justify="left",
        title_style="bold",
        caption=escape(part.caption) or None,
        caption_justify="left",
        box=box.SIMPLE_HEAD,
        padding=(0, part.gap, 0, 0),
        show_edge=False,
        show_header=any((*part.left, *part.right, *part.wrapped)),
    )
    for head in part.left:
        made.add_column(escape(head), no_wrap=True)
    for head in part.right:
        made.add_column(escape(head), justify="right", no_wrap=True)
    for head in part.wrapped:
        made.add_column(escape(head), overflow="fold")
    for row in part.rows:
        if row:
            made.add_row(*map(_text, row))
        else:
            made.add_section()
    return made


def _tree(part: TextTree) -> Tree:
    root, *lines = map(_text, part.lines)
    branches = [Tree(root)]
    for line, parent in zip(lines, part.parents, strict=True):
        branches.append(branches[parent].add(line))
    return branches[0]


def progress() -> Progress:
    """Return a progress bar on standard error that is removed when it is done."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=err(),
        transient=True,
        disable=not sys.stderr.isatty(),
    )


@contextmanager
def stages(total: int) -> Iterator[Callable[[str], None]]:
    """Show a bar over ``total`` pieces of work; call the function as each one starts."""
    with progress() as bar:
        task, numbers = bar.add_task("", total=total), count()
        yield lambda what: bar.update(task, description=what, completed=next(numbers))
