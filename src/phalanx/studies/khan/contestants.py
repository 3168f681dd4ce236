"""Methods that are compared: their states, and their grades in Khan's Table 5.1."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from casadi import SX

from phalanx.distribute import LoopMethod, Penalty, Projection, Recursive
from phalanx.equations import loops
from phalanx.equations.loops.numbers.bases import FrozenBasis, Gaussian, ProjectorSvd, Qr
from phalanx.mechanism import Mechanism
from phalanx.simulation.formulations import (
    Accelerations,
    Embedding,
    Formulation,
    FreshProjection,
    Motors,
)
from phalanx.studies.khan.bench import in_base_axes

DECAY = 10.0  # [1/s]
STIFFNESS = 1e5  # [N/m]


@dataclass(frozen=True)
class Contestant:
    """A method of forward dynamics with loops.

    Attributes:
        name: Shown in tables.
        says: What it does, in a few words.
        formulate: Its equations of motion for a machine.
        equation: The same as one expression, whose operations can be counted; None where matrices
            are decomposed at every evaluation.
        nodes: The same cut between legs on processors of their own; None where there is no such
            cut.
        printed: Grades of the source: modularity, distribution, preparation, accuracy, cost of an
            evaluation, stiffness, efficiency; None for methods that it does not compare.
    """

    name: str
    says: str
    formulate: Callable[[Mechanism], Formulation]
    equation: Callable[..., SX] | None
    nodes: LoopMethod | None
    printed: tuple[str, ...] | None = None


GRADES = (
    "modularity",
    "distribution",
    "preparation",
    "accuracy",
    "cost",
    "stiffness",
    "efficiency",
)


def _springs(mechanism: Mechanism) -> Formulation:
    return Accelerations(in_base_axes(mechanism), loops.penalty, stiffness=STIFFNESS)


CONTESTANTS = (
    Contestant(
        "springs",
        "springs and dampers in the loops, k = 1e5 N/m",
        _springs,
        loops.penalty,
        Penalty(STIFFNESS),
        ("high", "high", "low", "medium", "low", "high", "low"),
    ),
    Contestant(
        "projector-svd",
        "a fresh basis from the projector 1 - A⁺A, its velocities integrated (Yun and Sarkar)",
        lambda m: FreshProjection(m, ProjectorSvd(), decay=DECAY, as_printed=True),
        None,
        None,
        ("high", "high", "medium", "medium", "medium", "low", "medium"),
    ),
    Contestant(
        "elimination",
        "independent joints by total pivoting, another choice before they fail",
        lambda m: Embedding(m, Gaussian(), decay=DECAY),
        loops.projection,
        Projection(DECAY),
        ("high", "high", "medium", "medium", "medium", "low", "medium"),
    ),
    Contestant(
        "qr",
        "a fresh basis by QR of Aᵀ, velocities of joints integrated",
        lambda m: FreshProjection(m, Qr(), decay=DECAY),
        None,
        None,
        ("high", "high", "medium", "medium", "medium", "low", "medium"),
    ),
    Contestant(
        "frozen",
        "a basis by QR, held until it fails",
        lambda m: Embedding(m, FrozenBasis(), decay=DECAY),
        None,
        None,
    ),
    Contestant(
        "multipliers",
        "Lagrange's multipliers, one equation for each that closes a loop",
        lambda m: Accelerations(m, loops.multipliers),
        loops.multipliers,
        None,
    ),
    Contestant(
        "legs",
        "recursions within legs, as many equations as motors (DeNOC)",
        Motors,
        loops.recursive,
        Recursive(),
        ("medium", "medium", "high", "high", "high", "low", "medium"),
    ),
)
