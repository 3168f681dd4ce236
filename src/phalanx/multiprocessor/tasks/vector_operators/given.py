"""Given values of a chain: its numbers, and functions of the inputs alone."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
from casadi import SX

from phalanx.base.casadi_operators import quick_operators
from phalanx.equations.inverse_dynamics.vector_forms.axis_chain import axis_chain
from phalanx.equations.inverse_dynamics.vector_forms.chain import AxisChain
from phalanx.equations.spatial import Twist
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.motion import BaseMotion
from phalanx.kernel.graph.graph import Graph
from phalanx.kernel.graph.passes.simplify import simplify
from phalanx.kernel.graph.read_casadi import read_casadi
from phalanx.multiprocessor.tasks.vector_operators.writer import Matrix, Vector

NodeChain = AxisChain[Vector, Matrix, int]


@dataclass(frozen=True)
class Given:
    """A chain as nodes of a program.

    Attributes:
        program: Computes what is given; its inputs are those of the whole.
        chain: The chain.
        rotors: For each joint the force that its own rotor takes, None where it has none.
    """

    program: Graph
    chain: NodeChain
    rotors: tuple[int | None, ...]


@quick_operators()
def given_chain(model: Model, *, tip: str | None, tip_wrench: bool, moving_base: bool) -> Given:
    """The chain of a model, every number of it a node."""
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
    # all entries of the chain in a row, then the node of each
    entries: list[SX] = []

    def noted(values: SX) -> range:
        begin = len(entries)
        # by rows
        entries.extend(ca.vertsplit(ca.densify(ca.vec(values.T))))
        return range(begin, len(entries))

    taken = chain.each(noted, noted, noted)
    rotors = [node.armature * node.rate(x["a"]) for node in model.nodes]
    spinning = [None if force.is_zero() else noted(force) for force in rotors]
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
        tuple(None if place is None else scalar(place) for place in spinning),
    )
