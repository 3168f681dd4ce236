"""Checks for optional dependencies of commands, before any work."""

from __future__ import annotations

from importlib.util import find_spec

from phalanx.base.errors import MissingExtra

# packages of each extra that must be installed
PACKAGES = {
    "view": ("viser", "websockets"),
    "trajectory": ("toppra",),
    "exact": ("ortools",),
    "mpi": ("mpi4py",),
    "cluster": ("zarr", "xarray"),
    "parquet": ("pyarrow",),
}


def need(feature: str, extra: str, *, wanted: bool = True) -> None:
    """Raise before any work if an extra is not installed.

    Args:
        feature: Option or command that needs it, such as ``--view``.
        extra: Name of the extra.
        wanted: Whether the feature was requested.

    Raises:
        MissingExtra: With the command that installs it.
    """
    if wanted and any(find_spec(package) is None for package in PACKAGES[extra]):
        raise MissingExtra(feature, extra)
