"""Trajectories: tables of a motion and its torques, limits, time scaling, time-optimal timing."""

from phalanx.base.lazy_imports import names_of_stub

__getattr__, __dir__, __all__ = names_of_stub(__name__)
