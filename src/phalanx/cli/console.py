"""Where commands write: results on standard output, everything else on standard error."""

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
from typing import Any, NoReturn

import typer
from rich import box
from rich.console import Console, RenderableType
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.style import StyleType
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from phalanx.base.facts import Cell, Fact, Facts, Styled, TextTable, TextTree
from phalanx.base.facts import duration as duration

CLOSED_PIPE = 141  # as of a program that the signal for it ends


class OutputConsole(Console):
    """Standard output; whoever reads it may have seen enough, as ``head`` has."""

    def on_broken_pipe(self) -> None:
        """End without a word."""
        leave_closed_pipe()


def leave_closed_pipe() -> NoReturn:
    """End without a word, now and when Python empties its buffers."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    raise typer.Exit(CLOSED_PIPE)


def write_what_fits() -> None:
    """Let standard output and error write ``?`` for what their encoding does not have."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def out() -> Console:
    """For results."""
    return OutputConsole(highlight=False)


def err() -> Console:
    """For progress, warnings and errors."""
    return Console(stderr=True, highlight=False)


def say_error(message: str) -> None:
    """An error in red; its text is not markup, so a name in brackets stays as it is."""
    err().print(Text(f"Error: {message}", style="bold red"), soft_wrap=True)


def say_warning(message: str) -> None:
    """A warning in yellow."""
    err().print(Text(f"Warning: {message}", style="yellow"), soft_wrap=True)


@contextmanager
def saying_warnings() -> Iterator[None]:
    """Say warnings of the library as they come, as :func:`say_warning` does."""

    def say(message: Warning | str, *_: object, **__: object) -> None:
        say_warning(str(message))

    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = say
        yield


def say_json(value: Any) -> None:
    """A result for programs: no colours, no wrapping."""
    sys.stdout.write(json.dumps(value, indent=2, allow_nan=False) + "\n")
    sys.stdout.flush()


class PlainTable(Table):
    """A table whose texts are no markup: a unit or a name in brackets stays as it is."""

    def add_row(
        self,
        *renderables: RenderableType | None,
        style: StyleType | None = None,
        end_section: bool = False,
    ) -> None:
        """A row; cells that are to look otherwise come as ``Text``."""
        cells = (Text(cell) if isinstance(cell, str) else cell for cell in renderables)
        super().add_row(*cells, style=style, end_section=end_section)


def table(title: str, left: tuple[str, ...], right: tuple[str, ...]) -> Table:
    """A table with columns aligned left, then right, narrow enough for 80 columns."""
    made = PlainTable(
        title=escape(title),
        title_justify="left",
        title_style="bold",
        caption_justify="left",
        box=box.SIMPLE_HEAD,
        padding=0,
        show_edge=False,
    )
    for head in left:
        made.add_column(escape(head), no_wrap=True)
    for head in right:
        made.add_column(escape(head), justify="right", no_wrap=True)
    return made


def plain(text: str) -> str:
    """A line of a docstring without its markup: roles, backquotes and stars."""
    return re.sub(r":\w+:(?=`)|[`*]+", "", text).replace("~", "")


def say(facts: Facts, json: bool = False) -> None:
    """Facts on standard output, as lines and tables, or as JSON."""
    if json:
        say_json(facts.data)
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
    """A line, or a cell of a table; nothing in it is markup."""
    if isinstance(part, Styled):
        return Text(part.text, style=part.style)
    return Text(part) if isinstance(part, str) else Text().join(map(_text, part))


def _table(part: TextTable) -> Table:
    made = table(part.title, tuple(part.left), tuple(part.right))
    made.padding = (0, part.gap, 0, 0)
    for head in part.wrapped:
        made.add_column(escape(head), overflow="fold")
    made.show_header = any((*part.left, *part.right, *part.wrapped))
    for row in part.rows:
        if row:
            made.add_row(*map(_text, row))
        else:
            made.add_section()
    made.caption = escape(part.caption) or None
    return made


def _tree(part: TextTree) -> Tree:
    root, *lines = map(_text, part.lines)
    branches = [Tree(root)]
    for line, parent in zip(lines, part.parents, strict=True):
        branches.append(branches[parent].add(line))
    return branches[0]


def progress(*, shown: bool = True) -> Progress:
    """A bar that leaves no trace when it is done."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=err(),
        transient=True,
        disable=not shown or not sys.stderr.isatty(),
    )


@contextmanager
def stages(total: int) -> Iterator[Callable[[str], None]]:
    """A bar over so many pieces of work; it is told what is begun."""
    with progress() as bar:
        task, numbers = bar.add_task("", total=total), count()
        yield lambda what: bar.update(task, description=what, completed=next(numbers))
