"""Forks beside a compilation: ``python tests/kernel/llvm/forks.py 8``.

A thread compiles all the time. The main thread forks, and every child compiles something itself.
Ends with 0 when all children did.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time

import casadi as ca
import numpy as np

from phalanx.kernel import compile

LIMIT = 30.0  # [s] for a child, which needs a part of a second


def rotated(links: int) -> ca.Function:
    """So many sines in a row."""
    x = ca.SX.sym("x", 2)
    y = x
    for k in range(links):
        y = ca.vertcat(ca.sin(y[1]) + k, y[0] * 0.5)
    return ca.Function("rotated", [x], [y], ["x"], ["y"])


def child() -> int:
    """Compile and evaluate; the exit code."""
    small = rotated(3)
    found = compile(small, cache=False)(np.ones(2))
    return int(not np.allclose(found, np.array(small(np.ones(2))).ravel()))


def ends_well(process: int) -> bool:
    """Whether a child ends with 0 in time; otherwise it is ended."""
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:
        done, status = os.waitpid(process, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status) == 0
        time.sleep(5e-3)
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    return False


def main(forks: int) -> None:
    """Fork so often, once the other thread is at work."""
    large, over, busy = rotated(600), threading.Event(), threading.Event()

    def compile_all_the_time() -> None:
        while not over.is_set():
            compile(large, cache=False)
            busy.set()

    thread = threading.Thread(target=compile_all_the_time)
    thread.start()
    busy.wait()
    failed = 0
    for k in range(forks):
        time.sleep(0.003 * k)
        process = os.fork()
        if process == 0:
            code = 2
            try:
                code = child()
            finally:
                os._exit(code)
        failed += not ends_well(process)
    over.set()
    thread.join()
    print(f"{forks - failed} of {forks} children ended well")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main(int(sys.argv[1]))
