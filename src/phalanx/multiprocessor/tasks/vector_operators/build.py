"""Build inverse dynamics of a chain as a graph of vector operators, linear or logarithmic."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from phalanx.base.arguments import checked
from phalanx.base.errors import InvalidInput, InvalidModel
from phalanx.base.scans import PrefixNetwork
from phalanx.base.short_repr import short_repr
from phalanx.equations.inverse_dynamics.vector_forms.axis_chain import check_chain
from phalanx.equations.inverse_dynamics.vector_forms.chain import JointLoad
from phalanx.equations.inverse_dynamics.vector_forms.linear import linear_form
from phalanx.equations.inverse_dynamics.vector_forms.logarithmic import logarithmic_form
from phalanx.equations.inverse_dynamics.vector_forms.operators import PassDirection
from phalanx.equations.model_of import model_in_given_frames
from phalanx.equations.tree.model import Model
from phalanx.kernel.graph.graph import Graph, Port, verify
from phalanx.mechanism import Mechanism
from phalanx.multiprocessor.tasks.cut import cut
from phalanx.multiprocessor.tasks.task_graph import TaskGraph
from phalanx.multiprocessor.tasks.vector_operators.given import Given, given_chain
from phalanx.multiprocessor.tasks.vector_operators.place import TaskPlace
from phalanx.multiprocessor.tasks.vector_operators.writer import Vector, VectorTaskWriter


@short_repr
@dataclass(frozen=True)
class VectorTasks:
    """Tasks of vector operators and where each belongs.

    Attributes:
        graph: The tasks; :attr:`Task.kind` is the operator's kind, VA, SV, VC, VD, MV or MM.
        places: Where each task belongs in the source's arrays.
        network: How segments are joined; None for the linear form.
    """

    graph: TaskGraph
    places: tuple[TaskPlace, ...]
    network: PrefixNetwork | None


@checked
def vector_tasks(
    mechanism: Mechanism,
    network: PrefixNetwork | None = None,
    *,
    grounded: bool = False,
    unified: bool = False,
    lean: bool = False,
    readout: bool = True,
    matrix_products: bool = True,
    tip: str | None = None,
    tip_wrench: bool = False,
    moving_base: bool = False,
) -> VectorTasks:
    """Inverse dynamics of a chain as tasks of whole vector operations.

    Every operator does its full work, whatever zeros and ones a machine has. Matrices A_i (sines
    and cosines), levers of sliding joints and e3 times the joint's rates are given.

    Args:
        mechanism: A chain of turning and sliding joints; universal and cylindrical ones are two
            with a massless link between.
        network: How segments are joined in the logarithmic form; the linear one when not given.
        grounded: Whether the logarithmic form begins at joint 1, with gravity in its leaf, instead
            of the base.
        unified: Whether leaves of the logarithmic form take the operations of a combination.
        lean: Whether loads are combined by nine operators instead of the source's eleven.
        readout: Whether dot products with the joints' axes give tau; otherwise the result is
            ``carried``, for each joint the moment (or force of a sliding one) in axes of its link,
            shape (3 n,), without what its own rotor takes.
        matrix_products: Whether a product of matrices is one task (MM), or three (MV).
        tip: Frame on the last link where the chain ends; the last joint's own when not given.
        tip_wrench: Whether a wrench (force, moment) [N, N·m] acts on the machine at the tip, in its
            axes: a further input ``wrench``, shape (6,).
        moving_base: Whether the root moves: inputs ``base_velocity`` and ``base_acceleration``,
            each (linear, angular) in root axes, shape (6,).

    Returns:
        The tasks. Inputs q, v, a, then those asked for; result tau, shape (n,), and of the
        logarithmic form that begins with the base ``reaction``: force and moment about O_0 that
        the ground gives, in axes of O_0.

    Raises:
        InvalidModel: The mechanism is no chain of turning and sliding joints; with its joint.
        InvalidInput: Options that only the logarithmic form has; a grounded base that turns.

    Reference:
        Lathrop, MIT AI-TR-754 (1983), tables III.1, IV.1 and V.1, appendices A to D.
    """
    _check_options(network, grounded, unified, lean, moving_base)
    kind = "linear" if network is None else f"logarithmic ({network.name})"
    name = f"{kind} vector tasks of {mechanism.name}"
    model = model_in_given_frames(mechanism)
    _check_model(model, name)
    given = given_chain(model, tip=tip, tip_wrench=tip_wrench, moving_base=moving_base)
    bodies = {joint.name: joint.child for joint in mechanism.joints}
    links = tuple(bodies[node.joint] for node in model.nodes)
    writer = VectorTaskWriter(
        list(given.program.nodes), network is not None, matrix_products, links
    )
    if network is None:
        loads = linear_form(writer, given.chain)
    else:
        loads = logarithmic_form(
            writer, given.chain, network, grounded=grounded, unified=unified, lean=lean
        )
    ground = loads[: len(loads) - len(links)]
    results = _results(writer, given, loads[len(ground) :], readout)
    if ground:
        results["reaction"] = (*ground[0].f, *ground[0].n)
    program = Graph(
        re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_") or "tasks",
        given.program.inputs,
        tuple(Port(key, len(nodes), 1, (len(nodes),)) for key, nodes in results.items()),
        tuple(writer.nodes),
        tuple(results.values()),
    )
    graph = cut(verify(program), writer.groups, describe=writer.described, name=name)
    return VectorTasks(graph, tuple(writer.places), network)


def _check_options(
    network: PrefixNetwork | None, grounded: bool, unified: bool, lean: bool, moving_base: bool
) -> None:
    for option, wanted in (("grounded", grounded), ("unified", unified), ("lean", lean)):
        if wanted and network is None:
            raise InvalidInput(
                f"{option} is for the logarithmic form; give a network, such as scans.sklansky."
            )
    if grounded and moving_base:
        raise InvalidInput("a base that moves is a leaf of its own; leave out grounded.")


def _check_model(model: Model, owner: str) -> None:
    """InvalidModel unless it is a chain whose joints have a coordinate each."""
    if model.mechanism.loops:
        raise InvalidModel(
            f"{owner}: loop '{model.mechanism.loops[0].name}' closes it; expected an open chain."
        )
    check_chain(model, owner)
    for node in model.nodes:
        if node.is_scaled:
            raise InvalidModel(
                f"{owner}: joint '{node.joint}' mimics another; release_mimics makes it a joint of "
                "its own."
            )


def _results(
    writer: VectorTaskWriter, given: Given, loads: Sequence[JointLoad[Vector]], readout: bool
) -> dict[str, tuple[int, ...]]:
    """Joint forces, or the vectors whose parts along the joints they are."""
    links = given.chain.links
    pairs = zip(links, loads, strict=True)
    carried = [load.n if link.turns else load.f for link, load in pairs]
    if not readout:
        return {"carried": tuple(n for vector in carried for n in vector)}
    tau = []
    for i, (link, vector, rotor) in enumerate(
        zip(links, carried, given.rotors, strict=True), start=1
    ):
        force = writer.at(PassDirection.READOUT, 0, i, i).dot("tau", link.axis, vector)
        tau.append(force if rotor is None else writer.with_rotor(i, force, rotor))
    return {"tau": tuple(tau)}
