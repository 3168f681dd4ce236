"""Readers of model files (URDF, SDF, MJCF): one file per format."""

from phalanx.base.lazy_imports import names_of_stub

__getattr__, __dir__, __all__ = names_of_stub(__name__)
