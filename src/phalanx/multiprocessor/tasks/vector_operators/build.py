"""Build inverse dynamics as a graph of vector operators, linear or logarithmic."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from phalanx.base.arguments import checked
from phalanx.base.errors import InvalidInput
from phalanx.base.scans import PrefixNetwork
from phalanx.equations.inverse_dynamics.vector_forms.axis_chain import check_chain, check_moves
from phalanx.equations.inverse_dynamics.vector_forms.chain import JointLoad
from phalanx.equations.inverse_dynamics.vector_forms.linear import linear_form, read_out
from phalanx.equations.inverse_dynamics.vector_forms.logarithmic import logarithmic_form
from phalanx.equations.inverse_dynamics.vector_forms.operators import PassDirection
from phalanx.equations.model_of import model_in_given_frames
from phalanx.mechanism import Mechanism
from phalanx.multiprocessor.tasks.vector_operators.given import Given, NodeLink, given_chain
from phalanx.multiprocessor.tasks.vector_operators.sine import Sine
from phalanx.multiprocessor.tasks.vector_operators.vector_graph import (
    Output,
    VectorTasks,
    check_tree,
    depths_of,
    finished,
    with_matrices,
    writer_of,
)
from phalanx.multiprocessor.tasks.vector_operators.writer import Vector, VectorTaskWriter


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
    sine: Sine | None = None,
) -> VectorTasks:
    """Inverse dynamics as tasks of whole vector operations.

    Every operator does its full work, whatever zeros and ones a machine has. Matrices A_i (sines
    and cosines), levers of joints that slide and axes times the joint's rates are given.

    Args:
        mechanism: The machine; universal and cylindrical joints are two with a massless link
            between. Forms other than the unified one take trees of any joints.
        network: How segments are joined in the logarithmic form; the linear one when not given.
        grounded: Whether the logarithmic form begins at joint 1, with gravity in its leaf, instead
            of the base.
        unified: Whether leaves of the logarithmic form take the operations of a combination; of a
            chain of joints that turn or slide.
        lean: Whether loads are combined by nine operators instead of the source's eleven.
        readout: Whether dot products with the joints' axes give tau; otherwise the result is
            ``carried``, for each joint the moment (or force of a sliding one) in axes of its link,
            shape (3 n,), without what its own rotor takes; for joints of one axis.
        matrix_products: Whether a product of matrices is one task (MM), or three (MV).
        tip: Frame on a last link where it ends; the last joint's own when not given.
        tip_wrench: Whether a wrench (force, moment) [N, N·m] acts on the machine at the tip, in its
            axes: a further input ``wrench``, shape (6,).
        moving_base: Whether the root moves: inputs ``base_velocity`` and ``base_acceleration``,
            each (linear, angular) in root axes, shape (6,).
        sine: How sines and cosines of angles are computed, as tasks of their own kind; then the
            matrices A_i are products of matrices. Both are given, as in the source, when not given.
            Rotation matrices of quaternions are given in any case.

    Returns:
        The tasks. Inputs q, v, a, then those asked for; result tau, shape (n,), and of the
        logarithmic form that begins with the base ``reaction``: force and moment about O_0 that
        the ground gives, in axes of O_0.

    Raises:
        InvalidModel: A loop or joint stands in the way; with its name and what to do.
        InvalidInput: Options that only the logarithmic form has; a grounded base that turns.

    Reference:
        Lathrop, MIT AI-TR-754 (1983), tables III.1, IV.1 and V.1, appendices A to D.
    """
    _check_options(network, grounded, unified, lean, moving_base)
    kind = "linear" if network is None else f"logarithmic ({network.name})"
    name = f"{kind} vector tasks of {mechanism.name}"
    model = model_in_given_frames(mechanism)
    check_tree(model, name)
    (check_chain if unified else check_moves)(model, name)
    inputs = {"q": mechanism.nq, "v": model.nv, "a": model.nv}
    if tip_wrench:
        inputs["wrench"] = 6
    if moving_base:
        inputs |= {"base_velocity": 6, "base_acceleration": 6}
    given = given_chain(model, inputs, tip=tip, turns_given=sine is None)
    writer = writer_of(model, given, joined=network is not None, matrix_products=matrix_products)
    chain = with_matrices(writer, given, sine)
    if network is None:
        loads = linear_form(writer, chain)
    else:
        loads = logarithmic_form(
            writer, chain, network, grounded=grounded, unified=unified, lean=lean
        )
    ground = loads[: len(loads) - len(chain.links)]
    results = _results(writer, given, loads[len(ground) :], readout)
    if ground:
        results["reaction"] = Output.column((*ground[0].f, *ground[0].n))
    return finished(name, "inverse_dynamics", given, writer, results, network)


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


def _results(
    writer: VectorTaskWriter, given: Given, loads: Sequence[JointLoad[Vector]], readout: bool
) -> dict[str, Output]:
    """Joint forces, or the vectors whose parts along the joints they are."""
    links = given.chain.links
    if not readout:
        return {"carried": Output.column(_carried(links, loads))}
    parts: list[tuple[int, int, int]] = []  # joint, coordinate, node
    for i, (link, load) in enumerate(zip(links, loads, strict=True), start=1):
        for k, force in enumerate(read_out(writer, i, link, load)):
            number = f".{k + 1}" if len(link.freedoms) > 1 else ""
            rotor = given.rotors[i - 1][k]
            if rotor is not None:
                o = writer.at(PassDirection.READOUT, 0, i, i)
                force = o.added(f"rotor{number}", force, rotor)
            parts.append((i, link.freedoms[k].coordinate, force))
    depths = depths_of([link.parent for link in links])
    return {"tau": Output.column(_by_coordinate(writer, depths, parts))}


def _by_coordinate(
    writer: VectorTaskWriter, depths: Sequence[int], parts: list[tuple[int, int, int]]
) -> tuple[int, ...]:
    """Forces on coordinates: where joints mimic each other, sums, the outermost first."""
    tau: dict[int, int] = {}
    joined: Counter[int] = Counter()
    for i, coordinate, force in sorted(parts, key=lambda part: (-depths[part[0]], part[0])):
        if coordinate in tau:
            joined[coordinate] += 1
            o = writer.at(PassDirection.READOUT, 0, i, i)
            force = o.added(f"shared.{joined[coordinate]}", tau[coordinate], force)
        tau[coordinate] = force
    return tuple(tau[k] for k in sorted(tau))


def _carried(links: Sequence[NodeLink], loads: Sequence[JointLoad[Vector]]) -> tuple[int, ...]:
    """The moment of each joint that turns, the force of each that slides."""
    nodes: list[int] = []
    for i, (link, load) in enumerate(zip(links, loads, strict=True), start=1):
        if link.turns == link.slides:
            raise InvalidInput(
                f"joint {i} has more than one axis, or a screw's, so that neither its moment nor "
                "its force is all; leave out readout."
            )
        nodes += load.n if link.turns else load.f
    return tuple(nodes)
