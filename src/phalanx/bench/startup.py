"""What a user waits for before the first number, measured in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass

# prints seconds: import, then load + trace + compile (or fetch) + run
_FIRST_CALL = """
import time
start = time.perf_counter()
import phalanx
imported = time.perf_counter()
import warnings
warnings.simplefilter("ignore")
from phalanx.cli.models import find_model
begin = time.perf_counter()
mechanism = find_model({model!r}, {floating_base!r})
q = mechanism.neutral()
v = [0.0] * mechanism.nv
phalanx.Dynamics(mechanism).inverse_dynamics(q, v, v)
print(imported - start, time.perf_counter() - begin)
"""


@dataclass(frozen=True)
class Startup:
    """Seconds, the best of several processes.

    Attributes:
        import_phalanx: ``import phalanx``.
        cold: Load, trace, compile and run inverse dynamics once, after the import.
        cached: The same with machine code from the disk cache.
    """

    import_phalanx: float
    cold: float
    cached: float


def startup(model: str, floating_base: bool, processes: int) -> Iterator[Startup | None]:
    """Measure; yields once a process (None, then the result) so that a bar can move."""
    program = _FIRST_CALL.format(model=model, floating_base=floating_base)
    imports: list[float] = []
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
                imported, called = map(float, done.stdout.split())
                imports.append(imported)
                times.append(called)
                yield None
    yield Startup(min(imports), min(cold), min(cached))
