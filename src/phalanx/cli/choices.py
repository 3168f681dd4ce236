"""Options that take a name from a table of the library.

The option is declared ``Annotated[str, OneOf("module:TABLE"), typer.Option(...)]``, and its command
gets the chosen name. In its help, ``{names}`` is replaced by the names of the table.
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
        table: The table as ``module:NAME``: a mapping by name, an enumeration, or a sequence.
        beside: Additional names in front, such as ``none``.
        words: Notes on some names, in brackets in the help.
        checked: Whether the command line rejects other names; else the library does, whose error
            suggests the nearest name.
    """

    table: str
    beside: tuple[str, ...] = ()
    words: Mapping[str, str] = field(default_factory=dict, hash=False)
    checked: bool = True

    def names(self) -> list[str]:
        """Return all names, in the order of the table."""
        return [*self.beside, *self.table_names()]

    def table_names(self) -> list[str]:
        """Return the names of the table, which is loaded for that."""
        module, _, name = self.table.partition(":")
        found = getattr(import_module(module), name)
        return [x.value if isinstance(x, Enum) else x for x in found]

    def offered(self) -> list[str]:
        """Return all names for completion, without loading their table."""
        return [*self.beside, *words().get(self.table, ())]

    def described(self) -> list[str]:
        """Return all names with their notes in brackets."""
        names = self.names()
        assert set(self.words) <= set(names), f"words of {self.table} for names that it has not"
        return [f"{x} ({self.words[x]})" if x in self.words else x for x in names]

    def kind(self) -> type[StrEnum]:
        """Return the choices as an enumeration, for typer."""
        kind: Any = StrEnum
        made: type[StrEnum] = kind("Choice", [(name, name) for name in self.names()])
        return made

    def explained(self, option: ParameterInfo) -> ParameterInfo:
        """Return the option with the names in its help text or metavariable."""
        explained = copy(option)
        text = explained.help or ""
        *first, last = self.described()
        explained.help = text.replace("{names}", ", ".join([*first, last])).replace(
            "{either}", f"{', '.join(first)} or {last}"
        )
        if self.checked and explained.metavar is None:
            explained.metavar = choice_metavariable(self.names())
            if explained.metavar is None:
                explained.metavar = "NAME"
                if not all(name in explained.help for name in self.names()):
                    explained.help = f"{explained.help} One of: {', '.join([*first, last])}."
        return explained
