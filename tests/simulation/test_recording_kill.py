"""Whatever a process was doing when it was killed, its recording can be read."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
import warnings

import numpy as np

from phalanx.simulation.record.mcap_read import RecordingWarning
from phalanx.simulation.record.recording import Recording

KILLS, SAMPLES = 20, 1500

# one process imports; its children record, one file after the other, until they are killed
RECORD = f"""
import os, sys
import numpy as np
from phalanx.simulation.record.recorder import Recorder
from phalanx.simulation.record.signal import Channel

channels = [Channel("q", "rad", tuple("abcdefghijkl")), Channel("energy", "J")]

def record(folder):
    for j in range(10_000):
        path = f"{{folder}}/{{j:04}}.mcap"
        with Recorder(channels, {{"model": "arm"}}, path, flush_interval=1e-4) as recorder:
            for k in range({SAMPLES}):
                recorder.append(0.001 * k, np.full(12, float(k)), -float(k))
                if j == k == 0:
                    print(os.getpid(), flush=True)

for folder in sys.argv[1:]:
    child = os.fork()
    if not child:
        record(folder)
    os.waitpid(child, 0)
"""


def test_a_killed_process_leaves_recordings_that_can_be_read(tmp_path):
    rng = random.Random(20)
    folders = [tmp_path / str(k) for k in range(KILLS)]
    for folder in folders:
        folder.mkdir()
    command = [sys.executable, "-c", RECORD, *map(str, folders)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        for _ in folders:
            child = int(process.stdout.readline())
            time.sleep(rng.uniform(0.0, 0.12))
            os.kill(child, signal.SIGKILL)
    assert process.returncode == 0

    cut = samples = 0
    for folder in folders:
        *finished, last = sorted(folder.glob("*.mcap"))
        for path in finished:
            check(Recording.read(path), SAMPLES)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            run = Recording.read(last)
        check(run, len(run))
        cut += any(issubclass(w.category, RecordingWarning) for w in caught)
        samples += len(run)
    assert cut >= KILLS // 2  # most were killed while recording
    assert samples > 0


def check(run, samples):
    """The samples are those that were recorded."""
    n = np.arange(samples)
    np.testing.assert_array_equal(run.time, 0.001 * n)
    np.testing.assert_array_equal(run["q"], np.tile(n, (12, 1)).T)
    np.testing.assert_array_equal(run["energy"], -n)
    assert run.settings["model"] == "arm"
