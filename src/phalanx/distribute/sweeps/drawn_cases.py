"""Random (Monte Carlo) and quasi-random (Sobol, Halton) cases."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal, final

import numpy as np

from phalanx.base import arguments
from phalanx.base.cached import cached_property
from phalanx.base.errors import InvalidInput, UnknownName, shown
from phalanx.distribute.sweeps.cases import Array, Cases, ColumnType, check_names
from phalanx.distribute.sweeps.distributions import Distribution

METHODS = ("sobol", "halton", "latin")
_BLOCK = 4  # numbers that a Philox counter stands for
_LARGEST_LATIN = 2**27  # numbers of a Latin hypercube, which is made at once: 1 GB


class _Drawn(Cases):
    """Distributions by name, and how many cases."""

    kind = ""

    def __init__(self, spreads: Mapping[str, Distribution], cases: int) -> None:
        """Keep them.

        Raises:
            InvalidInput: When a value is no distribution, or there are none.
        """
        check_names(list(spreads))
        for name, spread in spreads.items():
            if not isinstance(spread, Distribution):
                raise InvalidInput(
                    f"'{name}' is {shown(spread)}; expected a distribution, such as "
                    "Uniform(0.9, 1.1)."
                )
        if not spreads:
            raise InvalidInput("random cases need something to vary; got no names.")
        self.spreads = dict(spreads)
        self.count = arguments.whole("cases", cases)

    def __len__(self) -> int:
        """How many cases."""
        return self.count

    @property
    def columns(self) -> Mapping[str, ColumnType]:
        """One a distribution."""
        return {
            name: ColumnType(s.shape, np.dtype(np.int32 if s.labels else np.float64), s.labels)
            for name, s in self.spreads.items()
        }

    def to_data(self) -> dict[str, Any]:
        """As plain data."""
        spreads = {name: spread.to_data() for name, spread in self.spreads.items()}
        return {"kind": self.kind, "cases": self.count, "values": spreads}


@final
class Random(_Drawn):
    """Independent cases by chance.

    Each name has a stream of random numbers of its own, from the study's seed and the name, in
    which every case has its place (Philox, a counter with a key): another name more changes no
    value of the others.

    >>> px.sweeps.Random({"link_3.mass": px.sweeps.Uniform(0.9, 1.1)}, cases=10_000)
    """

    kind = "random"

    def values(self, first: int, count: int, seed: int) -> dict[str, Array]:
        """Drawn for each case by its number."""
        return {
            name: spread.spread(shares(seed, name, first, count, spread.shape))
            for name, spread in self.spreads.items()
        }


def shares(seed: int, name: str, first: int, count: int, shape: tuple[int, ...]) -> Array:
    """Random numbers within (0, 1) of some cases, shape (count, ...)."""
    key = np.random.SeedSequence([seed, *name.encode()]).generate_state(2, np.uint64)
    width = math.prod(shape)
    begin, skip = divmod(first * width, _BLOCK)
    stream = np.random.Philox(key=key)
    stream.advance(begin)
    raw = stream.random_raw(skip + count * width)[skip:]
    # 53 bits, and half a bit more: neither 0 nor 1, where some distributions have no end
    return np.asarray(((raw >> 12) + 0.5) * 2.0**-52).reshape(count, *shape)


@final
class Quasi(_Drawn):
    """Cases that fill the space of all names more evenly than chance does (SciPy's ``qmc``).

    Methods: ``sobol`` and ``halton`` (scrambled by the study's seed), which may be cut short, and
    ``latin`` for a Latin hypercube.
    """

    kind = "quasi"

    def __init__(
        self,
        spreads: Mapping[str, Distribution],
        cases: int,
        method: Literal["sobol", "halton", "latin"] = "sobol",
    ) -> None:
        """Keep them; see above for the methods.

        Raises:
            UnknownName: When there is no such method.
            InvalidInput: When there are more cases or dimensions than the method has.
        """
        super().__init__(spreads, cases)
        if method not in METHODS:
            raise UnknownName("Quasi", "method", method, METHODS)
        self.method = method
        if method == "sobol" and self.count > 2**30:
            raise InvalidInput(f"cases={cases}; a Sobol sequence has 2**30 at most. Use halton.")
        if method == "latin" and self.count * self.dimensions > _LARGEST_LATIN:
            raise InvalidInput(
                f"a Latin hypercube of {cases} cases in {self.dimensions} dimensions is made at "
                "once and would take over 1 GB; use sobol or halton."
            )

    @cached_property
    def dimensions(self) -> int:
        """Numbers a case."""
        return sum(math.prod(spread.shape) for spread in self.spreads.values())

    def values(self, first: int, count: int, seed: int) -> dict[str, Array]:
        """Points by number."""
        points = np.clip(self._points(first, count, seed), 2.0**-53, 1 - 2.0**-53)
        found, begin = {}, 0
        for name, spread in self.spreads.items():
            end = begin + math.prod(spread.shape)
            part = points[:, begin:end].reshape(count, *spread.shape)
            found[name], begin = spread.spread(part), end
        return found

    def _points(self, first: int, count: int, seed: int) -> Array:
        from scipy.stats import qmc

        if self.method == "latin":
            return self._latin(seed)[first : first + count]
        if self.method == "halton":
            engine = qmc.Halton(self.dimensions, seed=seed)
            return np.asarray(engine.fast_forward(first).random(count))
        engine = qmc.Sobol(self.dimensions, bits=30, seed=seed)
        if first:
            return np.asarray(engine.fast_forward(first).random(count))
        # the first point by itself: SciPy warns of first calls that are no powers of two, and the
        # cut says nothing about how many cases there are
        parts = [engine.random(1)] + ([engine.random(count - 1)] if count > 1 else [])
        return np.concatenate(parts)

    def _latin(self, seed: int) -> Array:
        from scipy.stats import qmc

        made: dict[int, Array] = self.__dict__.setdefault("_made", {})
        if seed not in made:
            made.clear()
            made[seed] = qmc.LatinHypercube(self.dimensions, seed=seed).random(self.count)
        return made[seed]

    def to_data(self) -> dict[str, Any]:
        """As plain data."""
        return super().to_data() | {"method": self.method}
