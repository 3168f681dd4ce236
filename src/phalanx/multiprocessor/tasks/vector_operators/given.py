"""Given values of a chain or tree: its numbers, and functions of the inputs alone."""

from __future__ import annotations

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
from phalanx.kernel.graph.graph import Graph
from phalanx.kernel.graph.passes.simplify import simplify
from phalanx.kernel.graph.read_casadi import read_casadi
from phalanx.multiprocessor.tasks.vector_operators.writer import Matrix, Vector

NodeChain = AxisChain[Vector, Matrix, int]
NodeLink = AxisLink[Vector, Matrix, int]
NodeTurn = AxisTurn[Matrix, int]


@dataclass(frozen=True)
class Given:
    """A chain as nodes of a program.

    Attributes:
        program: Computes what is given; its inputs are those of the whole.
        chain: The chain.
        rotors: For each freedom of each joint the force that its own rotor takes, None where it
            has none.
        turns: For each joint how its matrix comes from its angle; None where it is given.
    """

    program: Graph
    chain: NodeChain
    rotors: tuple[tuple[int | None, ...], ...]
    turns: tuple[NodeTurn | None, ...]


@quick_operators()
def given_chain(
    model: Model, *, tip: str | None, tip_wrench: bool, moving_base: bool, turns_given: bool
) -> Given:
    """The chain or tree of a model, every number of it a node.

    Args:
        model: The machine.
        tip: Frame on a last link where it ends.
        tip_wrench: Whether a wrench acts there.
        moving_base: Whether the root moves.
        turns_given: Whether matrices of joints that turn about an axis are given; else their angles
            are, and the matrices in the chain are not to be read.
    """
    sizes = {"q": model.mechanism.nq, "v": model.nv, "a": model.nv}
    if tip_wrench:
        sizes["wrench"] = 6
    if moving_base:
        sizes |= {"base_velocity": 6, "base_acceleration": 6}
    x = {name: SX.sym(name, size) for name, size in sizes.items()}
    base = None
    if moving_base:
        base = BaseMotion(Twist.of(x["base_velocity"]), Twist.of(x["base_acceleration"]))
    chain = axis_chain(model, x["q"], x["v"], x["a"], base=base, tip=tip, wrench=x.get("wrench"))
    turns: list[AxisTurn[SX, SX] | None] = [None] * len(chain.links)
    if not turns_given:
        turns = axis_turns(axis_frames(model, tip), x["q"])
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
    rotors = [node.multiplier * node.armature * node.rate(x["a"]) for node in model.nodes]
    spinning = [
        [None if force.is_zero() else noted(force) for force in ca.vertsplit(ca.densify(forces))]
        for forces in rotors
    ]
    turning = [None if turn is None else turn.each(noted, noted) for turn in turns]
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
    )
