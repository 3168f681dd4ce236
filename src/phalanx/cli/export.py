"""``phalanx export``: a quantity as C or Fortran source or as a CasADi function."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from phalanx.cli import console
from phalanx.cli.choices import OneOf
from phalanx.cli.methods import MethodName, check_names, find_method
from phalanx.cli.models import Loading, Model
from phalanx.cli.outputs import Overwrite, Writes, check_output
from phalanx.cli.quantities import Frame, QuantityName, find_quantity, kebab


@dataclass(frozen=True)
class Written:
    """How it is computed, and in which language."""

    method: MethodName = None
    named: Annotated[
        bool,
        typer.Option(
            "--named",
            help="Code for people: a statement for every value the method has a name for.",
        ),
    ] = False
    language: Annotated[
        str | None,
        OneOf("phalanx.kernel.text.languages:LANGUAGES"),
        typer.Option(help="Instead of what the file's suffix says.", show_default=False),
    ] = None


def export(
    model: Model,
    quantity: QuantityName,
    *,
    to: Annotated[
        Path,
        Writes(later=True),
        typer.Option(
            help="The file: .c for C99, .f90 for Fortran 2008, both without dependencies; .casadi "
            "for casadi.Function.load.",
            show_default=False,
        ),
    ],
    written: Written,
    loading: Loading,
    frame: Frame = None,
    force: Overwrite = False,
) -> None:
    """Write a quantity as a function for other programs.

    phalanx export puma560 inverse-dynamics --to puma560_id.c

    phalanx export puma560 inverse-dynamics --method modified --named --to puma560_id.f90

    phalanx export arm.urdf jacobian --frame tool0 --to jacobian.casadi
    """
    from phalanx.dynamics import Dynamics
    from phalanx.equations import expression
    from phalanx.kernel.text.languages import LANGUAGES

    by_suffix = {suffix: name for name, one in LANGUAGES.items() for suffix in one.suffixes}
    check_output(to, [] if written.language else list(by_suffix), force=force)
    language = written.language or by_suffix[to.suffix.lower()]
    dynamics = Dynamics(loading.find(model))
    name = find_quantity(dynamics, quantity, frame)
    equation = find_method(dynamics, name, written.method)
    if written.named:
        check_names(equation)
    options: dict[str, Any] = {} if frame is None else {"frame": frame}
    function = expression(equation, dynamics.model, named=written.named, **options)
    results = equation.outputs  # type: ignore[attr-defined]
    intermediates = function.name_out()[len(results) :]
    LANGUAGES[language].write(function, to, dynamics.shapes(name), intermediates=intermediates)
    how = f"call {function.name()}({', '.join([*function.name_in(), *results])})"
    if language == "casadi":
        how = f'load it with casadi.Function.load("{to.name}")'
    console.err().print(f"{kebab(name)} in {to}; {how}.", soft_wrap=True, markup=False)
