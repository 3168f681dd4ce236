"""Studies that do what engines need to be tested with, in a module that workers can import."""

import ctypes
import os
import signal
import threading
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import phalanx as px
from phalanx.base.errors import UnknownName
from phalanx.kernel.llvm import portable_code as parcel
from phalanx.mechanism.library import double_pendulum


class StandIn:
    """Nothing that has to be compiled before it travels."""

    def prepare(self):
        pass


@dataclass(frozen=True)
class Swings:
    """Chunks of rollouts; a chunk also says what its process had to compile."""

    cases: int = 9
    step: float = 1e-3

    def prepare(self):
        self.work(0)

    def work(self, number):
        m = double_pendulum()
        q = np.random.default_rng([7, number]).uniform(-1, 1, (self.cases, m.nq))
        end = px.rollout(m, q, np.zeros(m.nv), steps=20, step=self.step, record=()).final_q
        return {"q": end, "process": os.getpid(), "built": parcel.names_built()}


@dataclass(frozen=True)
class Processors(StandIn):
    """A chunk is how many processors it may use."""

    def work(self, number):
        from phalanx.kernel.call.threads import processors

        return processors()


@dataclass(frozen=True)
class Wrong(StandIn):
    """An error that cannot be rebuilt from a pickle, and one that is no error of the library."""

    kind: str

    def work(self, number):
        if self.kind == "ours":
            raise UnknownName("a study", "case", "sholder", ["shoulder"])
        raise ZeroDivisionError("nothing left")


@dataclass(frozen=True)
class Deadly(StandIn):
    """Chunk 2 kills its process, the first few times."""

    folder: str
    times: int = 1

    def work(self, number):
        if number == 2:
            marks = Path(self.folder)
            done = len(list(marks.iterdir()))
            if done < self.times:
                (marks / str(done)).touch()
                os.kill(os.getpid(), signal.SIGKILL)
        return number


@dataclass(frozen=True)
class Heavy(StandIn):
    """Brings much along."""

    data: bytes

    def work(self, number):
        return len(self.data)


@dataclass(frozen=True)
class Attendance(StandIn):
    """Notes who has begun, so that a test sees how far ahead an engine runs."""

    folder: str

    def work(self, number):
        (Path(self.folder) / str(number)).touch()
        return number


@dataclass(frozen=True)
class Telling(StandIn):
    """Writes down which process works, and never ends."""

    folder: str

    def work(self, number):
        (Path(self.folder) / str(os.getpid())).touch()
        threading.Event().wait()


@dataclass(frozen=True)
class Holding(StandIn):
    """Chunk 1 holds up all threads of its process, once it is told to begin."""

    folder: str

    def work(self, number):
        if number == 1:
            while not (Path(self.folder) / "begin").exists():
                threading.Event().wait(0.01)
            (Path(self.folder) / "holds").touch()
            ctypes.PyDLL(None).sleep(10_000)
        return number


@dataclass(frozen=True)
class Homesick(StandIn):
    """Cannot be unpacked in another process."""

    home: int

    def __reduce__(self):
        return _at_home, (self.home,)

    def work(self, number):
        return number


def _at_home(home):
    if os.getpid() != home:
        raise RuntimeError("not at home")
    return Homesick(home)


def hangs_deaf(case):
    """Never ends, and does not listen to requests either; says which process it is."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    (Path(os.environ["PHALANX_TEST_FOLDER"]) / str(os.getpid())).touch()
    threading.Event().wait()
