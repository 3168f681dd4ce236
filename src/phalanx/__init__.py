"""Phalanx: parallel dynamics of robots and machines in Python."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from phalanx import actuators
from phalanx.assembly import Assembly, OpenLoop, assemble
from phalanx.consistency import InconsistentMotion
from phalanx.dynamics import Dynamics
from phalanx.equations import (
    expression,
    forward_dynamics,
    inverse_dynamics,
    loops,
    mass_matrix,
)
from phalanx.errors import (
    CompileError,
    InvalidInput,
    InvalidModel,
    MissingExtra,
    PhalanxError,
    ReadError,
    UnknownName,
    WriteError,
)
from phalanx.kernel import (
    Kernel,
    Operations,
    compile,
    count_operations,
    export_c,
    export_fortran,
)
from phalanx.loop_forces import LoopRow, LoopWrench
from phalanx.mechanism import (
    Body,
    FixedDistance,
    Frame,
    Joint,
    Loop,
    Mechanism,
    PlanarPin,
    Pose,
    attach,
    from_graph,
    library,
    lock,
    merge_fixed,
    release_mimics,
    subtree,
    with_floating_base,
)
from phalanx.mechanism.read import load
from phalanx.simulate.divergence import Cause, Divergence, RolloutDiverged
from phalanx.simulate.drive_friction import DriveFriction, Stiction
from phalanx.simulate.events import Event, drop, pick_up
from phalanx.simulate.follow import follow
from phalanx.simulate.forces import Damping, Friction, Stops
from phalanx.simulate.integrators import (
    Cvodes,
    DormandPrince,
    Rosenbrock2,
    RungeKutta4,
    RungeKuttaGill,
    SemiImplicitEuler,
)
from phalanx.simulate.laws import Law, computed_torque, proportional_derivative
from phalanx.simulate.profile import Profile
from phalanx.simulate.realtime.latest import Latest
from phalanx.simulate.realtime.live import LiveRun, simulate_realtime
from phalanx.simulate.realtime.loop import RealTimeLoop
from phalanx.simulate.realtime.pacing import CatchUp, Slip
from phalanx.simulate.record.recording import Recording
from phalanx.simulate.rollout import Rollout, Rollouts, rollout
from phalanx.simulate.scenario.reader import read_scenario
from phalanx.simulate.simulate import SimulationError, SingularPosture, simulate
from phalanx.simulate.trajectories import Trajectory, cycloid, feedforward, wave
from phalanx.version import __version__

if TYPE_CHECKING:
    from phalanx import distribute, multiprocessor, study
    from phalanx.simulate import excavator, ground

# packages that are loaded when somebody asks for them, so that importing phalanx stays quick
_ON_DEMAND = {
    "distribute": "phalanx.distribute",
    "excavator": "phalanx.simulate.excavator",
    "ground": "phalanx.simulate.ground",
    "multiprocessor": "phalanx.multiprocessor",
    "study": "phalanx.study",
}


def __getattr__(name: str) -> Any:
    """Load a package on demand."""
    if name in _ON_DEMAND:
        return import_module(_ON_DEMAND[name])
    raise AttributeError(f"module 'phalanx' has no attribute '{name}'")


__all__ = [
    "Assembly",
    "Body",
    "CatchUp",
    "Cause",
    "CompileError",
    "Cvodes",
    "Damping",
    "Divergence",
    "DormandPrince",
    "DriveFriction",
    "Dynamics",
    "Event",
    "FixedDistance",
    "Frame",
    "Friction",
    "InconsistentMotion",
    "InvalidInput",
    "InvalidModel",
    "Joint",
    "Kernel",
    "Latest",
    "Law",
    "LiveRun",
    "Loop",
    "LoopRow",
    "LoopWrench",
    "Mechanism",
    "MissingExtra",
    "OpenLoop",
    "Operations",
    "PhalanxError",
    "PlanarPin",
    "Pose",
    "Profile",
    "ReadError",
    "RealTimeLoop",
    "Recording",
    "Rollout",
    "RolloutDiverged",
    "Rollouts",
    "Rosenbrock2",
    "RungeKutta4",
    "RungeKuttaGill",
    "SemiImplicitEuler",
    "SimulationError",
    "SingularPosture",
    "Slip",
    "Stiction",
    "Stops",
    "Trajectory",
    "UnknownName",
    "WriteError",
    "__version__",
    "actuators",
    "assemble",
    "attach",
    "compile",
    "computed_torque",
    "count_operations",
    "cycloid",
    "distribute",
    "drop",
    "excavator",
    "export_c",
    "export_fortran",
    "expression",
    "feedforward",
    "follow",
    "forward_dynamics",
    "from_graph",
    "ground",
    "inverse_dynamics",
    "library",
    "load",
    "lock",
    "loops",
    "mass_matrix",
    "merge_fixed",
    "multiprocessor",
    "pick_up",
    "proportional_derivative",
    "read_scenario",
    "release_mimics",
    "rollout",
    "simulate",
    "simulate_realtime",
    "study",
    "subtree",
    "wave",
    "with_floating_base",
]
