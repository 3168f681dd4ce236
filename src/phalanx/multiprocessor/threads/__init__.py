"""Execution of plans on the threads of this computer."""

from phalanx.multiprocessor.threads.this_machine import this_machine

__all__ = ["this_machine"]
__dir__ = __all__.copy
