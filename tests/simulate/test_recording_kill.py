"""Whatever a process was doing when it was killed, its recording can be read."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
import warnings

import numpy as np

from phalanx.simulate.mcap_read import RecordingWarning
from phalanx.simulate.recording import Recording

RUN = """
import sys
import numpy as np
from phalanx.simulate.recorder import Recorder
from phalanx.simulate.signal import Channel

labels = tuple(f"joint_{k}" for k in range(12))
channels = [Channel("q", "rad", labels), Channel("energy", "J")]
for path in sys.argv[1:]:
    with Recorder(channels, {"model": "arm"}, path, flush_interval=0.004) as recorder:
        for k in range(1500):
            recorder.append(0.001 * k, np.full(12, float(k)), -float(k))
            if k == 0:
                print(path, flush=True)
"""


def killed(paths, delay):
    """Start a process that writes one recording after the other; kill it in the middle."""
    command = [sys.executable, "-c", RUN, *map(str, paths)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
    return process.returncode


def test_a_killed_process_leaves_recordings_that_can_be_read(tmp_path):
    rng = random.Random(20)
    cut = samples = 0
    for k in range(20):
        paths = [tmp_path / f"{k}_{j}.mcap" for j in range(200)]
        assert killed(paths, rng.uniform(0.0, 0.15)) == -signal.SIGKILL
        found = [path for path in paths if path.exists()]
        assert found
        for path in found:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                run = Recording.read(path)
            n = len(run)
            np.testing.assert_array_equal(run.time, 0.001 * np.arange(n))
            np.testing.assert_array_equal(run["q"], np.tile(np.arange(n), (12, 1)).T)
            assert run.settings["model"] == "arm"
            if path is found[-1]:
                cut += any(issubclass(w.category, RecordingWarning) for w in caught)
                samples += n
            else:
                assert n == 1500 and not caught
    assert cut > 5  # most were killed while recording
    assert samples > 0
