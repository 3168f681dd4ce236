"""Operation and message times of a mesh's nodes and links."""

from __future__ import annotations

from dataclasses import dataclass, replace

from phalanx.base.errors import UnknownName
from phalanx.hardware.mesh.shape import Shape
from phalanx.multiprocessor.computers.message_passing import MessagePassing
from phalanx.multiprocessor.computers.speed import Speed


@dataclass(frozen=True)
class MeshCosts:
    """The times of one kind of node and link.

    Attributes:
        name: Display name.
        speed: Of every node.
        start_up: Time to set up a message on a link.
        per_word: Time for each number in it.
        unit: Of all times.
        overhead: Time of the node that sends a message, before the link takes it.
        blocking: Whether the nodes at both ends of a link wait while it carries a message.
    """

    name: str
    speed: Speed
    start_up: float
    per_word: float
    unit: str = "s"
    overhead: float = 0.0
    blocking: bool = False

    @property
    def without_overlap(self) -> MeshCosts:
        """The same with messages that hold the nodes at both ends, as on the source's machine."""
        return replace(self, name=f"{self.name}, blocking", blocking=True)


CYCLES = MeshCosts("cycles", Speed(task=1.0), 1.0, 0.0, "cycles")
"""One cycle for every task of the source's tables, and one for a message beside it."""

T800 = MeshCosts(
    "T800",
    # of the source: × 1 µs, + 0.5 µs, sine or cosine 7 µs; a division counts as ×. Roots and
    # comparisons are not given there: a root as another elementary function, the rest as +.
    Speed(0.5e-6, 1e-6, 1e-6, sqrt=7e-6, sincos=14e-6, other=0.5e-6),
    start_up=0.0,
    per_word=4e-6,  # a message of three numbers takes 12 µs
)
"""Transputers of 1991, by the source's own numbers."""

# of the source, table 5.5 and §5.5.1 [s]: a vector sum of three additions, the mean of three
# products A v of (9 x, 6 +), a loop over all of c, rho, J c and m rho x c, and that without the
# steps of c and rho. Of the 2260 µs for H, six whole loops and four of the other kind leave 166 µs
# for the rotations of four bodies.
_SUM, _PRODUCT, _LOOP, _SHORT_LOOP, _ALL_OF_H = 18e-6, 191e-6 / 3, 275e-6, 111e-6, 2260e-6
_MEASURED_ADD = _SUM / 3
_MEASURED_MULTIPLY = (_PRODUCT - 6 * _MEASURED_ADD) / 9
_ROTATION = (_ALL_OF_H - 6 * _LOOP - 4 * _SHORT_LOOP) / 4

T800_MEASURED = MeshCosts(
    "T800, measured",
    Speed(
        _MEASURED_ADD,
        _MEASURED_MULTIPLY,
        _MEASURED_MULTIPLY,
        sqrt=(_ROTATION - 4 * _MEASURED_MULTIPLY) / 2,
        sincos=_ROTATION - 4 * _MEASURED_MULTIPLY,
        other=_MEASURED_ADD,
    ),
    start_up=0.0,
    per_word=4e-6,
)
"""Transputers of 1991 as the source measured them, with indexing of arrays and calls."""

CLUSTER = MeshCosts("cluster", Speed(3e-10, 3e-10, 2e-9, 2e-9, 6e-9, 1e-9), 1e-6, 6.4e-10)
"""Nodes of today with a network card each: a microsecond a message, 100 Gbit/s."""

CORES = MeshCosts("cores", Speed(3e-10, 3e-10, 2e-9, 2e-9, 6e-9, 1e-9), 1e-7, 1e-9)
"""Cores of one chip that pass a line of their cache: a tenth of a microsecond."""

ON_CHIP = MeshCosts("on-chip mesh", Speed(1e-9, 1e-9, 8e-9, 8e-9, 2e-8, 1e-9), 1e-9, 1e-9)
"""Small cores at 1 GHz with links from register to register: a cycle a hop and a number."""

COSTS = {
    "cycles": CYCLES,
    "t800": T800,
    "t800-measured": T800_MEASURED,
    "cluster": CLUSTER,
    "cores": CORES,
    "on-chip": ON_CHIP,
}
"""Costs by the names that the command line uses."""


def costs_by_name(name: str) -> MeshCosts:
    """One of the tables above.

    Raises:
        UnknownName: There is none of this name.
    """
    if name not in COSTS:
        raise UnknownName("the mesh", "table of costs", name, COSTS)
    return COSTS[name]


def mesh_computer(shape: Shape, costs: MeshCosts = T800) -> MessagePassing:
    """A mesh of transputers: private memories, messages along declared links alone.

    Each link moves its message beside the computation (a controller of its own), in both directions
    at a time, unless the costs say that sends are blocking. All nodes of a bus hear what one of
    them sends.
    """
    return MessagePassing(
        len(shape.nodes),
        costs.speed,
        costs.unit,
        f"{costs.name} mesh",
        topology=shape.topology,
        start_up=costs.start_up,
        per_word=costs.per_word,
        broadcast=shape.buses,
        overhead=costs.overhead,
        blocking=costs.blocking,
    )
