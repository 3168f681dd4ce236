"""The experiments of Wong (1991) as figures: arm and torso in open loop, the excavator by joystick.

The curves of the thesis are lost but for their captions and a few numbers; these are the same runs.
A PUMA 600 and a torso are driven by the inverse dynamics of a profile, and what is drawn is by how
much the run misses it (figures 3.4 to 3.6 and 3.8 to 3.10). The excavator runs the JOINT and the
RESOLVED experiment (figures 5.6 and 5.9).
Leaves ``out/21_puma_errors.png`` and seven more.
"""

from pathlib import Path

import numpy as np

from phalanx.machines.excavator import joint_experiment, resolved_experiment, rotary_excavator
from phalanx.machines.excavator.experiment_figures import rates, resolved, resolved_motion
from phalanx.machines.excavator.summary_figures import ExcavatorSummary
from phalanx.studies.wong.open_loop import OpenLoop

OUT = Path("out")
OUT.mkdir(exist_ok=True)

for name, run in (("puma", OpenLoop.puma()), ("torso", OpenLoop.torso())):
    for what, figure in run.figures().items():
        figure.savefig(OUT / f"21_{name}_{what}.png", dpi=120)
    worst = [error[np.abs(error[:, 5]).argmax(), 5] for error in run.errors]
    print(f"{name}, joint 6 misses the profile by {worst[0]:.2g} deg, {worst[1]:.2g} deg/s")

joint = ExcavatorSummary(rotary_excavator().run(joint_experiment(), 15.0))
rates(joint).savefig(OUT / "21_joint_rates.png", dpi=120)

line = ExcavatorSummary(rotary_excavator().run(resolved_experiment(), 15.0, mode="RESOLVED"))
resolved(line).savefig(OUT / "21_resolved.png", dpi=120)
radius, cab, height, bucket = resolved_motion(line.tip, line.angles)[-1]
print(
    f"RESOLVED: radius {radius:.2f} m, cab {cab:.1f} deg, height {height:.2f} m, bucket to ground "
    f"{bucket:.0f} deg"
)
print("left out/21_puma_errors.png and seven more")
