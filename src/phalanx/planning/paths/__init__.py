"""Paths: motions between postures, through points, along lines and arcs."""

from phalanx.base.lazy_imports import names_of_stub

__getattr__, __dir__, __all__ = names_of_stub(__name__)
