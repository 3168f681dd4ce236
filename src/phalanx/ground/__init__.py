"""Soil and terrain: digging with a bucket; beyond the sources, only in runs that ask for it."""

from phalanx.base.lazy_imports import names_of_stub

__getattr__, __dir__, __all__ = names_of_stub(__name__)
