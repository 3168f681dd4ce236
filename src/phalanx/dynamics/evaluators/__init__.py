"""Bodies as a dimension of arrays: machines of any length, and parallel work inside one of them."""

from phalanx.base.lazy_imports import names_of_stub

__getattr__, __dir__, __all__ = names_of_stub(__name__)
