"""A run, kept in a file and replayed in the browser beside its signals.

An arm swings freely for three seconds with stiff stops at its limits. The recording goes to
``out/07_replay.mcap`` while it runs, is read back, plotted, and played once in a page at the
address that is printed; with ``--stay`` the page stays until Ctrl-C. Leaves ``out/07_replay.png``.

Needs the extra ``view``: pip install 'phalanx[view]'.
"""

import sys
import time
from dataclasses import replace
from pathlib import Path

import phalanx as px
from phalanx.view import Viewer
from phalanx.view.plots.plots import trajectories
from phalanx.view.replay.replay import Replay

OUT = Path("out")
OUT.mkdir(exist_ok=True)

# a PUMA whose shoulder and elbow stop at ±1.2 rad
puma = px.library.puma560()
joints = [
    replace(joint, lower=-1.2, upper=1.2, damping=1.0)
    if joint.name in ("joint_2", "joint_3")
    else joint
    for joint in puma.joints
]
puma = replace(puma, joints=joints)

run = px.simulate(
    puma,
    [0.3, -1.0, 0.8, 0.0, 0.5, 0.0],
    duration=3.0,
    forces=(px.Damping(), px.Stops(stiffness=5e3, damping=50.0)),
    path=OUT / "07_replay.mcap",
)
print(run)

recording = px.Recording.read(OUT / "07_replay.mcap")
figure = trajectories(recording, "q")
figure.savefig(OUT / "07_replay.png", dpi=120)
print("figure in out/07_replay.png")

with Viewer(puma, port=0) as viewer, Replay(viewer, recording) as replay:
    print("open", viewer.url)
    replay.playback.play()
    try:
        while "--stay" in sys.argv or replay.playback.playing:
            time.sleep(0.1)
    except KeyboardInterrupt:
        pass
