"""Complete excavators: machine, hydraulics, control, joystick commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import radians
from typing import Any, Literal, final

import numpy as np
from numpy.typing import NDArray

from phalanx.actuators.hydraulics.cat215b import cat215b_hydraulics
from phalanx.actuators.hydraulics.rotary import cat215b_rotary
from phalanx.actuators.subsystem import Actuation
from phalanx.base.errors import InvalidInput
from phalanx.base.short_repr import short_repr
from phalanx.ground import Ground
from phalanx.machines.excavator.arm import ExcavatorArm
from phalanx.machines.excavator.control import MODES, Four, Spool, SpoolControl, SpoolCurve
from phalanx.mechanism import Mechanism, library
from phalanx.mechanism.library.cat215b_cylinders import cat215b_posture
from phalanx.simulation.batch.rollouts import CompiledRollout
from phalanx.simulation.record.recording import Recording
from phalanx.simulation.run.simulate import simulate
from phalanx.simulation.setup.setup import Setup

Array = NDArray[np.float64]
SETUP_OPTIONS = ("forces", "wrenches", "parameters")  # of a fleet, beside the machine's own
Mode = Literal["JOINT", "RESOLVED"]

# the source's resolved experiment begins with the stick's end 5 m out; its posture is lost
WONG_POSTURE: Four = (0.0, radians(30.0), radians(-150.12), 0.0)
# [s]: pilot lines throttle the way back of a spool, lest the machine stop with a blow
CLOSING = 0.2
# teeth a little below the horizontal, as to begin a cut
WORKING_POSTURE: Four = (0.0, radians(25.0), radians(-105.0), radians(10.0))


@short_repr
@final
@dataclass(frozen=True)
class Excavator:
    """A machine with its hydraulics, its control, and ground if wanted.

    Attributes:
        mechanism: The machine.
        actuation: Its hydraulics.
        control: Of the spools.
        posture: Angles of swing, boom, stick and bucket at the begin [rad].
        joint_rates: Rates at full deflection in JOINT mode [rad/s].
        tip_speeds: The same in RESOLVED mode: radius, arc, height [m/s], bucket [rad/s].
        ground: What it digs in; nothing, as in the source, when not given.
        step: Of the integration [s].
        title: Display name.
    """

    mechanism: Mechanism
    actuation: Actuation
    control: SpoolControl
    posture: Four
    joint_rates: Four
    tip_speeds: Four
    ground: Ground | None = None
    step: float = 1e-3
    title: str = "Excavator"

    @property
    def q0(self) -> Array:
        """Positions at the begin, with all loops closed, shape (nq,)."""
        return cat215b_posture(self.mechanism, *self.posture)

    @property
    def arm(self) -> ExcavatorArm:
        """Lengths of boom and stick."""
        return self.control.arm or ExcavatorArm.of(self.mechanism)

    @property
    def setup(self) -> Setup:
        """The machine with all that acts on it."""
        return Setup(
            self.mechanism,
            control=self.control,
            actuation=self.actuation,
            surroundings=self.ground,
        )

    def commands(self, sticks: Any, mode: str) -> Array:
        """What deflections of -1 to 1 in the order of the joints ask for, shape (..., 4)."""
        return np.asarray(sticks, dtype=float) * np.array(
            self.joint_rates if mode == "JOINT" else self.tip_speeds
        )

    def run(
        self, operator: Any, duration: float, *, mode: Mode | None = None, **options: Any
    ) -> Recording:
        """Simulate it.

        Args:
            operator: Commands over time: four numbers, a Profile of four columns, or a function of
                time; rates or speeds as ``mode`` says.
            duration: [s].
            mode: What they mean; the control's own mode when not given.
            options: Further ones of :func:`~phalanx.simulation`.
        """
        operator_inputs: dict[str, Any] = {"operator": operator, **options.pop("inputs", {})}
        if mode is not None:
            operator_inputs["mode"] = mode_number(mode)
        given: dict[str, Any] = {"q0": self.q0, "step": self.step, **options}
        setup = replace(
            self.setup,
            forces=given.pop("forces", self.setup.forces),
            wrenches=tuple(given.get("wrenches") or ()),
            parameters=tuple(given.get("parameters") or ()),
        )
        return simulate(setup, duration=duration, inputs=operator_inputs, **given)

    def rollouts(self, *, control: Any = None, **options: Any) -> CompiledRollout:
        """A compiled loop for fleets of it; ``options`` are those of CompiledRollout."""
        setup = self.setup if control is None else replace(self.setup, control=control)
        said = {name: options.pop(name) for name in SETUP_OPTIONS if name in options}
        return CompiledRollout(replace(setup, **said), **({"step": self.step} | options))


def mode_number(mode: str) -> Array:
    """The mode as control takes it, shape (1,).

    Raises:
        InvalidInput: When there is no such mode.
    """
    if mode not in MODES:
        raise InvalidInput(f"there is no mode {mode!r}; expected one of {', '.join(MODES)}.")
    return np.array([MODES[mode]])


def rotary_excavator(
    *,
    step: float = 1e-2,
    mode: Mode = "JOINT",
    ground: Ground | None = None,
    settles: bool = False,
    **control: Any,
) -> Excavator:
    """The source's machine: four links, rotary actuators that know nothing of each other.

    Control is sampled once a step, as in the source with its steps of 10 ms. As in the source, it
    goes on correcting when the sticks are let go: joints swing on their oil for many seconds, in
    some postures for ever. With ``settles`` all joints rest within 3 s.

    The deadband of the source's spools is a gate here, which agrees with what it says of its
    experiments: a lag leaves spools shut, and the cab rings as it stops. It can be read as a shift
    of the curve, too: ``spool=Spool(curve=SpoolCurve.SHIFT)``. Then no spool shuts before the joint
    is where it should be but for the deadband, all of them creep, and the cab does not ring.

    Args:
        step: Of integration and control [s].
        mode: What joysticks mean.
        ground: Beyond the source: what it digs in.
        settles: Beyond the source: spools close when sticks are let go and open from zero (the
            shifted curve), and the actuators have the losses of :func:`cat215b_rotary`.
        control: Further options of :class:`SpoolControl`.

    Reference:
        Wong (1991), chapter 5.
    """
    released: dict[str, Any] = (
        {"closing": CLOSING, "spool": Spool(curve=SpoolCurve.SHIFT)} if settles else {}
    )
    return Excavator(
        library.cat215b(payload=ground is not None),
        cat215b_rotary(losses=settles),
        SpoolControl(mode=mode, **(released | {"period": step} | control)),
        WONG_POSTURE,
        joint_rates=(0.2, 0.12, 0.2, 0.2),
        tip_speeds=(0.4, 0.8, 0.3, 0.2),
        ground=ground,
        step=step,
        title="Caterpillar 215B with rotary actuators",
    )


def cylinder_excavator(
    *,
    step: float = 1e-3,
    mode: Mode = "JOINT",
    ground: Ground | None = None,
    bookkeeping: bool = False,
    **control: Any,
) -> Excavator:
    """The machine with boom, stick and bucket cylinders on one pump, and the bucket's linkage.

    Gains are ours: a spool of swing and boom is wide open a quarter of a radian from where its
    joint should be, and desired rates open it beforehand by what they need at about half the
    pump's pressure. Those of stick and bucket correct half as hard: where weight pulls them along,
    little opening is much speed, and the oil would swing. Control at 500 Hz does not stir up the
    oil, which swings at up to 25 Hz on the bucket; at 100 Hz it would. Spools close when sticks
    are let go, and all joints rest within 3 s.

    Args:
        step: Of the integration [s].
        mode: What joysticks mean.
        ground: What it digs in.
        bookkeeping: Whether energies of the oil are kept.
        control: Further options of :class:`SpoolControl`.
    """
    gains: Mapping[str, Any] = {
        "proportional": (4.0, 4.0, 2.0, 2.0),
        "derivative": (0.6, 0.6, 0.0, 0.0),
        "feedforward": (0.5, 1.2, 0.8, 0.7),
        "direction": (1.0, 1.0, -1.0, -1.0),
        "spool": Spool(slope=1.0, deadband=0.0, limit=1.0, unit=""),
        "period": 2e-3,
        "lead": 0.15,
        "keep_limits": True,
        "closing": CLOSING,
        "mode": mode,
    }
    return Excavator(
        library.cat215b_cylinders(payload=ground is not None),
        cat215b_hydraulics(bookkeeping=bookkeeping),
        SpoolControl(**(dict(gains) | control)),
        WORKING_POSTURE,
        joint_rates=(0.8, 0.35, 0.6, 0.9),
        tip_speeds=(1.0, 3.0, 0.8, 0.9),
        ground=ground,
        step=step,
        title="Caterpillar 215B with cylinders",
    )


# by the names that scenarios and commands give them
MACHINES: dict[str, Callable[..., Excavator]] = {
    "cylinders": cylinder_excavator,
    "rotary": rotary_excavator,
}
