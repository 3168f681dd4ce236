"""Dig site: the load of a bucket comes out of a terrain and goes back to it.

Compiled code knows one height, that of the ground before the cutting edge. A site looks at the
machine now and then, moves as much soil in the terrain as the load changed since, and gives the
next height. So soil is conserved whatever the steps in between did:

    density · (gained on the grid + moved beyond its rim) + load = load at first.
"""

from __future__ import annotations

from copy import copy
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from phalanx.base.errors import InvalidInput
from phalanx.dynamics import Dynamics
from phalanx.ground.ground import UP, Ground
from phalanx.ground.terrain import Terrain
from phalanx.mechanism import Mechanism

AHEAD = 2.0  # cells; where the ground is not touched by what was dug at the edge


@final
class DigSite:
    """A machine, its ground and the terrain they work in."""

    def __init__(
        self, mechanism: Mechanism, ground: Ground, terrain: Terrain, load: float = 0.0
    ) -> None:
        """Begin with a load [kg] in the bucket.

        Raises:
            InvalidInput: When ground and terrain are of different soils.
            UnknownName: When the machine lacks the ground's frames.
        """
        ground.quantities(mechanism)
        if terrain.soil != ground.soil:
            raise InvalidInput(
                f"the terrain is of {terrain.soil} and the ground of {ground.soil}; "
                "give both the same soil."
            )
        self.ground, self.terrain = ground, terrain
        self._load = _checked(load)
        self._pose = Dynamics(mechanism, threads=1)

    def update(self, q: ArrayLike, load: float) -> float:
        """Move soil as the load says.

        Args:
            q: Positions of the machine, shape (nq,).
            load: In the bucket now [kg].

        Returns:
            Height of the ground before the edge [m], the ground's next ``surface``.
        """
        (x, y, z), heading = self._edge(q)
        load = _checked(load)
        taken = (load - self._load) / self.ground.soil.density
        width = self.ground.bucket.width
        if taken > 0:
            self.terrain.dig(x, y, taken, width, heading, floor=z)
        elif taken < 0:
            self.terrain.dump(x, y, -taken, width, heading)
        self._load = load
        return self._before(x, y, heading)

    @property
    def load(self) -> float:
        """In the bucket when soil was last moved [kg]."""
        return self._load

    def elsewhere(self, terrain: Terrain, load: float) -> DigSite:
        """The same machine and ground at another terrain of that soil, with a load [kg]."""
        site = copy(self)
        site.terrain, site._load = terrain, _checked(load)
        return site

    def surface(self, q: ArrayLike) -> float:
        """Height of the ground before the edge [m]; nothing moves."""
        (x, y, _), heading = self._edge(q)
        return self._before(x, y, heading)

    def _edge(self, q: ArrayLike) -> tuple[tuple[float, float, float], float]:
        """Where the edge is [m], and in which direction it cuts, about z from x [rad]."""
        X = np.asarray(self._pose.forward_kinematics(q, frame=self.ground.edge))
        forward = X[:3, :3] @ np.array(self.ground.bucket.forward)
        inward = X[:3, :3] @ np.array(self.ground.bucket.inward)
        ahead = inward[UP] * forward - forward[UP] * inward
        x, y, z = (float(X[k, 3]) for k in range(3))
        return (x, y, z), float(np.arctan2(ahead[1], ahead[0]))

    def _before(self, x: float, y: float, heading: float) -> float:
        reach = AHEAD * self.terrain.cell
        return float(
            self.terrain.height_at(x + reach * np.cos(heading), y + reach * np.sin(heading))
        )


def _checked(load: float) -> float:
    if not 0 <= load < np.inf:
        raise InvalidInput(f"the load of a bucket is {load} kg; expected a number from 0.")
    return float(load)
