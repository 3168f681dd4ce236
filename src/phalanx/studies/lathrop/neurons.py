"""Inverse dynamics with neurons as multipliers: error against their number.

A dendrite answers to two inputs with a term proportional to g1 - alpha g1 g2. A side branch brings
g1 once more and cancels the linear term, so that the product is left. Neither is exact. Here both
the strength alpha and the cancellation scatter from one multiplier to the next, many of them do
each product of a scalar program side by side, and their mean is taken.

Reference:
    Lathrop (1983), sec. VIII, after Torre and Poggio.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from phalanx.base.arguments import check_fields, checked
from phalanx.base.errors import InvalidInput
from phalanx.equations import inverse_dynamics
from phalanx.equations.expression import expression
from phalanx.kernel.graph.graph import Graph
from phalanx.kernel.graph.passes.simplify import simplify
from phalanx.kernel.graph.read_casadi import read_casadi, scalar_function
from phalanx.mechanism import Mechanism
from phalanx.multiprocessor.plans.evaluate import evaluate_nodes, given_values

Numbers = NDArray[np.float64]


@final
@dataclass(frozen=True)
class Dendrites:
    """Multipliers that scatter.

    Attributes:
        replicas: How many do each product.
        scatter: Standard deviation of strength and cancellation, as parts of them.
        alpha: How strong the product is beside the linear term.
    """

    replicas: int
    scatter: float = 0.1
    alpha: float = 0.5

    def __post_init__(self) -> None:
        check_fields(self)
        if self.replicas < 1:
            raise InvalidInput(f"{self.replicas} multipliers for a product; at least one does it.")
        if not (self.alpha > 0 and self.scatter >= 0):
            raise InvalidInput(
                f"alpha {self.alpha} and scatter {self.scatter}; alpha must be positive and the "
                "scatter not negative."
            )

    def product(self, g1: Numbers, g2: Numbers, noise: np.random.Generator) -> Numbers:
        """The mean answer of all replicas to two inputs, one or several experiments at a time."""
        g1, g2 = np.broadcast_arrays(g1, g2)
        strength, side = 1 + self.scatter * noise.normal(size=(2, self.replicas, *g1.shape))
        answer = g1 - self.alpha * strength * g1 * g2
        product: Numbers = ((side * g1 - answer) / self.alpha).mean(axis=0)
        return product


@checked
def torque_error(
    mechanism: Mechanism,
    dendrites: Dendrites,
    inputs: tuple[Any, Any, Any],
    experiments: int = 30,
    seed: int = 0,
) -> float:
    """How wrong torques are whose every product is done by neurons.

    Additions are exact, as are sines and cosines.

    Args:
        mechanism: The machine.
        dendrites: Its multipliers.
        inputs: Positions, velocities and accelerations, shapes (nq,), (nv,), (nv,).
        experiments: How often all of it is done.
        seed: Of the scatter.

    Raises:
        InvalidInput: No experiment, or inputs that do not fit.

    Returns:
        Root mean square of the error over experiments and joints, as part of that of the torques.
    """
    if experiments < 1 or seed < 0:
        raise InvalidInput(
            f"{experiments} experiments with seed {seed}; there must be at least one, and a seed "
            "is not negative."
        )
    function = expression(inverse_dynamics.recursive, mechanism)
    program = simplify(read_casadi(scalar_function(function)))
    exact = _torques(program, inputs, None, 1, seed)
    noisy = _torques(program, inputs, dendrites, experiments, seed)
    return float(np.sqrt(np.mean((noisy - exact) ** 2) / np.mean(exact**2)))


def _torques(
    program: Graph, inputs: tuple[Any, ...], dendrites: Dendrites | None, count: int, seed: int
) -> Numbers:
    """Torques of each experiment, shape (nv, count)."""
    noise = np.random.default_rng(seed)
    leaves = ("const", "input")
    operations = dict.fromkeys(n for n, node in enumerate(program.nodes) if node.op not in leaves)
    repeated = [np.repeat(np.asarray(array)[..., None], count, axis=-1) for array in inputs]
    values = given_values(program, repeated, operations, count)
    for n in operations:
        node = program.nodes[n]
        if node.op == "mul" and dendrites is not None:
            g1, g2 = (np.broadcast_to(values[a], count) for a in node.args)
            values[n] = dendrites.product(g1, g2, noise)
        else:
            evaluate_nodes(program, (n,), values)
    return np.array([np.broadcast_to(values[n], count) for n in program.results[0]])
