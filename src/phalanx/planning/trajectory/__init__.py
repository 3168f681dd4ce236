"""A horizon of motion and its torques: edited, checked and slowed down before motors get it."""

from phalanx.base.lazy_imports import names_of_stub

__getattr__, __dir__, __all__ = names_of_stub(__name__)
