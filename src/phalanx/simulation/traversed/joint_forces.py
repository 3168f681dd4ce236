"""Joint forces over arrays; joints of one type are a batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import final

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.dynamics.evaluators.traversed.columns import Columns, Gathered, SymbolicColumns
from phalanx.kernel import compile as compile_kernel
from phalanx.mechanism import Joint, Mechanism
from phalanx.mechanism.pose import Array
from phalanx.simulation.setup.forces.joint_forces import ForceOfEach


@final
class JointForces:
    """The sum of such forces, compiled for each kind of joint."""

    def __init__(
        self,
        mechanism: Mechanism,
        forces: Sequence[ForceOfEach],
        joints: Sequence[Joint] | None = None,
    ) -> None:
        """Compile, for some joints or for all; what is known to be zero costs nothing."""
        kinds: dict[type, list[Joint]] = {}
        for joint in mechanism.moving_joints if joints is None else joints:
            kinds.setdefault(type(joint.motion), []).append(joint)
        made = [_Batch(mechanism, joints, forces) for joints in kinds.values()] if forces else []
        self.nv = mechanism.nv
        self.batches = [batch for batch in made if not batch.is_zero]

    def bound(self, q: Array, v: Array, total: Array) -> Callable[[], None] | None:
        """What writes the forces (samples, nv) at what q and v then hold; None without any."""
        if not self.batches:
            return None
        calls = [batch.bound(q, v, total) for batch in self.batches]
        if len(calls) == 1:
            return calls[0]

        def call() -> None:
            for one in calls:
                one()

        return call


@final
class _Batch:
    """Joints that move alike."""

    def __init__(
        self, mechanism: Mechanism, joints: Sequence[Joint], forces: Sequence[ForceOfEach]
    ) -> None:
        motion = joints[0].motion
        self.q = Columns(np.array([mechanism.q_slices[j.name].start for j in joints]), motion.nq)
        self.v = Columns(np.array([mechanism.v_slices[j.name].start for j in joints]), motion.nv)
        x, u = SX.sym("x", motion.nq), SX.sym("u", motion.nv)
        total, symbols, numbers = SX.zeros(motion.nv, 1), [], []
        for force in forces:
            columns = SymbolicColumns(np.array([force.numbers(joint) for joint in joints], float))
            total += force.law(motion, columns.values, x, u)
            symbols.append(columns.arguments)
            numbers.append(columns.numbers)
        total = ca.sparsify(ca.simplify(total))
        self.is_zero = total.nnz() == 0
        self.numbers = np.ascontiguousarray(np.hstack(numbers))
        opened_numbers = ca.vertcat(*symbols)
        # positions and numbers that nothing depends on are not handed over
        given = {"x": x, "u": u, "numbers": opened_numbers}
        self.taken = [n for n, s in given.items() if s.numel() and ca.depends_on(total, s)]
        if not self.is_zero:
            self.kernel = compile_kernel(
                ca.Function(
                    "joint_forces",
                    [given[name] for name in self.taken],
                    [ca.densify(total)],
                    self.taken,
                    ["f"],
                )
            )

    def bound(self, q: Array, v: Array, total: Array) -> Callable[[], None]:
        """What writes the forces of these joints; those of others are left alone."""
        samples = len(v)
        read = {"x": Gathered(q, self.q), "u": Gathered(v, self.v)}
        read = {name: gathered for name, gathered in read.items() if name in self.taken}
        numbers = np.repeat(self.numbers[None], samples, axis=0)
        given = {name: gathered.array for name, gathered in read.items()} | {"numbers": numbers}
        written = Gathered(total, self.v)
        evaluate = self.kernel.on_arrays([given[name] for name in self.taken], [written.array])
        gathers = [gathered for gathered in read.values() if not gathered.is_view]
        if not gathers and written.is_view:
            return evaluate

        def call() -> None:
            for gathered in gathers:
                gathered.take()
            evaluate()
            written.give()

        return call
