"""What reproduces the tables of a published source, for who wants to compare with it."""

from phalanx.base.lazy_imports import names_of_stub

__getattr__, __dir__, __all__ = names_of_stub(__name__)
