"""Extras that options need: said before any work."""

from __future__ import annotations

from importlib.util import find_spec

from phalanx.base.errors import MissingExtra

# a package of each, without which nothing of it works
PACKAGES = {
    "view": ("viser", "websockets"),
    "trajectory": ("toppra",),
    "exact": ("ortools",),
    "mpi": ("mpi4py",),
    "cluster": ("zarr", "xarray"),
    "parquet": ("pyarrow",),
}


def need(feature: str, extra: str, *, wanted: bool = True) -> None:
    """Fail before the work if an extra is not installed.

    Args:
        feature: What was asked for, such as ``--view``.
        extra: Its name.
        wanted: Whether it was asked for at all.

    Raises:
        MissingExtra: With the command that installs it.
    """
    if wanted and any(find_spec(package) is None for package in PACKAGES[extra]):
        raise MissingExtra(feature, extra)
