"""Program registry: ranks find a program by its name in a module.

Policy: a rank runs only what the module that the name leads to has declared to be a program. The
name is checked before any rank is started.
"""

from __future__ import annotations

import site
import sys
from importlib import import_module
from pathlib import Path
from typing import TypeVar

from phalanx.base.errors import InvalidInput
from phalanx.distribute.processes.job import MakeProgram

_Make = TypeVar("_Make", bound=MakeProgram)

_PROGRAMS: dict[str, MakeProgram] = {}


def program(make: _Make) -> _Make:
    """Declare a function to be a program that ranks may run; for ``@program``.

    Args:
        make: Called as ``make(rank, processes, **arguments)`` with plain data; gives the program
            of that process. A generator function, or one that prepares what takes long and gives a
            generator. Of a module, so that ranks find it by its name.

    Raises:
        InvalidInput: It is defined inside a class or another function.
    """
    if "." in make.__qualname__:
        raise InvalidInput(
            f"'{make.__qualname__}' cannot be a program: ranks find programs by their name in a "
            "module, so define it there, outside classes and functions."
        )
    _PROGRAMS[_name(make)] = make
    return make


def name_of(make: MakeProgram) -> str:
    """Return the name by which ranks find a program.

    Raises:
        InvalidInput: It is not declared, or of the script that runs.
    """
    name = _name(make)
    if make.__module__ == "__main__":
        raise InvalidInput(
            f"'{make.__qualname__}' is of the script that runs, which ranks cannot import: put it "
            "into a module of its own."
        )
    if _PROGRAMS.get(name) is not make:
        raise InvalidInput(f"'{name}' is not declared: write @processes.program above it.")
    return name


def program_by_name(name: str) -> MakeProgram:
    """Import the module of a program, and return the program.

    Raises:
        InvalidInput: There is none, or what is there is not declared to be one.
    """
    module = name.rpartition(".")[0]
    if not module or not all(word.isidentifier() for word in name.split(".")):
        raise InvalidInput(f"'{name}' is not the name of a program, such as 'package.module.name'.")
    try:
        import_module(module)
    except ImportError as error:
        raise InvalidInput(f"the module of program '{name}' cannot be imported: {error}.") from None
    if name not in _PROGRAMS:
        raise InvalidInput(f"'{name}' is not declared to be a program (@processes.program).")
    return _PROGRAMS[name]


def folder_of(make: MakeProgram) -> Path | None:
    """Return where a program's module was found; None where every Python of this place looks."""
    file = getattr(sys.modules.get(make.__module__), "__file__", None)
    if file is None:
        return None
    path = Path(file).absolute()
    found = path.parents[make.__module__.count(".") + (path.name == "__init__.py")]
    installed = [*site.getsitepackages(), site.getusersitepackages()]
    return None if str(found) in installed else found


def _name(make: MakeProgram) -> str:
    return f"{make.__module__}.{make.__qualname__}"
