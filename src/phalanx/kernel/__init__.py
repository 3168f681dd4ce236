"""Graphs to machine code: SIMD lanes times threads over batches of samples. Knows no mechanism."""

from phalanx.base.lazy_imports import names_of_stub

__getattr__, __dir__, __all__ = names_of_stub(__name__)
