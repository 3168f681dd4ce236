"""A sweep in a process of its own, which a test kills: ``python killed.py STORE CHUNKS_TO_SEE``."""

from __future__ import annotations

import os
import signal
import sys

import phalanx as px
from distribute.sweeps.machines import squares
from phalanx.distribute.sweeps import store_layout

if __name__ == "__main__":
    path, survives = sys.argv[1], int(sys.argv[2])
    replaced = os.replace
    left = survives

    def mortal(*names: object) -> None:
        """Files appear until the process is killed in the middle of a chunk."""
        global left
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        replaced(*names)  # type: ignore[arg-type]

    store_layout.os.replace = mortal  # type: ignore[attr-defined]
    run, over = squares()
    px.sweep(run, over, to=path, chunk=7, resume=True)
