"""What differs from run to run by chance: where it begins, and numbers of the machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from phalanx.base.errors import InvalidInput

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from phalanx.mechanism import Mechanism


def draw_factors(
    mechanism: Mechanism, wanted: list[str], count: int, seed: int
) -> dict[str, NDArray[Any]]:
    """A factor a run for every ``name=low:high``, evenly spread between the two.

    Raises:
        InvalidInput: When an entry is not of that form.
        UnknownName: When the machine has no such number.
    """
    import numpy as np

    from phalanx.equations.tree.parameters import parameter_value

    rng = np.random.default_rng((seed, 1))
    factors: dict[str, NDArray[Any]] = {}
    for entry in wanted:
        name, _, span = entry.partition("=")
        try:
            low, high = (float(word) for word in span.split(":"))
        except ValueError:
            low, high = np.nan, np.nan
        if not 0 < low <= high < np.inf:
            raise InvalidInput(
                f"--randomise {entry}: expected NAME=LOW:HIGH with positive factors, such as "
                "link_3.mass=0.9:1.1."
            )
        if name in factors:
            raise InvalidInput(f"--randomise {name} comes twice.")
        parameter_value(mechanism, name)
        factors[name] = rng.uniform(low, high, count)
    return factors


def parameter_values(mechanism: Mechanism, name: str, factors: NDArray[Any]) -> NDArray[Any]:
    """The machine's number or numbers, each run's times its factor: (runs,) or (runs, size)."""
    from phalanx.equations.tree.parameters import parameter_value

    value = parameter_value(mechanism, name)
    return factors * value[0] if value.size == 1 else factors[:, None] * value


def initial_states(
    mechanism: Mechanism,
    given: tuple[NDArray[Any] | None, NDArray[Any] | None],
    count: int,
    seed: int,
    dtype: Any,
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Where runs start: (runs, nq) and (runs, nv); with loops, closed postures by turns."""
    import numpy as np

    q, v = given
    if q is None and mechanism.loops:
        from phalanx.cli.closed_states import drawn_postures

        closed = drawn_postures(mechanism, seed)
        start = closed[np.arange(count) % len(closed)]
    elif q is None:
        start = mechanism.random_positions(count, np.random.default_rng((seed, 0)))
    else:
        start = np.tile(q, (count, 1))
    speed = np.zeros((count, mechanism.nv)) if v is None else np.tile(v, (count, 1))
    return start.astype(dtype), speed.astype(dtype)
