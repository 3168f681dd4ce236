"""Without what only Linux has, everything but speed is there.

A process in which these modules and functions do not exist, nor the files of ``/proc``: as far as
a test on Linux can show what happens on macOS and Windows.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from waiting import LONG

HIDDEN = """
import builtins, importlib.abc, io, os, pathlib, signal, sys

class Hidden(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name in ("fcntl", "resource"):
            raise ImportError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Hidden())
for gone in ("fcntl", "resource"):
    sys.modules.pop(gone, None)
for name in ("sched_getaffinity", "sched_setaffinity", "sched_setscheduler", "O_NONBLOCK",
             "O_CLOEXEC", "getpriority", "setpriority", "getloadavg"):
    if hasattr(os, name):
        delattr(os, name)
if hasattr(os, "process_cpu_count"):  # of later interpreters, which ask what is gone now
    os.process_cpu_count = os.cpu_count
for name in ("setitimer", "SIGALRM"):
    delattr(signal, name)
plain_open = io.open
def open_elsewhere(file, *args, **options):
    if str(file).startswith("/proc/"):
        raise FileNotFoundError(2, "No such file or directory", str(file))
    return plain_open(file, *args, **options)
io.open = builtins.open = open_elsewhere
"""

SCRIPT = """
import numpy as np
import phalanx as px

arm = px.library.puma560()
d = px.Dynamics(arm)
q = arm.random_positions(20_000)
assert np.isfinite(d.forward_dynamics(q, 0 * q, 0 * q)).all()
run = px.simulate(arm, duration=0.05)
run.write("run.mcap")
assert px.Recording.read("run.mcap") == run
assert px.rollout(arm, q[:9], np.zeros(6), steps=5).q.shape == (9, 5, 6)
timing = px.LiveRun(arm, np.zeros(6), duration=0.02).run()
assert timing is not None
px.export_urdf(arm, "arm.urdf")
import warnings
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    assert px.load("arm.urdf").nv == 6
print("done")
"""

MJCF = """
import phalanx as px
open("arm.xml", "w").write('''<mujoco><worldbody><body name="a"><joint name="j" axis="0 1 0"/>
<geom type="capsule" size="0.1" fromto="0 0 0 1 0 0"/></body></worldbody></mujoco>''')
assert px.load("arm.xml").nv == 1
print("done")
"""

SWEEP = """
import asyncio, subprocess, sys, types, zarr
import phalanx as px
# what Windows has in the place of fcntl
sys.modules["msvcrt"] = types.SimpleNamespace(LK_NBLCK=2, locking=lambda *_: None)
run = px.sweeps.Rollout(px.library.double_pendulum(), steps=20)
over = px.sweeps.Random({"q0": px.sweeps.Uniform([0.0, 0.0], [1.0, 1.0])}, cases=50)
px.sweep(run, over, keep=("q_end",), to="out.zarr", chunk=16)
assert px.sweep(run, over, keep=("q_end",), to="out.zarr", resume=True)["q_end"].shape == (50, 2)
print("done")
"""


def hidden(script, folder):
    """Run a script in a process that lacks what only Linux has, and so do its children."""
    (folder / "sitecustomize.py").write_text(HIDDEN)
    path = os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=10 * LONG,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip().endswith("done")


@pytest.mark.skipif(sys.platform != "linux", reason="hides what only Linux has")
def test_dynamics_runs_and_recordings(tmp_path):
    hidden(SCRIPT, tmp_path)


@pytest.mark.skipif(sys.platform != "linux", reason="hides what only Linux has")
def test_mjcf(tmp_path):
    pytest.importorskip("mujoco")
    hidden(MJCF, tmp_path)


@pytest.mark.skipif(sys.platform != "linux", reason="hides what only Linux has")
def test_sweeps(tmp_path):
    pytest.importorskip("zarr")
    pytest.importorskip("xarray")
    hidden(SWEEP, tmp_path)


@pytest.mark.skipif(sys.platform != "linux", reason="hides what only Linux has")
def test_what_is_hidden_is_gone(tmp_path):
    hidden("import os; assert not hasattr(os, 'sched_getaffinity'); print('done')", tmp_path)
