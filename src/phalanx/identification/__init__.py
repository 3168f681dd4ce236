"""Parameters of a machine from its motions and torques: what can be seen, excited, estimated."""

from phalanx.base.lazy_imports import names_of_stub

__getattr__, __dir__, __all__ = names_of_stub(__name__)
