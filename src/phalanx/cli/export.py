"""``phalanx export``: a quantity as source code or a CasADi function; a model as URDF."""

from __future__ import annotations

import warnings
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
    processor: Annotated[
        str,
        OneOf("phalanx.kernel.llvm.target:PROCESSORS"),
        typer.Option(help="What an object file (.o) is for."),
    ] = "aarch64"


def export(
    model: Model,
    quantity: Annotated[str | None, QUANTITY] = None,
    *,
    to: Annotated[
        Path | None,
        Writes(later=True),
        typer.Option(
            help="The file: .c for C99, .f90 for Fortran 2008, both without dependencies; .o for "
            "machine code and a header; .casadi for casadi.Function.load.",
            show_default=False,
        ),
    ] = None,
    urdf: Annotated[
        Path | None,
        Writes((".urdf",)),
        typer.Option(
            help="Write the model itself, as URDF, with its meshes and loop closures beside it.",
            show_default=False,
        ),
    ] = None,
    written: ExportOptions,
    loading: Loading,
    frame: Frame = None,
    force: Overwrite = False,
) -> None:
    """Write a quantity as a function for other programs, or the model itself as URDF.

    phalanx export puma560 inverse-dynamics --to puma560_id.c

    phalanx export puma560 inverse-dynamics --method modified --named --to puma560_id.f90

    phalanx export puma560 inverse-dynamics --to puma560_id.o --processor aarch64

    phalanx export arm.urdf jacobian --frame tool0 --to jacobian.casadi

    phalanx export stewart --urdf stewart.urdf
    """
    if urdf is not None:
        if (
            quantity is not None
            or to is not None
            or frame is not None
            or written != ExportOptions()
        ):
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
    if language == "object":
        check_output(to.with_suffix(".h"), force=force)
        export_object(function, to, processor=written.processor, shapes=dynamics.shapes(name))  # type: ignore[arg-type]
    else:
        LANGUAGES[language].write(function, to, dynamics.shapes(name), intermediates=intermediates)
    arguments = [*function.name_in(), *results]
    how = f"call {function.name()}({', '.join(arguments)})"
    if language == "object":
        how = (
            f"for {written.processor}; call {function.name()}({', '.join(['samples', *arguments])})"
            f" as {to.with_suffix('.h')} declares it"
        )
    if language == "casadi":
        how = f'load it with casadi.Function.load("{to.name}")'
    console.err().print(f"{kebab(name)} in {to}; {how}.", soft_wrap=True, markup=False)


def _write_urdf(mechanism: Mechanism, path: Path, force: bool) -> None:
    from phalanx.mechanism.read.closures import closures_path
    from phalanx.mechanism.write.urdf import export_urdf

    if mechanism.loops:
        check_output(closures_path(path), force=force)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        export_urdf(mechanism, path)
    for warning in caught:
        console.say_warning(str(warning.message))
    beside = f", its loops in {closures_path(path)}" if mechanism.loops else ""
    console.err().print(f"{mechanism.name} in {path}{beside}.", soft_wrap=True, markup=False)
