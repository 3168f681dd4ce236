"""``phalanx export``: a quantity as C or Fortran source or as a CasADi function."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from phalanx.cli import console
from phalanx.cli.methods import MethodName, check_names, find_method
from phalanx.cli.models import FloatingBase, Model, PackagePath, find_model
from phalanx.cli.options import check_writable
from phalanx.cli.quantities import Frame, QuantityName, find_quantity, kebab


class Language(StrEnum):
    """What can be written."""

    C = "c"
    FORTRAN = "fortran"
    CASADI = "casadi"


SUFFIXES = {
    ".c": Language.C,
    ".f90": Language.FORTRAN,
    ".f08": Language.FORTRAN,
    ".casadi": Language.CASADI,
}


def export(
    model: Model,
    quantity: QuantityName,
    to: Annotated[
        Path,
        typer.Option(
            help="The file: .c for C99, .f90 for Fortran 2008, both without dependencies; .casadi "
            "for casadi.Function.load.",
            show_default=False,
        ),
    ],
    method: MethodName = None,
    named: Annotated[
        bool,
        typer.Option(
            "--named",
            help="Code for people: a statement for every value the method has a name for.",
        ),
    ] = False,
    language: Annotated[
        Language | None,
        typer.Option(help="Instead of what the file's suffix says.", show_default=False),
    ] = None,
    floating_base: FloatingBase = False,
    package_path: PackagePath = None,
    frame: Frame = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file.")] = False,
) -> None:
    """Write a quantity as a function for other programs.

    phalanx export puma560 inverse-dynamics --to puma560_id.c

    phalanx export puma560 inverse-dynamics --method modified --named --to puma560_id.f90

    phalanx export arm.urdf jacobian --frame tool0 --to jacobian.casadi
    """
    from phalanx.dynamics import Dynamics
    from phalanx.equations import expression
    from phalanx.kernel import export_c, export_fortran

    check_writable(to, *(SUFFIXES if language is None else ()), force=force)
    wanted = language or SUFFIXES[to.suffix.lower()]
    dynamics = Dynamics(find_model(model, floating_base, package_path))
    name = find_quantity(dynamics, quantity, frame)
    equation = find_method(dynamics, name, method)
    if named:
        check_names(equation)
    options: dict[str, Any] = {} if frame is None else {"frame": frame}
    function = expression(equation, dynamics.model, named=named, **options)
    results = equation.outputs  # type: ignore[attr-defined]
    how = f"call {function.name()}({', '.join([*function.name_in(), *results])})"
    match wanted:
        case Language.CASADI:
            function.save(str(to))
            how = f'load it with casadi.Function.load("{to.name}")'
        case Language.C | Language.FORTRAN:
            write = export_c if wanted == Language.C else export_fortran
            intermediates = function.name_out()[len(results) :]
            write(function, to, dynamics.shapes(name), intermediates=intermediates)
    console.err().print(f"{kebab(name)} in {to}; {how}.", soft_wrap=True, markup=False)
