"""Excavators with an operator: control of the spools, machines ready to drive, fleets of them."""

from phalanx.base.lazy_imports import names_of_stub

__getattr__, __dir__, __all__ = names_of_stub(__name__)
