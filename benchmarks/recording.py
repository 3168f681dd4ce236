"""What recording costs: a sample in memory, with a file, the file's size, and reading it back.

    python benchmarks/recording.py [--minutes 1] [--joints 6]

Samples have the numbers of an arm: q, v, a, tau (a number a joint) and an energy. Times are of
the processor, so that other programs disturb them less: of the thread that simulates, and of the
process, which has the thread that writes as well.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from phalanx.simulation.record.recorder import Recorder
from phalanx.simulation.record.recording import Recording
from phalanx.simulation.record.signal import Channel

STEP = 1e-3
TURN = 5000
ROUNDS = 3


def swing(samples: int, joints: int) -> list[tuple[np.ndarray, ...]]:
    """Smooth signals with full mantissas, as a simulation gives."""
    t = STEP * np.arange(samples)[:, None]
    w = 1 + 0.37 * np.arange(joints)
    q, v, a = np.sin(w * t), w * np.cos(w * t), -w * w * np.sin(w * t)
    tau, energy = 3.1 * a + np.cos(q), np.sum(v * v + np.cos(q), axis=1)
    return list(zip(q, v, a, tau, energy.tolist(), strict=True))


def turns(samples: int, step: Callable[[int], None]) -> np.ndarray:
    """Processor time of this thread a sample [us], in turns of 5000."""
    taken = []
    for start in range(0, samples - TURN + 1, TURN):
        begin = time.thread_time()
        for k in range(start, start + TURN):
            step(k)
        taken.append(time.thread_time() - begin)
    return 1e6 * np.array(taken) / TURN


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=1.0, help="simulated, at 1 kHz")
    parser.add_argument("--joints", type=int, default=6)
    options = parser.parse_args()
    rows = swing(int(options.minutes * 60 / STEP), options.joints)
    labels = tuple(f"joint_{k}" for k in range(options.joints))
    channels = [Channel(name, "", labels) for name in ("q", "v", "a", "tau")] + [Channel("energy")]
    empty = np.median(turns(len(rows), lambda k: None))

    def measure(recorder: Recorder) -> tuple[np.ndarray, float]:
        """Of each turn in the loop; of the whole process until the recorder is closed."""
        begin = time.process_time()
        cost = turns(len(rows), lambda k: recorder.append(STEP * k, *rows[k])) - empty
        recorder.close()
        return cost, 1e6 * (time.process_time() - begin) / len(rows) - empty

    print(f"{len(rows)} samples of {4 * options.joints + 1} numbers [us a sample]")
    print(f"  {'':<18} {'best turn':>12} {'median turn':>12} {'all threads':>12}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.mcap"
        for what, target in (("memory", None), ("memory and file", path)):
            costs, wholes = zip(
                *(measure(Recorder(channels, path=target)) for _ in range(ROUNDS)), strict=True
            )
            turn = np.concatenate(costs)
            print(f"  {what:<18} {turn.min():12.2f} {np.median(turn):12.2f} {min(wholes):12.2f}")
        print(f"  file: {path.stat().st_size / len(rows):.0f} bytes a sample")
        begin = time.process_time()
        read = Recording.read(path)
        print(f"  reading: {1e6 * (time.process_time() - begin) / len(read):.2f} us a sample")


if __name__ == "__main__":
    main()
