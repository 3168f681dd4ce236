"""``phalanx export``: a quantity as C, Fortran, object code or CasADi; a model as URDF."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from phalanx.base.errors import InvalidInput
from phalanx.cli import console
from phalanx.cli.choices import OneOf
from phalanx.cli.methods import MethodName, check_names, find_method
from phalanx.cli.models import Loading, Model
from phalanx.cli.outputs import Overwrite, Writes, check_output
from phalanx.cli.quantities import QUANTITY, Frame, find_quantity, kebab

if TYPE_CHECKING:
    from phalanx.mechanism import Mechanism


OBJECT = ".o"


@dataclass(frozen=True)
class ExportOptions:
    """Method and language of the exported function."""

    method: MethodName = None
    named: Annotated[
        bool,
        typer.Option(
            "--named",
            help="Readable code: one statement for each named value of the method.",
        ),
    ] = False
    language: Annotated[
        str | None,
        OneOf("phalanx.kernel.text.languages:LANGUAGES"),
        typer.Option(help="Language of the file. Default: by its suffix.", show_default=False),
    ] = None
    processor: Annotated[
        str,
        OneOf("phalanx.kernel.llvm.target:PROCESSORS"),
        typer.Option(help="Target processor of an object file (.o)."),
    ] = "aarch64"


def export(
    model: Model,
    quantity: Annotated[str | None, QUANTITY] = None,
    *,
    to: Annotated[
        Path | None,
        Writes(later=True),
        typer.Option(
            help="Output file: .c for C99, .f90 for Fortran 2008, .o for machine code with a "
            "C header, .casadi for casadi.Function.load.",
            show_default=False,
        ),
    ] = None,
    urdf: Annotated[
        Path | None,
        Writes((".urdf",)),
        typer.Option(
            help="Write the model itself as URDF, with its meshes and loop closures.",
            show_default=False,
        ),
    ] = None,
    code: ExportOptions,
    frame: Frame = None,
    force: Overwrite = False,
    loading: Loading,
) -> None:
    """Export a quantity as source or object code, or a model as URDF.

    The C and Fortran files have no dependencies.

    Examples:
        phalanx export puma560 inverse-dynamics --to puma560_id.c
        phalanx export arm.urdf jacobian --frame tool0 --to jacobian.casadi
        phalanx export stewart --urdf stewart.urdf

        # readable Fortran; machine code for another processor
        phalanx export puma560 inverse-dynamics --method modified --named --to id.f90
        phalanx export puma560 inverse-dynamics --to id.o --processor aarch64
    """
    if urdf is not None:
        if quantity is not None or to is not None or frame is not None or code != ExportOptions():
            raise InvalidInput(
                "--urdf writes the model itself, and a quantity is written by a call of its own: "
                "leave out QUANTITY, --to and what says how it is computed."
            )
        _write_urdf(loading.find(model), urdf, force)
        return
    if quantity is None or to is None:
        raise InvalidInput("nothing to write: give QUANTITY and --to FILE, or --urdf FILE.")
    from phalanx.dynamics import Dynamics
    from phalanx.equations import expression
    from phalanx.kernel.object_file import export_object
    from phalanx.kernel.text.languages import LANGUAGES

    by_suffix = {suffix: name for name, one in LANGUAGES.items() for suffix in one.suffixes}
    by_suffix[OBJECT] = "object"
    check_output(to, [] if code.language else list(by_suffix), force=force)
    language = code.language or by_suffix[to.suffix.lower()]
    dynamics = Dynamics(loading.find(model))
    name = find_quantity(dynamics, quantity, frame)
    equation = find_method(dynamics, name, code.method)
    if code.named:
        check_names(equation)
    options: dict[str, Any] = {} if frame is None else {"frame": frame}
    function = expression(equation, dynamics.model, named=code.named, **options)
    results = equation.outputs  # type: ignore[attr-defined]
    intermediates = function.name_out()[len(results) :]
    if language == "object":
        check_output(to.with_suffix(".h"), force=force)
        export_object(function, to, processor=code.processor, shapes=dynamics.shapes(name))  # type: ignore[arg-type]
    else:
        LANGUAGES[language].write(function, to, dynamics.shapes(name), intermediates=intermediates)
    arguments = [*function.name_in(), *results]
    how = f"call {function.name()}({', '.join(arguments)})"
    if language == "object":
        how = (
            f"for {code.processor}; call {function.name()}({', '.join(['samples', *arguments])})"
            f" as {to.with_suffix('.h')} declares it"
        )
    if language == "casadi":
        how = f'load it with casadi.Function.load("{to.name}")'
    console.print_note(f"{kebab(name)} written to {to}; {how}.")


def _write_urdf(mechanism: Mechanism, path: Path, force: bool) -> None:
    from phalanx.mechanism.read.closures import closures_path
    from phalanx.mechanism.write.urdf import export_urdf

    if mechanism.loops:
        check_output(closures_path(path), force=force)
    with console.print_warnings():
        export_urdf(mechanism, path)
    beside = f", its loops to {closures_path(path)}" if mechanism.loops else ""
    console.print_written(mechanism.name, f"{path}{beside}")
