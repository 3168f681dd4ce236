"""Support table: which loads act in which ways of running a machine.

A machine declares loads (springs, damping, dry friction, a fluid, rotors, payloads), and a call may
give more (wrenches, a moving root, parameters). In every way of running a load acts, or an error
names it, or the quantity leaves it out by definition. ``WAYS`` says which; code that cannot let a
load act asks :func:`refuse_loads`, which reads the same table. ``docs/loads.md`` shows it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from types import MappingProxyType

import numpy as np

from phalanx.base.errors import UnsupportedLoad
from phalanx.mechanism import Mechanism


class Load(StrEnum):
    """Kinds of load."""

    DAMPING = "damping"  # in joints and between frames
    STIFFNESS = "springs in joints"
    SPRINGS = "springs between frames"
    FRICTION = "dry friction"
    FLUID = "fluid"  # of a model file
    ROTORS = "rotors"  # reflected inertia, armature
    PAYLOAD = "payload"  # a body attached to a frame
    WRENCHES = "wrenches"
    MOVING_BASE = "moving base"
    PARAMETERS = "parameters"


class Effect(StrEnum):
    """Effect of a load in a way of running."""

    ACTS = "acts"
    REFUSED = "refused"  # UnsupportedLoad, or an InvalidInput that names it
    LEFT_OUT = "left out"  # the quantity has none of it by definition
    NO_ARGUMENT = "–"  # the call has no argument for it


_OWN = (Load.DAMPING, Load.STIFFNESS, Load.SPRINGS, Load.FRICTION, Load.FLUID)
_INERTIAS = (Load.ROTORS, Load.PAYLOAD)
_GIVEN = (Load.WRENCHES, Load.MOVING_BASE, Load.PARAMETERS)


def _way(
    own: Effect, given: Effect, *, inertias: Effect = Effect.ACTS, **others: Effect
) -> Mapping[Load, Effect]:
    """A row: effects of groups of loads, then of single ones by the names of :class:`Load`."""
    row = dict.fromkeys(_OWN, own) | dict.fromkeys(_INERTIAS, inertias)
    row |= dict.fromkeys(_GIVEN, given)
    row |= {Load[name]: effect for name, effect in others.items()}
    return MappingProxyType(row)


_ACTS, _REFUSED = Effect.ACTS, Effect.REFUSED
_LEFT_OUT, _NONE = Effect.LEFT_OUT, Effect.NO_ARGUMENT

_RUN = _way(_ACTS, _ACTS, MOVING_BASE=_NONE)
_FORMULATION = _way(_ACTS, _NONE)
_EQUATION = _way(_LEFT_OUT, _ACTS)
_BARE_EQUATION = _way(_LEFT_OUT, _REFUSED, PARAMETERS=_ACTS)
_WALKED = _way(_LEFT_OUT, _ACTS, PARAMETERS=_REFUSED)
_ON_NODES = _way(_ACTS, _NONE)
_BY_LEGS = _way(_ACTS, _NONE, SPRINGS=_REFUSED, FLUID=_REFUSED)
_ARRAY = _way(_LEFT_OUT, _NONE)

WAYS: Mapping[str, Mapping[Load, Effect]] = MappingProxyType(
    {
        # runs; `forces=` says whether damping, dry friction and the fluid act
        "simulate": _RUN,
        "LiveRun": _RUN,
        "rollout": _RUN,
        "CompiledRollout": _RUN,
        "linearize": _way(_ACTS, _NONE, FRICTION=_LEFT_OUT),
        "sweeps.Simulation": _way(_ACTS, _NONE, WRENCHES=_ACTS),
        "sweeps.Rollout": _RUN,
        "sweeps.Evaluation": _way(_LEFT_OUT, _NONE, PARAMETERS=_ACTS),
        # `simulation.formulations.run` with each
        "formulations.Accelerations": _FORMULATION,
        "formulations.BodyLayout": _FORMULATION,
        "formulations.EliminatedLoops": _FORMULATION,
        "formulations.Embedding": _FORMULATION,
        "formulations.FreshProjection": _FORMULATION,
        "formulations.JointLayout": _FORMULATION,
        "formulations.Minimal": _FORMULATION,
        "formulations.Motors": _FORMULATION,
        "formulations.RollingMotion": _FORMULATION,
        # `Dynamics(forward=...)` with each; gravity is a parameter that acts
        "evaluators.Automatic": _WALKED,
        "evaluators.BlockTridiagonal": _WALKED,
        "evaluators.ConstraintIteration": _WALKED,
        "evaluators.CyclicReduction": _WALKED,
        "evaluators.Scan": _WALKED,
        "evaluators.Segments": _WALKED,
        "evaluators.Serial": _WALKED,
        "evaluators.joint_loads": _way(_LEFT_OUT, _NONE),
        # equations, and Dynamics(forward=..., inverse=...) with each
        "forward_dynamics.articulated_body": _EQUATION,
        "forward_dynamics.derivatives": _BARE_EQUATION,
        "forward_dynamics.factorized": _EQUATION,
        "forward_dynamics.orthogonal_complement": _EQUATION,
        "forward_dynamics.in_root_frame.articulated_body": _EQUATION,
        "inverse_dynamics.conventional": _EQUATION,
        "inverse_dynamics.derivatives": _BARE_EQUATION,
        "inverse_dynamics.lagrangian.closed_form": _BARE_EQUATION,
        "inverse_dynamics.lagrangian.recursive_3x3": _BARE_EQUATION,
        "inverse_dynamics.lagrangian.recursive_4x4": _BARE_EQUATION,
        "inverse_dynamics.modified": _EQUATION,
        "inverse_dynamics.natural_complement": _EQUATION,
        "inverse_dynamics.orthogonal_complement": _EQUATION,
        "inverse_dynamics.prefix": _EQUATION,
        "inverse_dynamics.recursive": _EQUATION,
        "inverse_dynamics.regressor": _way(_LEFT_OUT, _REFUSED, ROTORS=_LEFT_OUT, PARAMETERS=_ACTS),
        "inverse_dynamics.staggered": _EQUATION,
        "loops.actuation": _way(_LEFT_OUT, _ACTS, STIFFNESS=_ACTS, SPRINGS=_ACTS),
        "loops.constrained": _EQUATION,
        "loops.embedded": _BARE_EQUATION,
        "loops.multipliers": _EQUATION,
        "loops.orthogonal_complement": _EQUATION,
        "loops.penalty": _EQUATION,
        "loops.projection": _EQUATION,
        "loops.recursive": _BARE_EQUATION,
        "loops.recursive_inverse": _BARE_EQUATION,
        "loops.reduced_inverse_dynamics": _way(_LEFT_OUT, _ACTS, STIFFNESS=_ACTS, SPRINGS=_ACTS),
        "loops.sprung": _EQUATION,
        # tasks, arrays, mesh and chip
        "multiprocessor.task_graph": _EQUATION,
        "multiprocessor.streamlined_tasks": _ARRAY,
        "multiprocessor.vector_tasks": _way(_LEFT_OUT, _ACTS, PARAMETERS=_NONE),
        "multiprocessor.quantity_tasks": _ARRAY,
        "hardware.operator_array": _ARRAY,
        "hardware.chip.chip_array": _ARRAY,
        "hardware.mesh.mesh_evaluation": _ARRAY,
        "hardware.mesh.mesh_step": _way(_ACTS, _NONE, SPRINGS=_REFUSED, FLUID=_REFUSED),
        # several processes; `distribute.PlanJob` does what its plan does
        "distribute.ChainJob": _way(_ACTS, _NONE, SPRINGS=_REFUSED, FLUID=_REFUSED, WRENCHES=_ACTS),
        "distribute.ForwardDynamicsJob": _way(_LEFT_OUT, _NONE, WRENCHES=_ACTS),
        "distribute.PlatformJob, penalty": _ON_NODES,
        "distribute.PlatformJob, projection": _ON_NODES,
        "distribute.PlatformJob, recursive replicated": _ON_NODES,
        "distribute.PlatformJob, recursive by legs": _BY_LEGS,
        "distribute.PlatformJob, inverse": _BY_LEGS,
        "distribute.InverseDynamicsJob": _BY_LEGS,
    }
)


def declared_loads(mechanism: Mechanism) -> Iterator[tuple[Load, str]]:
    """Loads that the data of a machine hold beside masses and rotors, each with its owner."""
    found: dict[Load, str] = {}
    for joint in mechanism.joints:
        numbers = {
            Load.DAMPING: joint.damping,
            Load.STIFFNESS: joint.stiffness,
            Load.FRICTION: joint.dry_friction,
        }
        for load, values in numbers.items():
            if np.any(values):
                found.setdefault(load, f"joint '{joint.name}'")
    yield from found.items()
    if mechanism.springs:
        yield Load.SPRINGS, f"spring '{mechanism.springs[0].name}'"
    fluid = mechanism.fluid
    if fluid and (fluid.density or fluid.viscosity):
        yield Load.FLUID, f"density {fluid.density}, viscosity {fluid.viscosity}"


def refuse_loads(mechanism: Mechanism, way: str) -> None:
    """Raise UnsupportedLoad if a machine declares a load that the table says a way refuses."""
    for load, owner in declared_loads(mechanism):
        if WAYS[way][load] is Effect.REFUSED:
            raise UnsupportedLoad(f"mechanism '{mechanism.name}'", f"{load} ({owner})", way)
