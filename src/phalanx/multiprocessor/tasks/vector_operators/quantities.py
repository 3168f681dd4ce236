"""Build kinematics, mass matrix and forward dynamics as graphs of vector operators."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from phalanx.base.arguments import checked
from phalanx.base.errors import InvalidInput, InvalidModel, UnknownName
from phalanx.equations.inverse_dynamics.vector_forms.axis_chain import check_moves
from phalanx.equations.inverse_dynamics.vector_forms.linear import linear_form, read_out
from phalanx.equations.inverse_dynamics.vector_forms.operators import PassDirection
from phalanx.equations.model_of import model_in_given_frames
from phalanx.equations.tree.model import Model
from phalanx.equations.vector_quantities.forward_dynamics import accelerate_from_rest
from phalanx.equations.vector_quantities.kinematics import frame_jacobian, frame_pose, path_to
from phalanx.equations.vector_quantities.mass_matrix import mass_matrix
from phalanx.mechanism import Mechanism
from phalanx.multiprocessor.tasks.vector_operators.build import vector_tasks
from phalanx.multiprocessor.tasks.vector_operators.given import given_chain
from phalanx.multiprocessor.tasks.vector_operators.sine import Sine
from phalanx.multiprocessor.tasks.vector_operators.vector_graph import (
    Output,
    VectorTasks,
    check_tree,
    finished,
    with_matrices,
    writer_of,
)

Built = Callable[[str, Model, str | None, Sine | None], VectorTasks]


@checked
def quantity_tasks(
    mechanism: Mechanism, quantity: str, *, frame: str | None = None, sine: Sine | None = None
) -> VectorTasks:
    """A quantity of a tree of any joints as tasks of whole vector operations.

    Every operator does its full work, as in :func:`vector_tasks`, which makes inverse dynamics.

    Args:
        mechanism: The machine.
        quantity: By its name in ``Dynamics``: ``inverse_dynamics``; ``forward_kinematics`` and
            ``jacobian`` of a frame; ``mass_matrix`` (composite bodies, 6×6 as blocks);
            ``forward_dynamics`` (articulated bodies).
        frame: Name of the frame or body of kinematics.
        sine: How sines and cosines of angles are computed; they are given when not given.

    Returns:
        The tasks; inputs and result as of the method of ``Dynamics``.

    Raises:
        InvalidModel: A loop or joint stands in the way; with its name and what to do.
        InvalidInput: A frame is missing or does not belong.
        UnknownName: There is no such quantity or frame.
    """
    if quantity not in QUANTITIES:
        raise UnknownName("vector tasks", "quantity", quantity, QUANTITIES)
    if (frame is not None) != (quantity in OF_FRAME):
        needs = (
            "needs a frame" if quantity in OF_FRAME else "is of the whole machine, without frame"
        )
        raise InvalidInput(f"{quantity} {needs}; got {frame!r}.")
    if quantity not in _BUILT:
        return vector_tasks(mechanism, sine=sine)
    name = f"{quantity.replace('_', ' ')} in vector tasks of {mechanism.name}"
    model = model_in_given_frames(mechanism)
    check_tree(model, name)
    check_moves(model, name)
    return _BUILT[quantity](name, model, frame, sine)


def _forward_kinematics(
    name: str, model: Model, frame: str | None, sine: Sine | None
) -> VectorTasks:
    inputs = {"q": model.mechanism.nq}
    given = given_chain(model, inputs, turns_given=sine is None, frame=frame)
    writer = writer_of(model, given)
    assert given.frame is not None, "kinematics is of a frame"
    chain = with_matrices(writer, given, sine, path_to(given.chain, given.frame.link))
    R, x = frame_pose(writer, chain, given.frame)
    none, one = writer.number(0.0), writer.number(1.0)
    rows = [n for i in range(3) for n in (*R[3 * i : 3 * i + 3], x[i])]
    output = Output((*rows, none, none, none, one), (4, 4))
    return finished(name, "forward_kinematics", given, writer, {"X": output})


def _jacobian(name: str, model: Model, frame: str | None, sine: Sine | None) -> VectorTasks:
    inputs = {"q": model.mechanism.nq}
    given = given_chain(model, inputs, turns_given=sine is None, frame=frame)
    writer = writer_of(model, given)
    assert given.frame is not None, "kinematics is of a frame"
    chain = with_matrices(writer, given, sine, path_to(given.chain, given.frame.link))
    columns = frame_jacobian(writer, chain, given.frame)
    rest = ((writer.number(0.0),) * 3,) * 2
    shown = [columns.get(k, rest) for k in range(model.nv)]
    rows = tuple(column[part][row] for part in range(2) for row in range(3) for column in shown)
    return finished(name, "jacobian", given, writer, {"J": Output(rows, (6, model.nv))})


def _mass_matrix(name: str, model: Model, frame: str | None, sine: Sine | None) -> VectorTasks:
    inputs = {"q": model.mechanism.nq}
    given = given_chain(model, inputs, turns_given=sine is None, inertias=True)
    writer = writer_of(model, given)
    entries = mass_matrix(writer, with_matrices(writer, given, sine), given.bodies)
    none, n = writer.number(0.0), model.nv
    rows = tuple(entries.get((i, j), none) for i in range(n) for j in range(n))
    return finished(name, "mass_matrix", given, writer, {"M": Output(rows, (n, n))})


def _forward_dynamics(name: str, model: Model, frame: str | None, sine: Sine | None) -> VectorTasks:
    for joint in model.mechanism.joints:
        if joint.mimic is not None:
            raise InvalidModel(
                f"{name}: joint '{joint.name}' mimics another, which ties branches together; "
                "articulated bodies have joints of their own. Lock it (phalanx.lock, --lock), or "
                "take release_mimics(mechanism), which lets it move by itself."
            )
    inputs = {"q": model.mechanism.nq, "v": model.nv, "tau": model.nv}
    given = given_chain(model, inputs, turns_given=sine is None, inertias=True)
    writer = writer_of(model, given)
    chain = with_matrices(writer, given, sine)
    forces = []
    loads = linear_form(writer, chain)
    for i, (link, load) in enumerate(zip(chain.links, loads, strict=True), start=1):
        o, own = writer.at(PassDirection.READOUT, 0, i, i), []
        for k, bias in enumerate(read_out(writer, i, link, load)):
            tau = given.torques[link.freedoms[k].coordinate]
            own.append(o.subtracted(f"rest.{k + 1}", tau, bias))
        forces.append(own)
    a = accelerate_from_rest(writer, chain, given.bodies, forces)
    output = Output.column(a[k] for k in range(model.nv))
    return finished(name, "forward_dynamics", given, writer, {"a": output})


_BUILT: Mapping[str, Built] = MappingProxyType(
    {
        "forward_kinematics": _forward_kinematics,
        "jacobian": _jacobian,
        "mass_matrix": _mass_matrix,
        "forward_dynamics": _forward_dynamics,
    }
)
QUANTITIES = ("inverse_dynamics", *_BUILT)
NAMES = tuple(name.replace("_", "-") for name in QUANTITIES)
OF_FRAME = ("forward_kinematics", "jacobian")
