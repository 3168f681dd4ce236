"""Bodies of a chain shared out: consecutive ones to a node, as equally many as possible."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from phalanx.base.errors import InvalidInput


@final
@dataclass(frozen=True)
class Segment:
    """The bodies of one node.

    Attributes:
        node: Which node.
        first: Its first body; stop: the one after its last.
        bodies: How many the whole chain has.
    """

    node: int
    first: int
    stop: int
    bodies: int

    def __len__(self) -> int:
        """How many bodies it has."""
        return self.stop - self.first

    @property
    def before(self) -> int:
        """How many bodies of the node before are looked at: one, or none at the root."""
        return int(self.first > 0)

    @property
    def after(self) -> int:
        """How many bodies of the node after are looked at: one, or none at the tip."""
        return int(self.stop < self.bodies)

    @property
    def reach(self) -> tuple[int, int]:
        """Its bodies together with those of neighbours: the first, and the one after the last."""
        return self.first - self.before, self.stop + self.after

    @property
    def own(self) -> slice:
        """Its bodies among those within reach."""
        return slice(self.before, self.before + len(self))


def shared_out(bodies: int, nodes: int) -> tuple[Segment, ...]:
    """A segment for each node; the first ones have a body more where it does not come out even.

    Raises:
        InvalidInput: There are more nodes than bodies, or none.
    """
    if nodes < 1:
        raise InvalidInput(f"a chain on {nodes} nodes; expected at least one.")
    if nodes > bodies:
        raise InvalidInput(
            f"a chain of {bodies} bodies cannot be shared out to {nodes} nodes (or ranks): every "
            f"one needs a body of its own. Take {bodies} at most."
        )
    size, more = divmod(bodies, nodes)
    firsts = [node * size + min(node, more) for node in range(nodes + 1)]
    return tuple(Segment(node, firsts[node], firsts[node + 1], bodies) for node in range(nodes))
