"""A program for ``mpiexec -n 4``: every rank runs this; the first leaves recordings and counts."""

import json
import sys
from dataclasses import asdict
from pathlib import Path

import phalanx as px
from phalanx.distribute import (
    Mode,
    MotionTask,
    MotorMotion,
    Penalty,
    PlatformJob,
    Projection,
    Ranks,
    Recursive,
    run,
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
    "displacement": {"task": MotionTask.DISPLACEMENT, "method": Recursive(), "mode": Mode.STAGES},
    "kinematics": {"task": MotionTask.KINEMATICS, "method": Recursive(), "mode": Mode.STAGES},
    "inverse": {"task": MotionTask.INVERSE, "method": Recursive(), "mode": Mode.STAGES},
}


MACHINE = px.library.planar_3rrr()
MOTION = MotorMotion(WAY, PERIOD)


def job(name: str, **options: object) -> PlatformJob:
    return PlatformJob(
        MACHINE, duration=DURATION, step=STEP, motion=MOTION, **CASES[name], **options
    )


if __name__ == "__main__":
    folder, ranks = Path(sys.argv[1]), Ranks(timeout=30.0)
    for name in CASES:
        result = run(job(name, record=folder / f"{name}.mcap"), ranks=ranks)
        if result is not None:
            facts = [asdict(one) for one in result.traffic]
            (folder / f"{name}.json").write_text(json.dumps(facts))
