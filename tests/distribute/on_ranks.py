"""A program for ``mpiexec -n 4``: every rank runs this; the first leaves recordings and counts."""

import json
import sys
from dataclasses import asdict
from pathlib import Path

import phalanx as px
from phalanx.distribute import Mode, Penalty, Projection, Ranks, Recursive, cosimulate, moved

DURATION = 0.06
PERIOD = 0.5  # the thesis's way in a sixth of its time, so that much happens in little
WAY = (1.0471975511965976, 1.0471975511965976, 0.5235987755982988)
CASES = {
    "penalty": (Penalty(), Mode.REPLICATED),
    "projection": (Projection(), Mode.REPLICATED),
    "recursive": (Recursive(), Mode.STAGES),
}


MACHINE = px.library.planar_3rrr()
MOTION = moved(MACHINE, PERIOD, WAY)

if __name__ == "__main__":
    folder, ranks = Path(sys.argv[1]), Ranks(timeout=30.0)
    for name, (method, mode) in CASES.items():
        outcome = cosimulate(
            MACHINE,
            method=method,
            mode=mode,
            duration=DURATION,
            motion=MOTION,
            ranks=ranks,
            path=folder / f"{name}.mcap",
        )
        if outcome is not None:
            facts = [asdict(one) for one in outcome.traffic]
            (folder / f"{name}.json").write_text(json.dumps(facts))
