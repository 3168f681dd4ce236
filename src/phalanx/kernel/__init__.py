"""Compiler from expression graphs to machine code: SIMD and threads over batches of samples."""

from phalanx.base.lazy_imports import names_of_stub

__getattr__, __dir__, __all__ = names_of_stub(__name__)
