"""States by chance, as many as one likes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from phalanx.equations.expression import POSITIONS

if TYPE_CHECKING:
    from phalanx.cli.states import Array
    from phalanx.kernel import Kernel
    from phalanx.mechanism import Mechanism


class RandomStates:
    """Positions within the joint limits; velocities, accelerations, forces normal with width 1.

    State k depends on the seed and on k alone: each page of states has a generator of its own.
    """

    PAGE = 1024

    def __init__(self, mechanism: Mechanism, kernel: Kernel, count: int, seed: int) -> None:
        """Draw nothing yet."""
        self.count = count
        self._mechanism, self._kernel, self._seed = mechanism, kernel, seed

    def chunks(self, size: int) -> Iterator[list[Array]]:
        """Draw as needed, so that any number of samples fits into memory."""
        for start in range(0, self.count, size):
            stop = min(start + size, self.count)
            pages = range(start // self.PAGE, -(-stop // self.PAGE))
            drawn = [self._page(page) for page in pages]
            here = slice(start - pages.start * self.PAGE, stop - pages.start * self.PAGE)
            yield [
                np.concatenate(parts)[here].astype(self._kernel.dtype)
                for parts in zip(*drawn, strict=True)
            ]

    def _page(self, page: int) -> list[Array]:
        rng = np.random.default_rng((self._seed, page))
        return [
            self._mechanism.random_positions(self.PAGE, rng)
            if port.name in POSITIONS
            else rng.standard_normal((self.PAGE, *port.shape))
            for port in self._kernel.inputs
        ]
