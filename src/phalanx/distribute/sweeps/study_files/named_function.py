"""Locate the function that a study of kind ``call`` names, without importing its module."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from importlib.machinery import PathFinder
from typing import Any, final

from phalanx.base.errors import InvalidInput, ReadError
from phalanx.simulation.scenario.section import Section


@final
@dataclass(frozen=True)
class NamedFunction:
    """A function by name.

    Attributes:
        module: The module that would be imported.
        name: The function in it.
        study: The study that names it.
    """

    module: str
    name: str
    study: str

    @property
    def file(self) -> str | None:
        """Where the module is; found without importing it or what it is part of."""
        places = None
        path = None
        parts = self.module.split(".")
        for k in range(len(parts)):
            try:
                spec = PathFinder.find_spec(".".join(parts[: k + 1]), places)
            except (ValueError, ImportError):
                return None
            if spec is None:
                return None
            places, path = spec.submodule_search_locations, spec.origin
        return path

    def __str__(self) -> str:
        """Module, function and file."""
        where = self.file or "a file that is not found"
        return f"function '{self.name}' of module '{self.module}' ({where}), named by {self.study}"

    def imported(self) -> Any:
        """The function.

        Raises:
            ReadError: When it is not there.
        """
        try:
            return getattr(import_module(self.module), self.name)
        except (ImportError, AttributeError, ValueError) as error:
            raise ReadError(f"{self}: {error}; expected 'module:function'.") from error

    def refused(self) -> InvalidInput:
        """Text of the error where it is not trusted."""
        return InvalidInput(
            f"{self} would be imported and run, and a file is read as data. If you trust it, give "
            "so (trust=True, --trust), or name the study yourself (--study)."
        )


def named_function(run: Section) -> NamedFunction | None:
    """What the table ``[run]`` of a study names; None where it is of another kind."""
    if run.values.get("kind") != "call":
        return None
    module, _, name = (run.text("function", needed=True) or "").partition(":")
    return NamedFunction(module, name, str(run.file))
