"""A program for ``mpiexec -n 4``: every rank runs this; the first leaves recordings and counts."""

import json
import sys
from dataclasses import asdict
from pathlib import Path

import phalanx as px
from phalanx.distribute import (
    Mode,
    Penalty,
    Plan,
    Projection,
    Ranks,
    Recursive,
    Task,
    cosimulate,
    moved,
)

DURATION, STEP = 0.06, 1e-3
PERIOD = 0.5  # the thesis's way in a sixth of its time, so that much happens in little
WAY = (1.0471975511965976, 1.0471975511965976, 0.5235987755982988)
CASES = {
    "penalty": {"method": Penalty(), "mode": Mode.REPLICATED},
    "projection": {"method": Projection(), "mode": Mode.REPLICATED},
    "projection stages": {"method": Projection(), "mode": Mode.STAGES},
    "recursive": {"method": Recursive(), "mode": Mode.STAGES},
    "closing": {"method": Recursive(displacement=True), "mode": Mode.STAGES},
    "blocks": {"method": Recursive(), "mode": Mode.BLOCKS},
    "displacement": {"task": Task.DISPLACEMENT, "method": Recursive(), "mode": Mode.STAGES},
    "kinematics": {"task": Task.KINEMATICS, "method": Recursive(), "mode": Mode.STAGES},
    "inverse": {"task": Task.INVERSE, "method": Recursive(), "mode": Mode.STAGES},
}


MACHINE = px.library.planar_3rrr()
MOTION = moved(MACHINE, PERIOD, WAY)


def plan(name: str) -> Plan:
    return Plan(MACHINE, duration=DURATION, step=STEP, motion=MOTION, **CASES[name])


if __name__ == "__main__":
    folder, ranks = Path(sys.argv[1]), Ranks(timeout=30.0)
    for name, how in CASES.items():
        outcome = cosimulate(
            MACHINE,
            **how,
            duration=DURATION,
            step=STEP,
            motion=MOTION,
            ranks=ranks,
            path=folder / f"{name}.mcap",
        )
        if outcome is not None:
            facts = [asdict(one) for one in outcome.traffic]
            (folder / f"{name}.json").write_text(json.dumps(facts))
