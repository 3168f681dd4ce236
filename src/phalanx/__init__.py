"""Phalanx: parallel dynamics of robots and machines in Python.

What you call first::

    load, library   read a model (URDF, SDF, MJCF), or take a published machine
    Dynamics        its mass matrix, inverse and forward dynamics, … as compiled functions
    simulate        let it run, alone and recorded
    rollout         thousands of runs in one call
    Viewer          see it in the browser

Public names by topic::

    Machines        Mechanism, Body, Frame, Pose, Joint, Revolute, Continuous, Prismatic, Screw,
                    Cylindrical, Universal, Spherical, Planar, Floating, Fixed, Mimic, Spring,
                    Loop, FixedDistance, PlanarPin
    Edits           attach, lock, subtree, merge_fixed, release_mimics, with_floating_base,
                    from_graph, export_urdf
    Loops           assemble, Assembly, OpenLoop, LoopRow, LoopWrench, InconsistentMotion
    Runs            Setup, Recording, EnergyBalance, RolloutResult, CompiledRollout, Event, cut,
                    drop, pick_up, read_scenario, linearize, Linearization
    Control         track, computed_torque, proportional_derivative, feedforward, with_true_model,
                    Law, Profile
    Forces          Damping, Friction, Stops, EffortLimits, ModelFluid, FluidDrag, DriveFriction,
                    Stiction, ModelActuators, actuators, ground
    Integrators     RungeKutta4, Rosenbrock2, SemiImplicitEuler, RungeKuttaGill, DormandPrince,
                    Cvodes
    Real time       LiveRun, RealTimeLoop, Latest, Pacing, CatchUp, Slip
    Planning        InverseKinematics, PoseTask, PointTask, OrientationTask, DirectionTask,
                    Solution, planning
    Identification  identification
    Equations       expression, inverse_dynamics, forward_dynamics, mass_matrix, loops, evaluators,
                    scans
    Machine code    compile, Kernel, Operations, count_operations, export_c, export_fortran,
                    export_object
    Processors      multiprocessor, hardware, distribute, sweep, sweeps
    Applications    excavator, studies
    Errors          PhalanxError, InvalidInput, InvalidModel, UnknownName, ReadError, WriteError,
                    UnsupportedLoad, MissingExtra, CompileError, UnreachableTarget,
                    SimulationError, SingularPosture, Divergence, Cause, RolloutDiverged,
                    StepWarning
    Version         __version__
"""

from phalanx.base.lazy_imports import names_of_stub
from phalanx.base.notebook import draws
from phalanx.simulation.extensions import offer

__getattr__, __dir__, __all__ = names_of_stub(__name__)

# special machines that come with the package
offer("phalanx.ground.extension")
offer("phalanx.machines.excavator.extension")
offer("phalanx.studies.extension")

# what draws data that does not know who does
draws("Mechanism", "phalanx.view.notebook:mechanism_page")
