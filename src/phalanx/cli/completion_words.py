"""Generator of the names for tab completion, from the tables of the library.

python -m phalanx.cli.completion_words
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, get_type_hints

from phalanx.cli.choices import OneOf
from phalanx.cli.completion import MACHINES, METHODS, QUANTITIES, WORDS
from phalanx.cli.groups import fields_of
from phalanx.cli.methods import methods
from phalanx.cli.quantities import kebab


def choices() -> Iterator[OneOf]:
    """Yield the choices of all options of all commands."""
    from phalanx.cli.app import COMMANDS

    for command in COMMANDS.values():
        for name, hint in get_type_hints(command, include_extras=True).items():
            for _, kind in fields_of(name, hint):
                yield from (part for part in get_args(kind) if isinstance(part, OneOf))


def all_words() -> dict[str, list[str]]:
    """Return names by table, as :func:`phalanx.cli.completion.words` reads them."""
    from phalanx.dynamics import Dynamics
    from phalanx.mechanism import library

    tables = {choice.table: choice.table_names() for choice in choices()}
    names: dict[str, Any] = {}
    for machine in (library.double_pendulum(), library.four_bar()):
        dynamics = Dynamics(machine)
        names |= dict.fromkeys(kebab(dynamics.full_name(one)) for one in dynamics.quantities)
        names |= dict.fromkeys(map(kebab, dynamics.quantities))
    ways = {
        way
        for loops in (False, True)
        for ones in methods(with_loops=loops).values()
        for way in ones
    }
    return dict(sorted(tables.items())) | {
        MACHINES: library.names(),
        METHODS: sorted(ways),
        QUANTITIES: sorted(names),
    }


def written() -> str:
    """Return the text of the file."""
    return json.dumps(all_words(), indent=1) + "\n"


if __name__ == "__main__":
    Path(__file__).with_name(WORDS).write_text(written(), encoding="utf-8")
