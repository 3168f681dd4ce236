"""Startup times before the first number, measured in fresh processes."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass

# prints seconds: libraries, import, first names, then load + trace + compile (or fetch) + run
_FIRST_CALL = """
import time
times = [time.perf_counter()]
def lap():
    times.append(time.perf_counter())
import numpy, casadi, llvmlite.binding
lap()
import phalanx
lap()
phalanx.Dynamics, phalanx.simulate, phalanx.load
lap()
import warnings
warnings.simplefilter("ignore")
from phalanx.cli.models import find_model
begin = time.perf_counter()
mechanism = find_model({model!r}, {floating_base!r})
q = mechanism.neutral()
v = [0.0] * mechanism.nv
phalanx.Dynamics(mechanism).inverse_dynamics(q, v, v)
print(*(b - a for a, b in zip(times, times[1:])), time.perf_counter() - begin)
"""


@dataclass(frozen=True)
class Startup:
    """Seconds, the best of several processes.

    Attributes:
        libraries: ``import numpy, casadi, llvmlite.binding``.
        import_phalanx: ``import phalanx`` after these.
        first_names: ``phalanx.Dynamics``, ``phalanx.simulate``, ``phalanx.load``, each asked for
            the first time.
        cold: Load, trace, compile and run inverse dynamics once, after all that.
        cached: The same with machine code from the disk cache.
    """

    libraries: float
    import_phalanx: float
    first_names: float
    cold: float
    cached: float

    @property
    def import_ratio(self) -> float:
        """``import phalanx`` with the libraries over the libraries alone."""
        return 1 + self.import_phalanx / self.libraries

    @property
    def names_ratio(self) -> float:
        """The same until the first names are there."""
        return 1 + (self.import_phalanx + self.first_names) / self.libraries


def startup(model: str, floating_base: bool, processes: int) -> Iterator[Startup | None]:
    """Measure; yields once a process (None, then the result) so that a bar can move."""
    program = _FIRST_CALL.format(model=model, floating_base=floating_base)
    imports: list[tuple[float, ...]] = []
    cold: list[float] = []
    cached: list[float] = []
    for _ in range(processes):
        with tempfile.TemporaryDirectory(prefix="phalanx-bench-") as folder:
            for times in (cold, cached):
                environment = os.environ | {"PHALANX_CACHE_DIR": folder}
                done = subprocess.run(
                    [sys.executable, "-c", program],
                    env=environment,
                    capture_output=True,
                    text=True,
                    check=True,
                )
                *imported, called = map(float, done.stdout.split())
                imports.append(tuple(imported))
                times.append(called)
                yield None
    libraries, import_phalanx, first_names = map(min, zip(*imports, strict=True))
    yield Startup(libraries, import_phalanx, first_names, min(cold), min(cached))
