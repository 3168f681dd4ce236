"""Every robot of example-robot-data driven into every joint limit.

    python benchmarks/stops.py [--step 1e-3]

Prints, for each robot that loads, how many limits were tried and how far the deepest run went
beyond its own; exits with 1 when a run left finite numbers, unless it does so without forces too.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from dataclasses import replace

import numpy as np

import phalanx as px
from phalanx.base.robots import robot_files
from phalanx.bench.stops import stop_depths
from phalanx.mechanism.read.report import ModelWarning


def main() -> int:
    """Drive them; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--step", type=float, default=1e-3)
    step, wrong = parser.parse_args().step, 0
    warnings.simplefilter("ignore", ModelWarning)
    for name in robot_files():
        try:
            robot = px.load(f"robot:{name}")
            depths = stop_depths(replace(robot, gravity=np.zeros(3)), step, round(0.1 / step))
        except px.PhalanxError as error:
            print(f"{name:36s} {str(error)[:80]}", flush=True)
            continue
        bad = np.count_nonzero(np.isnan(depths))
        wrong += bad
        singular = np.count_nonzero(np.isinf(depths))
        deepest = max(depths[np.isfinite(depths)], default=np.nan)
        print(
            f"{name:36s} {len(depths):3d} limits, deepest {deepest:9.2g}, {bad} bad, "
            f"{singular} that no step allows",
            flush=True,
        )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
