"""Choices on the command line: the names of a table of the library, never a list of their own.

An option says of which table it is, ``Annotated[str, OneOf("module:TABLE"), typer.Option(...)]``,
and its command gets the chosen name. In its help, ``{names}`` stands for the names.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from importlib import import_module
from typing import Any, final

from typer.models import ParameterInfo

from phalanx.cli.completion import words
from phalanx.cli.metavariables import choice_metavariable


@final
@dataclass(frozen=True)
class OneOf:
    """The choices of an option.

    Attributes:
        table: Where the library has them, ``module:NAME``: a mapping by name, an enumeration, or a
            sequence of names.
        beside: Names that stand before them, such as ``none``.
        words: What to say of some of them in the help, in brackets.
        checked: Whether the command line refuses other names; else the library does, which can say
            which one is nearest.
    """

    table: str
    beside: tuple[str, ...] = ()
    words: Mapping[str, str] = field(default_factory=dict, hash=False)
    checked: bool = True

    def names(self) -> list[str]:
        """All names, in the table's order."""
        return [*self.beside, *self.table_names()]

    def table_names(self) -> list[str]:
        """Those of the table, which is loaded for that."""
        module, _, name = self.table.partition(":")
        found = getattr(import_module(module), name)
        return [x.value if isinstance(x, Enum) else x for x in found]

    def offered(self) -> list[str]:
        """All names as Tab offers them, without loading their table."""
        return [*self.beside, *words().get(self.table, ())]

    def described(self) -> list[str]:
        """The same, with words in brackets."""
        names = self.names()
        assert set(self.words) <= set(names), f"words of {self.table} for names that it has not"
        return [f"{x} ({self.words[x]})" if x in self.words else x for x in names]

    def kind(self) -> type[StrEnum]:
        """The choices as typer takes them."""
        kind: Any = StrEnum
        made: type[StrEnum] = kind("Choice", [(name, name) for name in self.names()])
        return made

    def explained(self, option: ParameterInfo) -> ParameterInfo:
        """The option with names in its help: in its text, or as what stands after it."""
        told = copy(option)
        text = told.help or ""
        *first, last = self.described()
        told.help = text.replace("{names}", ", ".join([*first, last])).replace(
            "{either}", f"{', '.join(first)} or {last}"
        )
        if self.checked and told.metavar is None:
            told.metavar = choice_metavariable(self.names())
            if told.metavar is None:
                told.metavar = "NAME"
                if not all(name in told.help for name in self.names()):
                    told.help = f"{told.help} One of: {', '.join([*first, last])}."
        return told
