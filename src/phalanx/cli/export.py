"""``phalanx export``: a quantity as C source or as a CasADi function."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from phalanx.cli import console
from phalanx.cli.models import FloatingBase, Model, PackagePath, find_model
from phalanx.cli.options import check_writable
from phalanx.cli.quantities import Frame, QuantityName, find_quantity, kebab

SUFFIXES = (".c", ".casadi")


def export(
    model: Model,
    quantity: QuantityName,
    to: Annotated[
        Path,
        typer.Option(
            help="The file: .c for C99 without dependencies, .casadi for casadi.Function.load.",
            show_default=False,
        ),
    ],
    floating_base: FloatingBase = False,
    package_path: PackagePath = None,
    frame: Frame = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file.")] = False,
) -> None:
    """Write a quantity as a function for other programs.

    phalanx export puma560 inverse-dynamics --to puma560_id.c

    phalanx export arm.urdf jacobian --frame tool0 --to jacobian.casadi
    """
    from phalanx.dynamics import Dynamics
    from phalanx.kernel import export_c

    check_writable(to, *SUFFIXES, force=force)
    dynamics = Dynamics(find_model(model, floating_base, package_path))
    name = find_quantity(dynamics, quantity, frame)
    function = dynamics.expression(name, frame)
    if to.suffix.lower() == ".c":
        export_c(function, to, dynamics.shapes(name))
        how = f"call {function.name()}({', '.join([*function.name_in(), *function.name_out()])})"
    else:
        function.save(str(to))
        how = f'load it with casadi.Function.load("{to.name}")'
    console.err().print(f"{kebab(name)} in {to}; {how}.", soft_wrap=True, markup=False)
