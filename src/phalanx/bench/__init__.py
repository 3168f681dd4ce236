"""Benchmarks: every quantity compared with other libraries, all from one run."""

from phalanx.bench.report import Report
from phalanx.bench.run import bench

__all__ = ["Report", "bench"]
__dir__ = __all__.copy
