"""Simulated parallel hardware that carries numbers: systolic arrays, mesh, solvers, chip."""

from phalanx.base.lazy_imports import names_of_stub

__getattr__, __dir__, __all__ = names_of_stub(__name__)
