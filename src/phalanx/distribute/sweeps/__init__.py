"""Sweeps: many cases of one run, in compiled chunks, on one machine or many."""

from phalanx.base.lazy_imports import names_of_stub

__getattr__, __dir__, __all__ = names_of_stub(__name__)
