"""Design of the array for a mechanism, from a few choices."""

from __future__ import annotations

from phalanx.base.arguments import checked
from phalanx.base.errors import InvalidInput
from phalanx.base.scans import PrefixNetwork
from phalanx.hardware.arrays.array import OperatorArray
from phalanx.hardware.arrays.linear import linear_array, wrapped_node
from phalanx.hardware.arrays.tree import prefix_tree, wrapped_tier
from phalanx.mechanism import Mechanism
from phalanx.multiprocessor.tasks.vector_operators import Sine, quantity_tasks, vector_tasks

INVERSE = "inverse_dynamics"


@checked
def operator_array(
    mechanism: Mechanism,
    network: PrefixNetwork | None = None,
    *,
    systolic: bool = True,
    grounded: bool = False,
    unified: bool = False,
    lean: bool = False,
    multiply: float = 1.0,
    add: float = 1.0,
    interval: float | None = None,
    padded: bool = False,
    shared: bool = False,
    sine: Sine | None = None,
    quantity: str = INVERSE,
    frame: str | None = None,
) -> OperatorArray:
    """Inverse dynamics, or another quantity, on an array of vector operators.

    Args:
        mechanism: A tree of any joints.
        network: How segments are combined, such as :data:`phalanx.base.scans.sklansky`; joints one
            after the other when not given.
        systolic: Whether there are operators for every step, so that samples follow each other;
            else one node, or one tier of nodes, is used for all steps.
        grounded: Whether a tree begins at joint 1 instead of the base.
        unified: Whether leaves of a tree are made like its combinations; of chains of joints that
            turn or slide.
        lean: Whether a tree combines loads by fewer operators than the source's.
        multiply: Time of a multiplication.
        add: Time of an addition.
        interval: From a sample to the next; the time of a step for a systolic array, that of a
            sample for another, when not given.
        padded: Whether steps have fixed offsets; else each task starts when it can.
        shared: Whether operators work in both directions; not for a systolic array, all of whose
            operators are at work all the time.
        sine: How operators compute sines and cosines; they are given when not given.
        quantity: What is computed, by its name in ``Dynamics`` (see ``quantity_tasks``); all but
            inverse dynamics joint after joint, each task as soon as it can start.
        frame: Name of the frame or body, of forward kinematics and Jacobian.

    Raises:
        InvalidModel: A loop or joint stands in the way; with its name and what to do.
        InvalidInput: The interval is not positive, a linear recursion is to be grounded, or a
            systolic array is to be shared.
    """
    if quantity == INVERSE and frame is None:
        tasks = vector_tasks(
            mechanism, network, grounded=grounded, unified=unified, lean=lean, sine=sine
        )
    else:
        if network is not None or grounded or unified or lean or padded:
            raise InvalidInput(
                f"{quantity} is computed joint after joint; a network, grounded, unified, lean and "
                "padded are for inverse dynamics."
            )
        tasks = quantity_tasks(mechanism, quantity, frame=frame, sine=sine)
    if not systolic:
        device = wrapped_node if network is None else wrapped_tier
        return device(
            tasks, multiply=multiply, add=add, interval=interval, padded=padded, shared=shared
        )
    if shared:
        raise InvalidInput(
            "operators of a systolic array are at work for other sets all the time, so that both "
            "directions cannot share them; leave out shared, or systolic."
        )
    array = linear_array if network is None else prefix_tree
    return array(tasks, multiply=multiply, add=add, interval=interval, padded=padded)
