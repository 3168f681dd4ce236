# The public names and where each is defined, as in phalanx/__init__.pyi.

from phalanx.distribute.sweeps.call_run import Call, Case
from phalanx.distribute.sweeps.cases import Cases
from phalanx.distribute.sweeps.chunk import Chunk
from phalanx.distribute.sweeps.distributions import Choice, LogUniform, Normal, Uniform
from phalanx.distribute.sweeps.drawn_cases import Quasi, Random
from phalanx.distribute.sweeps.engines.choice import engine_of
from phalanx.distribute.sweeps.engines.dask import Dask
from phalanx.distribute.sweeps.engines.engine import EngineLost, InProcess, SweepEngine
from phalanx.distribute.sweeps.engines.executor import OnExecutor
from phalanx.distribute.sweeps.engines.processes import Processes
from phalanx.distribute.sweeps.engines.worker_payload import WorkFailed
from phalanx.distribute.sweeps.evaluation_run import Evaluation
from phalanx.distribute.sweeps.listed_cases import Grid, Table
from phalanx.distribute.sweeps.ready.sensitivity import (
    Sensitivity,
    saltelli_cases,
    sensitivity,
)
from phalanx.distribute.sweeps.rollout_run import Rollout
from phalanx.distribute.sweeps.scale import Costs, Scale
from phalanx.distribute.sweeps.simulation_run import Simulation
from phalanx.distribute.sweeps.store import Store
from phalanx.distribute.sweeps.study import Study
from phalanx.distribute.sweeps.study_files.reader import StudyFile, read_study
from phalanx.distribute.sweeps.sweeping import Sweep, SweepProgress, TooManyFailures, sweep

__all__ = [
    "Call",
    "Case",
    "Cases",
    "Choice",
    "Chunk",
    "Costs",
    "Dask",
    "EngineLost",
    "Evaluation",
    "Grid",
    "InProcess",
    "LogUniform",
    "Normal",
    "OnExecutor",
    "Processes",
    "Quasi",
    "Random",
    "Rollout",
    "Scale",
    "Sensitivity",
    "Simulation",
    "Store",
    "Study",
    "StudyFile",
    "Sweep",
    "SweepEngine",
    "SweepProgress",
    "Table",
    "TooManyFailures",
    "Uniform",
    "WorkFailed",
    "engine_of",
    "read_study",
    "saltelli_cases",
    "sensitivity",
    "sweep",
]
