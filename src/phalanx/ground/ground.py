"""Bucket-soil interaction: cutting resistance, bearing, and a load that is dug and dumped.

Wong's excavator moves in the air; this is beyond that source, and a run has it only when asked for.

All forces take power from the machine or hold it up:

- cutting acts against the motion of the edge with the draft of the fundamental equation of
  earthmoving;
- the floor of the bucket does not go through soil: it is pushed back with the soil's bearing
  capacity when it moves outwards, and slides freely along itself;
- the edge carries with that capacity P while it goes down, with P/2 at rest and with nothing while
  it rises: a spring of half the force, and friction of the other half;
- soil that enters was at rest and needs the force -(dm/dt) v where it comes to lie; soil that
  leaves takes its momentum along.

Forces against motion fade below a slip speed, so what only the floor holds up sinks slowly.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import final

import casadi as ca
import numpy as np
from casadi import DM, SX
from numpy.typing import ArrayLike

from phalanx.actuators.subsystem import Array, Quantity, Response, Surroundings
from phalanx.base.errors import InvalidInput
from phalanx.equations.quantities.kinematics import forward_kinematics, jacobian
from phalanx.equations.tree.model import Model
from phalanx.ground.bucket import Bucket
from phalanx.ground.earthmoving import bearing_capacity, draft
from phalanx.ground.fields import check_between
from phalanx.ground.soil import LOAM, STANDARD_GRAVITY, Soil
from phalanx.mechanism import Mechanism

TRACKS = -0.93  # m, underside of the 215B's tracks in its root frame
UP = 2


@final
@dataclass(frozen=True)
class Contact:
    """Contact of bucket and soil at a state.

    Attributes:
        depth: Of the edge below the surface [m], 0 above it.
        resistance: Size of the force against the motion of the edge, at full speed [N].
        bearing: What the soil under the edge can carry [N].
        pressing: What the soil outside the floor can carry [N].
        force: On the edge, in world axes [N], shape (3,).
        filling: Soil that enters [kg/s].
        leaving: Soil that runs out [kg/s].
        jacobian: Of the edge, world axes, shape (3, nv).
    """

    depth: SX
    resistance: SX
    bearing: SX
    pressing: SX
    force: SX
    filling: SX
    leaving: SX
    jacobian: SX


@final
@dataclass(frozen=True)
class Ground(Surroundings):
    """Soil under a machine with a bucket. Its state is the load in the bucket [kg].

    Told from outside is ``surface``, the height of the ground at the edge [m] in the root frame,
    whose z points up; a level ground unless a terrain says otherwise.

    Attributes:
        soil: What the ground is made of.
        bucket: What digs.
        surface: Height of level ground [m].
        edge: Frame in the middle of the cutting edge; ``bucket.forward`` is in its axes.
        payload: A body fixed in the bucket, a point whose mass becomes that of the load.
        slip: Speed below which forces against the motion fade [m/s]. Explicit integrators need
            steps of about 2 · slip · (mass felt at the edge) / force.
        spill_time: Time constant at which soil runs out of a bucket that cannot hold it [s].
    """

    soil: Soil = LOAM
    bucket: Bucket = field(default_factory=Bucket)
    surface: float = TRACKS
    edge: str = "teeth"
    payload: str = "payload"
    slip: float = 0.1
    spill_time: float = 0.4

    def __post_init__(self) -> None:
        for name, kind in (("soil", Soil), ("bucket", Bucket)):
            if not isinstance(getattr(self, name), kind):
                raise InvalidInput(
                    f"{name} of Ground is {getattr(self, name)!r}; expected a {kind.__name__}."
                )
        check_between(self, "surface", -np.inf)
        check_between(self, "slip", 0, low_too=False)
        check_between(self, "spill_time", 0, low_too=False)

    @property
    def full_load(self) -> float:
        """Mass of a heaped bucket [kg]."""
        return self.bucket.capacity * self.soil.density / self.soil.swell

    @property
    def parameters(self) -> tuple[str, ...]:
        """The mass of the load."""
        return (f"{self.payload}.mass",)

    @property
    def inputs(self) -> Mapping[str, int]:
        """Height of the ground at the edge."""
        return {"surface": 1}

    @property
    def defaults(self) -> Mapping[str, ArrayLike]:
        """Level ground."""
        return {"surface": [self.surface]}

    def quantities(self, mechanism: Mechanism) -> tuple[Quantity, ...]:
        """The load; see :class:`Surroundings`."""
        mechanism.frame(self.edge)
        load = mechanism.body(self.payload)
        if np.any(load.com):
            raise InvalidInput(
                f"body '{load.name}' has its centre of mass at {load.com.tolist()}; the load of a "
                "bucket sits at its body's origin. Move the body instead."
            )
        return (Quantity("soil_load", "kg", (self.payload,)),)

    def initial(self, mechanism: Mechanism, q: Array) -> Array:
        """An empty bucket."""
        return np.zeros((*np.shape(q)[:-1], 1))

    def settled(self, s: SX) -> SX:
        """A load between none and a heaped bucket."""
        return ca.fmax(0, ca.fmin(self.full_load, s))

    def act(self, model: Model, q: SX, v: SX, s: SX, inputs: Mapping[str, SX]) -> Response:
        """Joint forces, the load's rate and its mass; see :class:`Surroundings`."""
        contact = self.contact(model, q, v, s, inputs)
        at_load = jacobian(model, q, frame=self.payload)[:3, :]
        taking_along = -contact.filling * (at_load @ v)
        tau = contact.jacobian.T @ contact.force + at_load.T @ taking_along
        return Response(
            tau=ca.densify(tau),
            rate=contact.filling - contact.leaving,
            parameters={f"{self.payload}.mass": s},
        )

    def contact(self, model: Model, q: SX, v: SX, s: SX, inputs: Mapping[str, SX]) -> Contact:
        """What bucket and soil do to each other.

        Args:
            model: The machine.
            q: Positions, shape (nq,).
            v: Velocities, shape (nv,).
            s: The load [kg], shape (1,).
            inputs: ``surface``.
        """
        soil, bucket = self.soil, self.bucket
        X = forward_kinematics(model, q, frame=self.edge)
        J = jacobian(model, q, frame=self.edge)[:3, :]
        u = J @ v
        forward, inward = X[:3, :3] @ DM(bucket.forward), X[:3, :3] @ DM(bucket.inward)
        depth = ca.fmax(0, inputs["surface"] - X[UP, 3])
        # the level direction in which the floor's inner side goes ahead
        ahead = inward[UP] * forward - forward[UP] * inward

        speed = ca.sqrt(ca.dot(u, u) + self.slip**2)
        approach = ca.fmax(0, ca.dot(u, ahead))
        piled = s * STANDARD_GRAVITY / (bucket.width * bucket.length)
        resistance = draft(soil, bucket.width, depth, -forward[UP], piled)
        resistance *= bucket.drag + (1 - bucket.drag) * approach / speed

        # an edge carries in full once it has sunk by about its own thickness
        carried = bucket.width * bearing_capacity(soil, depth)
        bearing = carried * bucket.thickness * depth / (depth + bucket.thickness)
        buried = depth / (depth + bucket.thickness + bucket.length * ca.fabs(forward[UP]))
        pressing = carried * bucket.length * buried
        outwards = ca.fmax(0, self._towards(-ca.dot(u, inward)))

        force = -resistance / speed * u + pressing * outwards * inward
        force[UP] += bearing * (1 - self._towards(u[UP])) / 2

        cut = bucket.width * ca.fmin(depth, bucket.length) * approach
        filling = soil.density * cut * bucket.opened(forward[UP])
        # ground in front of a buried mouth keeps the soil in
        held = bucket.held(forward[UP])
        held += (1 - held) * ca.fmin(1, depth / bucket.thickness)
        leaving = ca.fmax(0, s - self.full_load * held) / self.spill_time
        return Contact(depth, resistance, bearing, pressing, force, filling, leaving, J)

    def _towards(self, rate: SX) -> SX:
        """Direction of a motion, -1 to 1, soft below the slip speed."""
        return rate / ca.sqrt(rate * rate + self.slip**2)
