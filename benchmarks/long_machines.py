"""From which size on is traversal of the bodies better than unrolled code?

Chains of several joints and sizes, both ways: processor time of compiling and of 1000 calls of one
sample together, of one such call, and of a sample in a batch. `phalanx.dynamics.evaluators.choice`
is chosen from this table; see docs/chains.md.

    python benchmarks/long_machines.py
    python benchmarks/long_machines.py --sizes 32 64 128 --joints revolute --quantities energy
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
from unittest import mock

import numpy as np

import phalanx as px
from phalanx.bench.host import host
from phalanx.dynamics.evaluators.choice import SIZES, Sizes

CALLS = 1000
BATCH = 256


@dataclass(frozen=True)
class Times:
    """Processor seconds."""

    compiling: float
    call: float
    sample: float

    @property
    def together(self) -> float:
        """Compiling and 1000 calls."""
        return self.compiling + CALLS * self.call


def median(work: Callable[[], object], seconds: float = 0.3) -> float:
    """Processor time of one go, the median of several."""
    work()
    spent: list[float] = []
    while sum(spent) < seconds and len(spent) < CALLS:
        start = time.process_time()
        work()
        spent.append(time.process_time() - start)
    return float(np.median(spent))


def measure(mechanism: px.Mechanism, quantity: str, long: bool) -> Times:
    """One way of one quantity, on one thread."""
    rng = np.random.default_rng(0)
    q = mechanism.random_positions(BATCH, seed=rng)
    v, a = rng.standard_normal((2, BATCH, mechanism.nv))
    with mock.patch.dict(SIZES, quantity=Sizes(0 if long else 10**9, 10**9)):
        start = time.process_time()
        dynamics = px.Dynamics(mechanism, threads=1, cache=False)
        kernel = dynamics.kernel(quantity)
        state = (q, v, a)[: len(kernel.inputs)]
        one = [x[0] for x in state]
        kernel(*one)
        compiling = time.process_time() - start
    call, many = kernel.call, kernel.call
    return Times(compiling, median(lambda: call(*one)), median(lambda: many(*state)) / BATCH)


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[32, 64, 128, 192, 256])
    parser.add_argument("--joints", nargs="+", default=["revolute", "spherical"])
    parser.add_argument("--quantities", nargs="+", default=["inverse_dynamics", "forward_dynamics"])
    options = parser.parse_args()
    print(host())
    print(
        f"{'joint':10} {'bodies':>6} {'quantity':18} {'way':9} {'compile [s]':>11} "
        f"{'call [us]':>10} {'with 1000 calls [s]':>20} {'sample of a batch [us]':>23}"
    )
    for joint in options.joints:
        for size in options.sizes:
            mechanism = px.library.chain(size, joint)
            for quantity in options.quantities:
                for way in ("unrolled", "traversed"):
                    t = measure(mechanism, quantity, way == "traversed")
                    print(
                        f"{joint:10} {size:6} {quantity:18} {way:9} {t.compiling:11.2f} "
                        f"{1e6 * t.call:10.1f} {t.together:20.2f} {1e6 * t.sample:23.2f}",
                        flush=True,
                    )


if __name__ == "__main__":
    main()
