"""Warning for steps that are too long, by the integration error in the energy.

The estimate costs nothing: the run has an energy balance already, and what remains in it is the
error of the integration. It is a lower bound of what is wrong: a motion can be off in time and
right in energy, but not the other way round.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from phalanx.simulation.integrators.integrators import FixedStep, Rosenbrock2
from phalanx.simulation.record.energy_balance import SIGNAL, integration_error
from phalanx.simulation.record.recording import Recording
from phalanx.simulation.record.signal import Array
from phalanx.simulation.setup.forces.joint_forces import JointForce
from phalanx.simulation.setup.forces.stops import Stops

if TYPE_CHECKING:
    from phalanx.simulation.run.run import Run

# Parts of the energy turned over: without a warning at most, and with the step that it names. By a
# method of order 1 energy breathes with every swing; who chooses it knows that.
TOLERATED, BY_ORDER_1, AIMED_AT = 0.02, 0.1, 1e-3
# Part of the largest energy below which an error is taken for rounding
ROUNDING = 1e-7


class StepWarning(UserWarning):
    """The step of a run is too long for its machine: the energy is off, and so is the motion."""


def warn_of_step(recording: Recording, run: Run, stacklevel: int) -> None:
    """Warn once when a run of a fixed step has an energy that is off by a lot.

    Args:
        recording: What was recorded.
        run: Of it.
        stacklevel: Of the caller's caller, as for ``warnings.warn``.

    Warns:
        StepWarning: With the error, the step, and one that would do.
    """
    integrator, step = run.integrator, run.step
    if not isinstance(integrator, FixedStep) or not len(recording):
        return
    turned_over = recording.energy_balance().turned_over
    errors = _errors_off_stops(recording, run.setup.forces)
    if isinstance(integrator, Rosenbrock2) and len(errors) > 2:
        # stiff parts that begin out of place are over at once, by intent, whatever the step
        errors = errors[2:] - errors[2]
    largest = float(np.abs(errors).max())
    tolerated = BY_ORDER_1 if integrator.order == 1 else TOLERATED
    rounding = ROUNDING * np.abs(recording[SIGNAL]).max()
    if largest <= max(tolerated * turned_over, rounding):
        return
    error = largest / turned_over
    shorter = step * (AIMED_AT / error) ** (1 / integrator.order)
    warnings.warn(
        f"a step of {step:g} s is too long for '{recording.settings.get('model')}': by "
        f"{type(integrator).__name__} its energy is off by {largest:.2g} J, {error:.2g} of the "
        f"{turned_over:.4g} J turned over. The error falls with the step to the power of "
        f"{integrator.order}; try step={_rounded(shorter):g}, or an adaptive integrator such as "
        "DormandPrince().",
        StepWarning,
        stacklevel=stacklevel,
    )


def _errors_off_stops(recording: Recording, forces: Sequence[JointForce]) -> Array:
    """Integration error [J] without what impacts on fitted stops leave, shape (T,).

    These are as stiff as the step allows, whatever it is: what an impact leaves does not fall with
    the step, and says nothing about it. It is no more than the stop takes and gives meanwhile. A
    joint that lies on its stop hides nothing else.
    """
    errors, signal = np.diff(integration_error(recording)), recording.signal(SIGNAL)
    if any(isinstance(force, Stops) and force.stiffness is None for force in forces):
        stops = [k for k, label in enumerate(signal.labels) if ".Stops" in label]
        most = np.abs(np.diff(signal.values[:, stops], axis=0)).sum(axis=1)
        errors = errors - np.clip(errors, -most, most)
    return np.concatenate([[0.0], np.cumsum(errors)])


def _rounded(step: float) -> float:
    """The next shorter 1, 2 or 5 of a power of ten."""
    power = 10.0 ** np.floor(np.log10(step))
    return float(next(x for x in (5.0, 2.0, 1.0) if x * power <= step * (1 + 1e-9)) * power)
