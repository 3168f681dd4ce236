"""Design of the array for a mechanism, from a few choices."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

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
    multiply_interval: float | None = None,
    add_interval: float | None = None,
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
        multiply_interval: Initiation interval of multipliers: from a product to the next in one of
            them, at most ``multiply``. It makes operators pipelined: each has a multiplier or adder
            for each of its operations, and accepts operands before the last result is there.
        add_interval: Initiation interval of adders; the same.
        interval: From a sample to the next; when not given, the shortest with pipelined operators,
            else the time of a step for a systolic array, that of a sample for another.
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
    build: Callable[..., OperatorArray] = linear_array if network is None else prefix_tree
    if not systolic:
        build = partial(wrapped_node if network is None else wrapped_tier, shared=shared)
    elif shared:
        raise InvalidInput(
            "operators of a systolic array are at work for other sets all the time, so that both "
            "directions cannot share them; leave out shared, or systolic."
        )
    return build(
        tasks,
        multiply=multiply,
        add=add,
        multiply_interval=multiply_interval,
        add_interval=add_interval,
        interval=interval,
        padded=padded,
    )
