"""Stages that follow each other, each shared by several threads, in one native call.

Threads are not counted: units of a stage are taken from a counter, and the next stage begins when
all units are done. Whoever comes late joins the stage that is going on; one thread alone does all.
While a stage ends, those who have nothing left look again and again, and after a while give way.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from phalanx.kernel.call.address import address
from phalanx.kernel.call.threads import helping_threads
from phalanx.kernel.interrupts.workers import Part
from phalanx.kernel.llvm.native import Library, object_code
from phalanx.kernel.llvm.target import host_target
from phalanx.kernel.parallel.give_way import PAUSE, YIELD, yield_address
from phalanx.kernel.sweeps.sweep import SweepKernel

# looks at a counter before a thread gives way
_PATIENCE = 2000
# bytes between counters that different threads write
_LINE = 64

_COURSE = """
declare i32 @{give_way}()

define i32 @course(ptr %stages, i64 %count, ptr %counters) nounwind {{
entry:
  br label %stage
stage:
  %s = phi i64 [ 0, %entry ], [ %s_next, %over ]
  %more = icmp slt i64 %s, %count
  br i1 %more, label %begin, label %done
begin:
  %record = getelementptr [5 x i64], ptr %stages, i64 %s
  %code = load ptr, ptr %record
  %p1 = getelementptr i64, ptr %record, i64 1
  %table = load ptr, ptr %p1
  %p2 = getelementptr i64, ptr %record, i64 2
  %units = load i64, ptr %p2
  %p3 = getelementptr i64, ptr %record, i64 3
  %width = load i64, ptr %p3
  %p4 = getelementptr i64, ptr %record, i64 4
  %samples = load i64, ptr %p4
  %pair = mul i64 %s, {pair}
  %next = getelementptr i8, ptr %counters, i64 %pair
  %finished = getelementptr i8, ptr %next, i64 {line}
  br label %take
take:
  %unit = atomicrmw add ptr %next, i64 1 monotonic
  %mine = icmp slt i64 %unit, %units
  br i1 %mine, label %work, label %look
work:
  %start = mul i64 %unit, %width
  %past = add i64 %start, %width
  %short = icmp slt i64 %past, %samples
  %end = select i1 %short, i64 %past, i64 %samples
  %failed = call i32 %code(ptr %table, i64 %start, i64 %end, ptr %next)
  %good = icmp eq i32 %failed, 0
  %one = atomicrmw add ptr %finished, i64 1 acq_rel
  br i1 %good, label %take, label %bad
bad:
  %failures = getelementptr i8, ptr %counters, i64 -{line}
  store atomic i64 1, ptr %failures monotonic, align 8
  br label %take
look:
  %looks = phi i64 [ 0, %take ], [ %again, %rest ], [ 0, %give_way ]
  %seen = load atomic i64, ptr %finished acquire, align 8
  %all = icmp sge i64 %seen, %units
  br i1 %all, label %over, label %wait
wait:
  %again = add i64 %looks, 1
  %tired = icmp sgt i64 %again, {patience}
  br i1 %tired, label %give_way, label %rest
rest:
  call void asm sideeffect "{pause}", "~{{memory}}"()
  br label %look
give_way:
  %ignored = call i32 @{give_way}()
  br label %look
over:
  %s_next = add i64 %s, 1
  br label %stage
done:
  ret i32 0
}}
"""


@dataclass(frozen=True)
class Stage:
    """Work that may be shared.

    Attributes:
        kernel: Machine code.
        table: Of the call.
        samples: How many there are.
        width: How many a thread takes at a time.
    """

    kernel: SweepKernel
    table: Any
    samples: int
    width: int

    @property
    def units(self) -> int:
        """How many times a thread can take some."""
        return -(-self.samples // self.width)


@functools.cache
def _library() -> Library:
    target = host_target()
    pause = PAUSE.get(target.name.partition("-")[0], "")
    text = _COURSE.format(
        line=_LINE, pair=2 * _LINE, patience=_PATIENCE, pause=pause, give_way=YIELD
    )
    code = object_code(text, target, effort=1)
    return Library(code, ("course",), {YIELD: yield_address()})


@final
class Course:
    """Stages ready to run, again and again, by one caller at a time."""

    def __init__(self, stages: Sequence[Stage], threads: int, *owned: object) -> None:
        """Lay out the records; ``owned`` lives as long as this."""
        self._stages, self._owned, self._threads = tuple(stages), owned, threads
        self._records = np.array(
            [
                (one.kernel.address, address(one.table), one.units, one.width, one.samples)
                for one in stages
            ],
            np.int64,
        )
        prototype = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p)
        self._library = _library()
        self._run = prototype(self._library.address("course"))

    def __call__(self) -> None:
        """Go through all stages, with other threads where there are some.

        Raises:
            MemoryError: There was none for what walks keep.
        """
        # of this call alone: a thread that comes late finds a course that is over, and leaves
        counters = np.zeros((2 * len(self._stages) + 1) * _LINE // 8, np.int64)
        first = address(counters) + _LINE
        arguments = address(self._records), len(self._stages), first

        def work() -> int:
            return self._run(*arguments)

        parts = [Part(work) for _ in range(self._threads - 1)]
        try:
            with contextlib.suppress(RuntimeError):  # no more threads: this one does the rest
                for part in parts:
                    helping_threads().hand(part)
            work()
            for part in parts:
                if part.begun():
                    part.result()
        except BaseException:
            for part in parts:
                part.settle(lambda: None)
            raise
        if counters[0]:
            raise MemoryError
