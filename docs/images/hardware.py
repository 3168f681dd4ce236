"""Makes the pictures of ``docs/hardware.md``."""

import runpy
import shutil
import tempfile
from contextlib import chdir
from pathlib import Path

import phalanx as px
from phalanx import multiprocessor as mp

HERE = Path(__file__).parent
EXAMPLE = HERE.parents[1] / "examples" / "16_systolic_array.py"

mp.operator_array(px.library.puma560()).space_time(HERE / "linear_array.png", sets=6)
with tempfile.TemporaryDirectory() as folder, chdir(folder):
    runpy.run_path(str(EXAMPLE))
    shutil.copy("out/16_systolic_array.png", HERE / "systolic_array.png")
