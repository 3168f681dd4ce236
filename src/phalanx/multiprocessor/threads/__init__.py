"""Plans on the threads of this machine."""

from phalanx.multiprocessor.threads.this_machine import this_machine

__all__ = ["this_machine"]
__dir__ = __all__.copy
