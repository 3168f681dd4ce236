"""Kernels are linked wherever memory is free: no part of one may lie out of reach of another."""

from __future__ import annotations

import subprocess
import sys

import pytest

# Pages that are free lie on one side of three gigabytes, room for code on the other: parts of a
# kernel that are put into memory one by one end up further apart than 32 bits of address reach.
CROWDED = """
import mmap
import casadi as ca
import numpy as np
import phalanx as px

x = ca.SX.sym("x", 6)

def function(count):
    y = [ca.sin(x[i % 6] * (0.1 + 0.37 * i)) * x[5 * i % 6] + 1 / (i + 1.7) for i in range(count)]
    return ca.Function(f"f{count}", [x], [ca.vertcat(*y)])

px.compile(function(3))
sizes = [1 << bits for bits in (26, 24, 22, 20, 18, 16) for _ in range(60)]
taken = [mmap.mmap(-1, size, prot=mmap.PROT_READ) for size in sizes]
pages = [mmap.mmap(-1, 1 << 14, prot=mmap.PROT_READ) for _ in range(400)]
far = mmap.mmap(-1, 3 << 30, prot=mmap.PROT_READ)
for page in pages[::2]:
    page.close()
for count in (400, 800, 1200):
    f = function(count)
    at = np.linspace(0.1, 0.6, 6)
    np.testing.assert_allclose(px.compile(f)(at), np.array(f(at)).ravel(), rtol=1e-12)
print("linked")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory is laid out otherwise")
def test_parts_of_a_kernel_stay_in_reach_of_each_other(tmp_path, monkeypatch):
    monkeypatch.setenv("PHALANX_CACHE_DIR", str(tmp_path))
    done = subprocess.run([sys.executable, "-c", CROWDED], capture_output=True, text=True)
    assert done.stdout == "linked\n", done.stderr[-2000:]
