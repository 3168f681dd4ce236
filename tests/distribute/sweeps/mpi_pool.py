"""Chunks on MPI's pool of executors; the first rank says what came back."""

import hashlib

from mpi4py import MPI
from mpi4py.futures import MPICommExecutor
from tests.distribute.sweeps.stand_ins import Swings

from phalanx.distribute.sweeps.engines import OnExecutor

if __name__ == "__main__":
    with MPICommExecutor(MPI.COMM_WORLD, root=0) as pool:
        if pool is not None:
            engine = OnExecutor(pool)
            found = dict(engine.each(Swings(), range(6)))
            all_bytes = b"".join(found[k]["q"].tobytes() for k in sorted(found))
            print(engine.workers, len(found), hashlib.sha256(all_bytes).hexdigest())
