"""Ten minutes of a PUMA 560 under PD control: does what the drives put in add up?

    python benchmarks/energy.py [--duration 600] [--step 1e-3]

The arm follows sines, with damped joints. After every second the work of the drives less the loss
in the joints is compared with the change of the energy; the largest difference, relative to the
largest energy that had come or gone, must stay below 1e-6.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace

import casadi as ca
import numpy as np
from casadi import SX

import phalanx as px

PROMISE = 1e-6


def puma() -> px.Mechanism:
    """The arm of the library with damped joints."""
    arm = px.library.puma560()
    return replace(arm, joints=[replace(joint, damping=0.5) for joint in arm.joints])


def control() -> ca.Function:
    """PD control towards sines of different frequencies."""
    t, q, v = SX.sym("t"), SX.sym("q", 6), SX.sym("v", 6)
    goal = 0.5 * ca.sin(ca.DM([0.5, 0.7, 0.9, 1.1, 1.3, 1.7]) * t)
    return ca.Function("pd", [t, q, v], [200 * (goal - q) - 20 * v])


def imbalance(duration: float, step: float) -> tuple[float, px.Recording]:
    """The largest relative difference, and the run."""
    recording = px.simulate(
        puma(), duration=duration, step=step, control=control(), every=round(1 / step)
    )
    change = recording["energy"] - recording["energy"][0]
    error = recording["work"] - recording["loss"] - change
    return float(np.abs(error).max() / np.abs(change).max()), recording


def main() -> int:
    """Run, print; 1 when the promise is broken."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--duration", type=float, default=600.0, help="[s]")
    parser.add_argument("--step", type=float, default=1e-3, help="[s]")
    options = parser.parse_args()
    worst, recording = imbalance(options.duration, options.step)
    print(
        f"{options.duration:g} s in steps of {1e3 * options.step:g} ms, "
        f"{recording.settings['wall_time']:.1f} s of computing "
        f"({recording.settings['real_time_factor']:.0f} times real time)\n"
        f"work {recording['work'][-1]:.1f} J, loss {recording['loss'][-1]:.1f} J, energy from "
        f"{recording['energy'].min():.1f} to {recording['energy'].max():.1f} J\n"
        f"largest |work - loss - change of energy|: {worst:.1e} of the largest change "
        f"(promised {PROMISE:g}: {'pass' if worst < PROMISE else 'miss'})"
    )
    return 0 if worst < PROMISE else 1


if __name__ == "__main__":
    sys.exit(main())
