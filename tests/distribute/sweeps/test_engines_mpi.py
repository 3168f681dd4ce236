"""MPI's pool executor is an executor as any other."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

from distribute.mpi import mpiexec
from distribute.sweeps.stand_ins import Swings
from phalanx.distribute.sweeps.engines import InProcess

ROOT = Path(__file__).parents[3]


def test_chunks_on_three_ranks_have_the_same_bits():
    command = [*mpiexec(), "-n", "3", sys.executable, "-m", "tests.distribute.sweeps.mpi_pool"]
    told = subprocess.run(
        command, cwd=ROOT, env=dict(os.environ), capture_output=True, text=True, timeout=120
    )
    assert told.returncode == 0, told.stderr
    here = dict(InProcess().each(Swings(), range(6)))
    digest = hashlib.sha256(b"".join(here[k]["q"].tobytes() for k in range(6))).hexdigest()
    assert told.stdout.split() == ["2", "6", digest]
