"""Joint forces and external wrenches over time, of one segment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from phalanx.base.arguments import unfit
from phalanx.base.errors import InvalidInput
from phalanx.distribute.job_data import plain_data
from phalanx.distribute.processes.messages import Array
from phalanx.distribute.programs.chains.chain import ChainModel
from phalanx.distribute.programs.chains.segments import Segment
from phalanx.dynamics.evaluators.constraint_forces.part import nodes_of
from phalanx.dynamics.evaluators.frame_wrenches import FrameWrenches
from phalanx.simulation.setup.profile import Profile

plain_data(Profile)

_WRENCH = 6  # numbers of a wrench: force, then moment


@final
class LoadsOverTime:
    """Joint forces of a segment, and wrenches on the bodies within its reach.

    Every process evaluates the wrenches on its own bodies and on those next to them: tables are
    part of the job, so that no message is needed.
    """

    def __init__(
        self,
        chain: ChainModel,
        segment: Segment,
        tau: Profile,
        wrenches: Mapping[str, Profile],
    ) -> None:
        """Take the columns and nodes of the segment; profiles as :func:`checked_loads` has them."""
        own = chain.velocities_of(segment.joints)
        self._tau = Profile(tau.time, tau.values[:, own], tau.between)
        self._profiles = tuple(wrenches.values())
        self._frames = FrameWrenches(chain.jointed.bodies, tuple(wrenches))
        self._nodes = nodes_of(chain.jointed, segment.reach)

    def forces(self, t: float) -> Array:
        """Joint forces at a time [N or N·m], shape (nv of the segment,)."""
        return _at(self._tau, t)

    def external(self, t: float) -> Array | None:
        """Wrenches on the nodes within reach, shape (nodes, 6); None without any."""
        on_nodes = self._frames.on_nodes([_at(one, t)[None] for one in self._profiles])
        return None if on_nodes is None else on_nodes[0, self._nodes]


def checked_loads(
    chain: ChainModel,
    tau: ArrayLike | Profile | None,
    wrenches: Mapping[str, ArrayLike | Profile],
) -> tuple[Profile, dict[str, Profile]]:
    """Return joint forces and wrenches as tables over time; a constant has one row.

    Raises:
        UnknownName: There is no frame or body of this name.
        InvalidInput: One has another number of columns, or a number that is not finite.
    """
    m = chain.mechanism
    forces = _table("tau", np.zeros(m.nv) if tau is None else tau, m.nv, m.name)
    if not isinstance(wrenches, Mapping):
        raise unfit("wrenches", wrenches, "frames with the wrench on each")
    found = {}
    for frame, wrench in wrenches.items():
        m.frame(frame)
        found[frame] = _table(f"the wrench on '{frame}'", wrench, _WRENCH, m.name)
    return forces, found


def _table(name: str, given: ArrayLike | Profile, size: int, machine: str) -> Profile:
    if isinstance(given, Profile):
        table = given
    else:
        try:
            numbers = np.array(given, dtype=np.float64)
        except (TypeError, ValueError):
            raise unfit(name, given, "numbers or a Profile") from None
        if numbers.shape != (size,):
            raise InvalidInput(
                f"{name} of mechanism '{machine}' has shape {numbers.shape}; expected ({size},), "
                "or a Profile of as many columns."
            )
        if not np.isfinite(numbers).all():
            raise InvalidInput(f"{name} of mechanism '{machine}' is {numbers}; it must be finite.")
        table = Profile(np.zeros(1), numbers[None])
    if table.values.shape[1] != size:
        raise InvalidInput(
            f"{name} of mechanism '{machine}' has {table.values.shape[1]} columns; expected {size}."
        )
    return table


def _at(table: Profile, t: float) -> Array:
    """Values at a time; those of a constant at once."""
    values: Array = table.values[0] if len(table.time) == 1 else table(t)
    return values
