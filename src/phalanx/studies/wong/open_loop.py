"""Open-loop runs of arm and torso, figures 3.4 to 3.10: a machine driven by inverse dynamics.

A machine starts at rest and is driven by the inverse dynamics of the profile that it should follow,
evaluated within the Runge-Kutta stages. In exact arithmetic it would follow; what is seen is the
error of the integrator and how the machine amplifies it.

Reference:
    Wong (1991), §3.5.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from phalanx.dynamics import Dynamics
from phalanx.mechanism import Mechanism, library
from phalanx.planning.motions import cycloid
from phalanx.simulation.integrators.integrators import RungeKutta4
from phalanx.simulation.record.lines import LINES, WANTED, stacked
from phalanx.simulation.run.simulate import simulate
from phalanx.simulation.setup.feedforward import feedforward

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.float64]
Motion = tuple[Array, Array, Array]

QUANTITIES = ("angle [deg]", "rate [deg/s]", "acceleration [deg/s²]")


@dataclass(frozen=True)
class OpenLoop:
    """A run whose joints all go half a turn along a cycloid.

    Attributes:
        mechanism: The machine.
        time: [s], shape (T,).
        wanted: Positions, rates and accelerations of the profile, in degrees, shape (T, n) each.
        found: The same of the run.
        torques: Of the profile's inverse dynamics [N·m], shape (T, n).
    """

    mechanism: Mechanism
    time: Array = field(repr=False)
    wanted: Motion = field(repr=False)
    found: Motion = field(repr=False)
    torques: Array = field(repr=False)

    @staticmethod
    def of(mechanism: Mechanism, period: float, step: float) -> OpenLoop:
        """Simulate it with fixed steps of the fourth-order Runge-Kutta method.

        Args:
            mechanism: Hinges alone.
            period: Of the profile, and duration of the run [s].
            step: [s].
        """
        n = mechanism.nv
        motion = cycloid(period, np.zeros(n), np.full(n, np.pi))
        law = feedforward(motion)
        run = simulate(mechanism, duration=period, step=step, control=law, integrator=RungeKutta4())
        dynamics = Dynamics(mechanism)
        wanted = motion(run.time)
        a = dynamics.forward_dynamics(run["q"], run["v"], run["tau"])
        return OpenLoop(
            mechanism,
            run.time,
            _degrees(*wanted),
            _degrees(run["q"], run["v"], a),
            dynamics.inverse_dynamics(*wanted),
        )

    @staticmethod
    def puma() -> OpenLoop:
        """The source's PUMA 600: ten seconds with steps of 10 ms."""
        return OpenLoop.of(library.puma600(), 10.0, 0.01)

    @staticmethod
    def torso() -> OpenLoop:
        """The source's torso as it is printed: five seconds with steps of 1 ms."""
        return OpenLoop.of(library.torso_as_printed(), 5.0, 0.001)

    @property
    def errors(self) -> Motion:
        """The profile less the run: positions, rates, accelerations, in degrees."""
        q, v, a = (w - f for w, f in zip(self.wanted, self.found, strict=True))
        return q, v, a

    def profiles(self, joint: int = -1) -> Figure:
        """Figures 3.4 and 3.8: the profile of all joints, and the run of one over it.

        Args:
            joint: Its number, from 0.
        """
        name = self._names[joint]
        figure, rows = stacked(3, height=6.0)
        for axes, wanted, found, label in zip(
            rows, self.wanted, self.found, QUANTITIES, strict=True
        ):
            axes.plot(
                self.time, found[:, joint], color=LINES[0], alpha=0.5, linewidth=5.0, label=name
            )
            axes.plot(self.time, wanted[:, joint], **WANTED, label="profile of all joints")
            axes.set_ylabel(label)
        rows[0].legend(frameon=False, fontsize=8)
        rows[-1].set_xlabel("time [s]")
        rows[0].set_title(f"{self.mechanism.name}: profile and run")
        return figure

    def torque_figure(self) -> Figure:
        """Figures 3.5 and 3.9: torques of the profile's inverse dynamics, all joints."""
        figure, (axes,) = stacked(1, height=4.0)
        for k, name in enumerate(self._names):
            # arms that move alike lie on each other: the later the thinner
            width, colour = max(1.0, 3.5 - 0.5 * k), LINES[k % len(LINES)]
            axes.plot(self.time, self.torques[:, k], color=colour, linewidth=width, label=name)
        axes.legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5))
        axes.set(
            xlabel="time [s]",
            ylabel="torque [N·m]",
            title=f"{self.mechanism.name}: torques of the profile",
        )
        return figure

    def error_figure(self, joint: int = -1) -> Figure:
        """Figures 3.6 and 3.10: the profile less the run, of one joint.

        Args:
            joint: Its number, from 0.
        """
        figure, rows = stacked(3, height=6.0)
        for axes, error, label in zip(rows, self.errors, QUANTITIES, strict=True):
            axes.plot(self.time, error[:, joint], color=LINES[0])
            axes.axhline(0.0, color="0.6", linewidth=0.8)
            axes.set_ylabel(label)
        rows[-1].set_xlabel("time [s]")
        rows[0].set_title(f"{self.mechanism.name}: profile less run, {self._names[joint]}")
        return figure

    def figures(self) -> dict[str, Figure]:
        """The three figures by what they show."""
        return {
            "profiles": self.profiles(),
            "torques": self.torque_figure(),
            "errors": self.error_figure(),
        }

    @property
    def _names(self) -> list[str]:
        return [
            joint.name.removesuffix("_hinge").replace("_", " ")
            for joint in self.mechanism.joints
            if joint.motion.nv
        ]


def _degrees(q: Array, v: Array, a: Array) -> Motion:
    return np.degrees(q), np.degrees(v), np.degrees(a)
