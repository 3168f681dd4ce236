"""How tests start MPI jobs; skipped where the extra is not installed."""

import pytest

from phalanx.distribute.nodes.launch import find_mpiexec
from phalanx.errors import MissingExtra


def mpiexec():
    try:
        return find_mpiexec()
    except MissingExtra as missing:
        pytest.skip(str(missing))
