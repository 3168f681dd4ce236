"""Base parameters: the identifiable combinations of inertial parameters.

At random states, columns of the regressor are taken one after the other, from the root outward.
One that the columns before it already span is dependent: its parameter is felt only together with
theirs, and joins them. What is left is the smallest set with which all torques can be computed.

Reference:
    Gautier, Numerical calculation of the base inertial parameters of robots (1991).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from phalanx.base.arguments import checked, numbers, whole
from phalanx.base.errors import InvalidInput
from phalanx.base.short_repr import short_repr
from phalanx.dynamics import Dynamics
from phalanx.identification.incremental_qr import triangle
from phalanx.identification.parameters import checked_terms, columns, names_of
from phalanx.mechanism import Mechanism
from phalanx.planning.paths.machine import dynamics_of

Array = NDArray[np.float64]

STATES = 400
DEPENDENT = 1e-9  # of a column: what is left of it after the others
NONE = 1e-9  # of the largest share of a combination
SEED = 20_250_101


@short_repr
@final
@dataclass(frozen=True, eq=False)
class BaseParameters:
    """Base parameters: the combinations that torques depend on.

    Attributes:
        names: All parameters, as columns of the regressor are called.
        independent: Which of them lead a combination, shape (p,).
        combination: Base parameters are ``combination @ parameters``; shape (p, parameters).
        unseen: Parameters without any effect on torques.
        scale: How large each leading column is at random states, root of the mean square; (p,).
    """

    names: tuple[str, ...]
    independent: NDArray[np.intp]
    combination: Array
    unseen: tuple[str, ...]
    scale: Array

    def __len__(self) -> int:
        return len(self.independent)

    @property
    def leaders(self) -> tuple[str, ...]:
        """The parameter that leads each combination."""
        return tuple(self.names[k] for k in self.independent)

    @property
    def expressions(self) -> tuple[str, ...]:
        """Each combination as text, such as ``link_2.Ixx - link_2.Iyy + 0.0432 link_3.m``."""
        return tuple(_text(row, self.names) for row in self.combination)

    def of(self, values: Any) -> Array:
        """Base parameters of all parameters, shape (p,)."""
        given = numbers("values", values)
        if given.shape != (len(self.names),):
            raise InvalidInput(
                f"values of shape {given.shape}; expected {len(self.names)}, one of each parameter."
            )
        return self.combination @ given

    def __str__(self) -> str:
        """The combinations, one a line, and what is unseen."""
        lines = [f"{len(self)} base parameters of {len(self.names)}:"]
        lines += [f"  {text}" for text in self.expressions]
        return "\n".join([*lines, f"without effect: {', '.join(self.unseen) or 'none'}"])


@checked
def base_parameters(
    machine: Mechanism | Dynamics, *, terms: Sequence[str] = (), seed: int = SEED
) -> BaseParameters:
    """The base parameters of a machine.

    Args:
        machine: A mechanism, or its dynamics.
        terms: Parameters of joints beside those of bodies: ``"rotor_inertia"`` (as the joint feels
            it), ``"damping"``, ``"friction"``.
        seed: Of the random states.

    Raises:
        InvalidInput: When a term is not known.
        InvalidModel: When the machine has loops, or joints whose positions are no numbers.
    """
    dynamics, chosen = dynamics_of(machine), checked_terms(terms)
    m = dynamics.mechanism
    rng = np.random.default_rng(whole("seed", seed, least=0))
    q = m.random_positions(STATES, seed=seed)
    v, a = rng.normal(size=(2, STATES, m.nv)) * [[[2.0]], [[10.0]]]
    W = columns(dynamics, q, v, a, chosen).reshape(STATES * m.nv, -1)
    return _grouped(triangle(W) / np.sqrt(len(W)), names_of(m, chosen))


def _grouped(W: Array, names: tuple[str, ...]) -> BaseParameters:
    """Base parameters of columns whose lengths and angles are those of the regressor's."""
    size = np.linalg.norm(W, axis=0)
    seen = size > DEPENDENT * size.max()
    basis = np.empty((0, len(W)))
    independent = []
    for k in np.flatnonzero(seen):
        rest = W[:, k] / size[k]
        for _ in range(2):  # once more takes away what rounding left
            rest = rest - basis.T @ (basis @ rest)
        left = float(np.linalg.norm(rest))
        if left > DEPENDENT:
            basis = np.vstack([basis, rest / left])
            independent.append(int(k))
    leading = np.array(independent, dtype=np.intp)
    lengths = size[leading][:, None]
    shares = np.linalg.lstsq(W[:, leading] / lengths.T, W, rcond=None)[0] / lengths
    shares[:, leading] = np.eye(len(leading))
    shares[:, ~seen] = 0.0
    # compared by what they do to torques, so that units do not matter
    effect = np.abs(shares) * lengths / np.where(seen, size, 1.0)
    shares[effect < NONE] = 0.0
    unseen = tuple(name for name, felt in zip(names, seen, strict=True) if not felt)
    return BaseParameters(names, leading, shares, unseen, size[leading])


def _text(row: Array, names: Sequence[str]) -> str:
    order = [int(k) for k in np.flatnonzero(row)]
    lead = [k for k in order if row[k] == 1.0][:1]
    parts: list[str] = []
    for k in [*lead, *(k for k in order if k not in lead)]:
        size = abs(row[k])
        word = names[k] if abs(size - 1) < 1e-9 else f"{size:.4g} {names[k]}"
        sign = ("" if row[k] > 0 else "-") if not parts else (" + " if row[k] > 0 else " - ")
        parts.append(sign + word)
    return "".join(parts)
