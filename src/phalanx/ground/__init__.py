"""Soil that a bucket digs in; beyond the sources, and only in runs that ask for it."""

from phalanx.base.lazy_imports import names_of_stub

__getattr__, __dir__, __all__ = names_of_stub(__name__)
