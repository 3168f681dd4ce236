"""Engines of sweeps: chunks in this process, in others, on a cluster, on any executor."""

from phalanx.distribute.sweeps.engines.choice import engine_of
from phalanx.distribute.sweeps.engines.dask import Dask
from phalanx.distribute.sweeps.engines.engine import EngineLost, InProcess, SweepEngine
from phalanx.distribute.sweeps.engines.executor import OnExecutor
from phalanx.distribute.sweeps.engines.processes import Processes
from phalanx.distribute.sweeps.engines.worker_payload import WorkFailed

__all__ = [
    "Dask",
    "EngineLost",
    "InProcess",
    "OnExecutor",
    "Processes",
    "SweepEngine",
    "WorkFailed",
    "engine_of",
]
__dir__ = __all__.copy
