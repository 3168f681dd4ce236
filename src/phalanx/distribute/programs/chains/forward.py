"""Forward dynamics of a chain at one state, its bodies shared out to nodes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from phalanx.base.errors import InvalidInput
from phalanx.distribute.processes.messages import Array, Program, Sent, Traffic, message_log
from phalanx.distribute.processes.ranks import Ranks
from phalanx.distribute.processes.run import run as run_nodes
from phalanx.distribute.programs.chains.chain import Chain, chain_of
from phalanx.distribute.programs.chains.evaluation import SegmentDynamics
from phalanx.distribute.programs.chains.segments import shared_out
from phalanx.dynamics.evaluators.constraint_forces.conjugate_gradient import ConjugateGradientJacobi
from phalanx.dynamics.evaluators.constraint_forces.solution import LinearSolver
from phalanx.dynamics.evaluators.constraint_forces.stopping import Stopping
from phalanx.dynamics.evaluators.constraint_forces.three_term import ThreeTerm
from phalanx.mechanism import Mechanism


@final
@dataclass(frozen=True)
class Solving:
    """How nodes find constraint forces together.

    Attributes:
        iteration: `Jacobi`, `ChebyshevJacobi` or `ConjugateGradientJacobi`, in which all joints
            take a step at the same time.
        stopping: When it may stop, and after how many steps it gives up.
    """

    iteration: LinearSolver = field(default_factory=ConjugateGradientJacobi)
    stopping: Stopping = field(default_factory=lambda: Stopping(change=1e-10, residual=1e-10))

    @property
    def three_term(self) -> ThreeTerm:
        """The iteration.

        Raises:
            InvalidInput: It takes joints one after the other, which nodes cannot share.
        """
        if not isinstance(self.iteration, ThreeTerm):
            raise InvalidInput(
                f"{self.iteration.name} takes one joint after the other, so that nodes would wait "
                "for each other in a row. Choose Jacobi, ChebyshevJacobi or "
                "ConjugateGradientJacobi, in which all joints take a step at the same time."
            )
        return self.iteration


@final
@dataclass(frozen=True, eq=False)
class SharedForces:
    """What nodes have found together.

    Attributes:
        a: Accelerations of the joints, shape (nv,).
        f: Constraint forces of the joints, shape (bodies, width).
        iterations: How many steps the iteration took.
        residual: |b - A f| / |b| in the norm of D⁻¹.
        traffic: What each node sent.
    """

    a: Array
    f: Array
    iterations: int
    residual: float
    traffic: tuple[Traffic, ...]

    @property
    def log(self) -> tuple[Sent, ...]:
        """Who has sent how much to whom, kind by kind."""
        return message_log(self.traffic)


def forward_dynamics(
    mechanism: Mechanism,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike | None = None,
    *,
    nodes: int,
    solving: Solving | None = None,
    start: ArrayLike | None = None,
    ranks: Ranks | None = None,
) -> SharedForces | None:
    """Accelerations of a chain's joints, and the forces in them, found by several nodes.

    Without ``ranks`` all nodes run in this process. With them every rank of the job calls this with
    the same arguments.

    Args:
        mechanism: A chain of bodies.
        q: Positions, shape (nq,).
        v: Velocities, shape (nv,).
        tau: Joint forces, shape (nv,); none when not given.
        nodes: How many segments of consecutive bodies there are, each a node's.
        solving: How the forces are found; conjugate gradients to 1e-10 when not given.
        start: Where the iteration begins, shape (bodies, width); at zero when not given.
        ranks: The ranks of an MPI job, as many as nodes.

    Returns:
        What was found; None on all ranks but the first.

    Raises:
        InvalidModel: The machine is no chain, or has a body without mass.
        InvalidInput: There are more nodes than bodies; a number is not finite; the iteration takes
            one joint after the other.
        DidNotConverge: The iteration did not; on all ranks.
    """
    chain = chain_of(mechanism)
    segments, how = shared_out(len(chain), nodes), solving or Solving()
    iteration = how.three_term
    state = checked_state(chain, q, v, np.zeros(mechanism.nv) if tau is None else tau)
    begin = None if start is None else np.asarray(start, dtype=np.float64)
    if begin is not None and begin.shape != (len(chain), chain.jointed.structure.width):
        raise InvalidInput(
            f"start of the iteration has shape {begin.shape}; expected "
            f"{(len(chain), chain.jointed.structure.width)}: bodies, forces of a joint."
        )

    def program(node: int, count: int) -> Program:
        own = segments[node]
        dynamics = SegmentDynamics(chain, own, iteration, how.stopping)
        mine = chain.cut(own, *state)
        return _told(dynamics, mine, None if begin is None else begin[own.first : own.stop])

    finished = run_nodes(program, nodes, ranks=ranks)
    if finished is None:
        return None
    first = finished.results[0]
    return SharedForces(
        np.concatenate([told["a"] for told in finished.results]),
        np.concatenate([told["f"] for told in finished.results]),
        first["iterations"],
        first["residual"],
        finished.traffic,
    )


def _told(
    dynamics: SegmentDynamics, state: tuple[Array, Array, Array], start: Array | None
) -> Program:
    """An evaluation whose result can be told: plain data."""
    found = yield from dynamics.evaluated(*state, start)
    told: dict[str, Any] = {"a": found.a.tolist(), "f": found.f.tolist()}
    return told | {"iterations": found.iterations, "residual": found.residual}


def checked_state(
    chain: Chain, q: ArrayLike, v: ArrayLike, tau: ArrayLike
) -> tuple[Array, Array, Array]:
    """Positions, velocities and joint forces of a chain.

    Raises:
        InvalidInput: One has another shape, or a number that is not finite.
    """
    m = chain.mechanism
    checked = []
    for name, given, size, body_of in (
        ("q", q, m.nq, chain.body_of_position),
        ("v", v, m.nv, chain.body_of_freedom),
        ("tau", tau, m.nv, chain.body_of_freedom),
    ):
        numbers = np.array(given, dtype=np.float64)
        if numbers.shape != (size,):
            raise InvalidInput(
                f"'{name}' of mechanism '{m.name}' has shape {numbers.shape}; expected ({size},)."
            )
        wrong = np.flatnonzero(~np.isfinite(numbers))
        if len(wrong):
            raise InvalidInput(
                f"'{name}' of mechanism '{m.name}' is {numbers[wrong[0]]} at the joint that "
                f"carries body '{body_of(int(wrong[0]))}'; expected finite numbers."
            )
        checked.append(numbers)
    return checked[0], checked[1], checked[2]
