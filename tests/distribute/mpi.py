"""How tests start MPI jobs; skipped where the extra is not installed."""

import pytest

from phalanx.base.errors import MissingExtra
from phalanx.distribute.processes.launch import find_mpiexec


def mpiexec():
    try:
        return find_mpiexec()
    except MissingExtra as missing:
        pytest.skip(str(missing))
