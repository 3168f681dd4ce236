"""Given values of a chain or tree: its numbers, and functions of the inputs alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import casadi as ca
from casadi import SX

from phalanx.base.casadi_operators import quick_operators
from phalanx.equations.inverse_dynamics.vector_forms.axis_chain import (
    axis_chain,
    axis_frames,
    axis_turns,
)
from phalanx.equations.inverse_dynamics.vector_forms.chain import AxisChain, AxisLink, AxisTurn
from phalanx.equations.spatial import Twist
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.motion import BaseMotion
from phalanx.equations.vector_quantities.axis_bodies import axis_bodies, link_frame
from phalanx.equations.vector_quantities.inertia import AxisBody
from phalanx.equations.vector_quantities.kinematics import LinkFrame
from phalanx.kernel.graph.graph import Graph
from phalanx.kernel.graph.passes.simplify import simplify
from phalanx.kernel.graph.read_casadi import read_casadi
from phalanx.multiprocessor.tasks.vector_operators.writer import Matrix, Vector

NodeChain = AxisChain[Vector, Matrix, int]
NodeLink = AxisLink[Vector, Matrix, int]
NodeTurn = AxisTurn[Matrix, int]
NodeBody = AxisBody[Matrix, int]
NodeFrame = LinkFrame[Vector, Matrix]


@dataclass(frozen=True)
class Given:
    """A chain as nodes of a program.

    Attributes:
        program: Computes what is given; its inputs are those of the whole.
        chain: The chain.
        rotors: For each freedom of each joint the force that its own rotor takes, None where it
            has none.
        turns: For each joint how its matrix comes from its angle; None where it is given.
        torques: Joint forces by coordinate, where they are an input.
        bodies: Inertias of all links, where they were asked for.
        frame: The frame that was asked for.
    """

    program: Graph
    chain: NodeChain
    rotors: tuple[tuple[int | None, ...], ...]
    turns: tuple[NodeTurn | None, ...]
    torques: tuple[int, ...] = ()
    bodies: tuple[NodeBody, ...] = ()
    frame: NodeFrame | None = None


@quick_operators()
def given_chain(
    model: Model,
    inputs: Mapping[str, int],
    *,
    tip: str | None = None,
    turns_given: bool = True,
    frame: str | None = None,
    inertias: bool = False,
) -> Given:
    """The chain or tree of a model, every number of it a node.

    Args:
        model: The machine.
        inputs: Sizes of the inputs by name: q, and of v, a, tau, wrench, base_velocity and
            base_acceleration those that are not zero.
        tip: Frame on a last link where it ends.
        turns_given: Whether matrices of joints that turn about an axis are given; else their angles
            are, and the matrices in the chain are not to be read.
        frame: A frame on a link, which is given too.
        inertias: Whether inertias of links are given too.
    """
    x = {name: SX.sym(name, size) for name, size in inputs.items()}
    rest = SX.zeros(model.nv, 1)
    q, v, a = x["q"], x.get("v", rest), x.get("a", rest)
    base = None
    if "base_velocity" in x:
        base = BaseMotion(Twist.of(x["base_velocity"]), Twist.of(x["base_acceleration"]))
    frames = axis_frames(model, tip)
    chain = axis_chain(model, q, v, a, base=base, tip=tip, wrench=x.get("wrench"))
    turns: list[AxisTurn[SX, SX] | None] = [None] * len(chain.links)
    if not turns_given:
        turns = axis_turns(frames, q)
        pairs = zip(chain.links, turns, strict=True)
        links = [link if turn is None else replace(link, A=SX.eye(3)) for link, turn in pairs]
        chain = replace(chain, links=links)
    # all entries of the chain in a row, then the node of each
    entries: list[SX] = []

    def noted(values: SX) -> range:
        begin = len(entries)
        # by rows
        entries.extend(ca.vertsplit(ca.densify(ca.vec(values.T))))
        return range(begin, len(entries))

    taken = chain.each(noted, noted, noted)
    rotors = [node.multiplier * node.armature * node.rate(a) for node in model.nodes]
    spinning = [
        [None if force.is_zero() else noted(force) for force in ca.vertsplit(ca.densify(forces))]
        for forces in rotors
    ]
    turning = [None if turn is None else turn.each(noted, noted) for turn in turns]
    bodies = [body.each(noted, noted) for body in axis_bodies(frames, chain)] if inertias else []
    at = None if frame is None else link_frame(frames, frame).each(noted, noted)
    torques = [noted(force) for force in ca.vertsplit(x["tau"])] if "tau" in x else []
    function = ca.Function("given", list(x.values()), [ca.vertcat(*entries)], list(x), ["y"])
    program = simplify(read_casadi(function))
    nodes = program.results[0]

    def vector(place: range) -> Vector:
        x, y, z = matrix(place)
        return x, y, z

    def matrix(place: range) -> Matrix:
        return nodes[place.start : place.stop]

    def scalar(place: range) -> int:
        return nodes[place.start]

    return Given(
        program,
        taken.each(vector, matrix, scalar),
        tuple(
            tuple(None if place is None else scalar(place) for place in places)
            for places in spinning
        ),
        tuple(None if turn is None else turn.each(matrix, scalar) for turn in turning),
        tuple(scalar(force) for force in torques),
        tuple(body.each(matrix, scalar) for body in bodies),
        None if at is None else at.each(vector, matrix),
    )
