"""Library of machines: those of the sources, chains of any length, machines with closed loops."""

from __future__ import annotations

from collections.abc import Callable

from phalanx.base.arguments import checked
from phalanx.base.errors import UnknownName
from phalanx.mechanism.library.bucket_linkage import bucket_linkage
from phalanx.mechanism.library.cat215b import cat215b
from phalanx.mechanism.library.cat215b_cylinders import cat215b_cylinders
from phalanx.mechanism.library.chain import chain
from phalanx.mechanism.library.delta import delta
from phalanx.mechanism.library.double_pendulum import double_pendulum
from phalanx.mechanism.library.five_bar import five_bar
from phalanx.mechanism.library.four_bar import four_bar
from phalanx.mechanism.library.planar_3rrr import planar_3rrr
from phalanx.mechanism.library.puma560 import puma560, puma560_arm, puma560_listing
from phalanx.mechanism.library.puma600 import puma600
from phalanx.mechanism.library.slider_crank import slider_crank
from phalanx.mechanism.library.stanford import stanford, stanford_listing
from phalanx.mechanism.library.stewart import stewart
from phalanx.mechanism.library.torso import torso, torso_as_printed
from phalanx.mechanism.library.written import written_arguments
from phalanx.mechanism.mechanism import Mechanism

__all__ = [
    "bucket_linkage",
    "by_name",
    "cat215b",
    "cat215b_cylinders",
    "chain",
    "delta",
    "double_pendulum",
    "five_bar",
    "four_bar",
    "names",
    "planar_3rrr",
    "puma560",
    "puma560_arm",
    "puma560_listing",
    "puma600",
    "slider_crank",
    "stanford",
    "stanford_listing",
    "stewart",
    "torso",
    "torso_as_printed",
]
__dir__ = __all__.copy

MACHINES: dict[str, Callable[[], Mechanism]] = {
    machine.__name__: machine
    for machine in (
        bucket_linkage,
        cat215b,
        cat215b_cylinders,
        chain,
        delta,
        double_pendulum,
        five_bar,
        four_bar,
        planar_3rrr,
        puma560,
        puma560_arm,
        puma560_listing,
        puma600,
        slider_crank,
        stanford,
        stanford_listing,
        stewart,
        torso,
        torso_as_printed,
    )
}


def names() -> list[str]:
    """Names of all machines that :func:`by_name` builds."""
    return sorted(MACHINES)


def knows(name: str) -> bool:
    """Whether :func:`by_name` has a machine for a name, whatever numbers are written behind it."""
    return name.partition(":")[0] in MACHINES


@checked
def by_name(name: str) -> Mechanism:
    """A machine with its default numbers, or those behind its name: ``chain:10000``.

    Numbers are those that the machine's function takes, in its order or by name:
    ``chain:500,spherical``, ``chain:500,alternate=true,length=0.1``.

    Raises:
        UnknownName: When the library has no machine of that name, or the machine no such number.
        InvalidInput: When a number is none.
    """
    machine, has_numbers, numbers = name.partition(":")
    if machine not in MACHINES:
        raise UnknownName("the library", "machine", name, names())
    build: Callable[..., Mechanism] = MACHINES[machine]
    return build(**written_arguments(build, numbers)) if has_numbers else build()
