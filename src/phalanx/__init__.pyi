# The public names and where each is defined: for type checkers, for editors, and for
# phalanx/base/lazy_imports.py, which loads them when they are asked for.

from phalanx import (
    actuators,
    distribute,
    ground,
    hardware,
    identification,
    multiprocessor,
    planning,
    studies,
)
from phalanx.actuators.model_actuators import ModelActuators
from phalanx.base import scans
from phalanx.base.errors import (
    CompileError,
    InvalidInput,
    InvalidModel,
    MissingExtra,
    PhalanxError,
    ReadError,
    UnknownName,
    UnsupportedLoad,
    WriteError,
)
from phalanx.base.version import __version__
from phalanx.distribute import sweeps
from phalanx.distribute.sweeps.sweeping import sweep
from phalanx.dynamics import Dynamics, evaluators
from phalanx.equations import (
    expression,
    forward_dynamics,
    inverse_dynamics,
    loops,
    mass_matrix,
)
from phalanx.equations.loops.assembly.assemble import Assembly, assemble
from phalanx.equations.loops.assembly.open_loop import OpenLoop
from phalanx.equations.loops.numbers.consistency import InconsistentMotion
from phalanx.equations.loops.numbers.loop_forces import LoopRow, LoopWrench
from phalanx.kernel import (
    Kernel,
    Operations,
    compile,
    count_operations,
    export_c,
    export_fortran,
    export_object,
)
from phalanx.machines import excavator
from phalanx.mechanism import (
    Body,
    Continuous,
    Cylindrical,
    Fixed,
    FixedDistance,
    Floating,
    Frame,
    Joint,
    Loop,
    Mechanism,
    Mimic,
    Planar,
    PlanarPin,
    Pose,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    Spring,
    Universal,
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
from phalanx.mechanism.write.urdf import export_urdf
from phalanx.planning.inverse_kinematics.solution import Solution
from phalanx.planning.inverse_kinematics.solver import InverseKinematics
from phalanx.planning.inverse_kinematics.tasks import (
    DirectionTask,
    OrientationTask,
    PointTask,
    PoseTask,
)
from phalanx.planning.inverse_kinematics.unreachable import UnreachableTarget
from phalanx.simulation.batch.result import RolloutResult
from phalanx.simulation.batch.rollout import rollout
from phalanx.simulation.batch.rollouts import CompiledRollout
from phalanx.simulation.integrators.integrators import (
    Cvodes,
    DormandPrince,
    Rosenbrock2,
    RungeKutta4,
    RungeKuttaGill,
    SemiImplicitEuler,
)
from phalanx.simulation.realtime.latest import Latest
from phalanx.simulation.realtime.live import LiveRun
from phalanx.simulation.realtime.loop import RealTimeLoop
from phalanx.simulation.realtime.pacing import CatchUp, Pacing, Slip
from phalanx.simulation.record.energy_balance import EnergyBalance
from phalanx.simulation.record.recording import Recording
from phalanx.simulation.run.divergence import Cause, Divergence, RolloutDiverged
from phalanx.simulation.run.failures import SimulationError, SingularPosture
from phalanx.simulation.run.linearization import Linearization, linearize
from phalanx.simulation.run.simulate import simulate
from phalanx.simulation.run.step_warning import StepWarning
from phalanx.simulation.scenario.reader import read_scenario
from phalanx.simulation.setup.events import Event, cut, drop, pick_up
from phalanx.simulation.setup.feedforward import feedforward
from phalanx.simulation.setup.forces.drag import FluidDrag
from phalanx.simulation.setup.forces.drive_friction import DriveFriction, Stiction
from phalanx.simulation.setup.forces.effort_limits import EffortLimits
from phalanx.simulation.setup.forces.fluid import ModelFluid
from phalanx.simulation.setup.forces.joint_forces import Damping, Friction
from phalanx.simulation.setup.forces.stops import Stops
from phalanx.simulation.setup.laws import Law, computed_torque, proportional_derivative
from phalanx.simulation.setup.profile import Profile
from phalanx.simulation.setup.setup import Setup
from phalanx.simulation.setup.track import track
from phalanx.simulation.setup.true_model import with_true_model
from phalanx.view.viewer.viewer import Viewer

__all__ = [
    # first
    "load",
    "library",
    "Dynamics",
    "simulate",
    "rollout",
    "Viewer",
    # machines
    "Mechanism",
    "Body",
    "Frame",
    "Pose",
    "Joint",
    "Revolute",
    "Continuous",
    "Prismatic",
    "Screw",
    "Cylindrical",
    "Universal",
    "Spherical",
    "Planar",
    "Floating",
    "Fixed",
    "Mimic",
    "Spring",
    "Loop",
    "FixedDistance",
    "PlanarPin",
    # edits
    "attach",
    "lock",
    "subtree",
    "merge_fixed",
    "release_mimics",
    "with_floating_base",
    "from_graph",
    "export_urdf",
    # loops
    "assemble",
    "Assembly",
    "OpenLoop",
    "LoopRow",
    "LoopWrench",
    "InconsistentMotion",
    # runs
    "Setup",
    "Recording",
    "EnergyBalance",
    "RolloutResult",
    "CompiledRollout",
    "Event",
    "cut",
    "drop",
    "pick_up",
    "read_scenario",
    "linearize",
    "Linearization",
    # control
    "track",
    "computed_torque",
    "proportional_derivative",
    "feedforward",
    "with_true_model",
    "Law",
    "Profile",
    # forces
    "Damping",
    "Friction",
    "Stops",
    "EffortLimits",
    "ModelFluid",
    "FluidDrag",
    "DriveFriction",
    "Stiction",
    "ModelActuators",
    "actuators",
    "ground",
    # integrators
    "RungeKutta4",
    "Rosenbrock2",
    "SemiImplicitEuler",
    "RungeKuttaGill",
    "DormandPrince",
    "Cvodes",
    # real time
    "LiveRun",
    "RealTimeLoop",
    "Latest",
    "Pacing",
    "CatchUp",
    "Slip",
    # planning
    "InverseKinematics",
    "PoseTask",
    "PointTask",
    "OrientationTask",
    "DirectionTask",
    "Solution",
    "planning",
    # identification
    "identification",
    # equations
    "expression",
    "inverse_dynamics",
    "forward_dynamics",
    "mass_matrix",
    "loops",
    "evaluators",
    "scans",
    # machine code
    "compile",
    "Kernel",
    "Operations",
    "count_operations",
    "export_c",
    "export_fortran",
    "export_object",
    # processors
    "multiprocessor",
    "hardware",
    "distribute",
    "sweep",
    "sweeps",
    # applications
    "excavator",
    "studies",
    # errors
    "PhalanxError",
    "InvalidInput",
    "InvalidModel",
    "UnknownName",
    "ReadError",
    "WriteError",
    "UnsupportedLoad",
    "MissingExtra",
    "CompileError",
    "UnreachableTarget",
    "SimulationError",
    "SingularPosture",
    "Divergence",
    "Cause",
    "RolloutDiverged",
    "StepWarning",
    # version
    "__version__",
]
