"""Parent-death detection for MPI ranks (file lock).

Policy: the launcher holds a lock on a file in the job's folder; every rank waits for that lock in a
thread. The system lets go of it when the launcher's process ends, however it ends, and whatever
stands between it and the ranks (``mpiexec``, its proxies). A rank that gets the lock asks its own
process to end, as the launcher would have done, and kills it if that takes too long.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_NAME = "launcher"
GRACE = 3.0  # [s] for a rank to close what it has open, and to end the job


@contextmanager
def holding_lock(folder: Path) -> Iterator[None]:
    """Hold the lock of a job while its ranks run; for the launcher."""
    import fcntl  # not on Windows, which has no mpiexec from the extra either

    with (folder / _NAME).open("wb") as file:
        # of this process alone: children that a fork makes do not inherit it
        fcntl.lockf(file, fcntl.LOCK_EX)
        yield


def end_with_launcher(folder: Path) -> None:
    """From now on, end this process soon after its launcher; for a rank."""
    threading.Thread(target=_wait, args=(folder / _NAME,), daemon=True).start()


def _wait(path: Path) -> None:
    import fcntl

    try:
        with path.open("rb") as file:
            fcntl.lockf(file, fcntl.LOCK_SH)
    except OSError:
        pass  # the folder is gone, and so is who made it
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(GRACE)
    os._exit(128 + signal.SIGTERM)
