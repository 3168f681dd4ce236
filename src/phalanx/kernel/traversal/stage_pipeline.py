"""Stage pipeline: stages in turn, each shared by several threads, in one native call.

Threads are not counted: units of a stage are taken from a counter, and the next stage begins when
all units are done. A thread that comes late joins the stage that is going on; one thread alone does
all. While a stage ends, those who have nothing left look again and again, and after a while give
way.

To wake a thread takes as long as a thousand bodies. So one that has helped stays in native code for
a moment and looks whether there is more to do: `open` holds the number of a call that is going on,
`inside` how many help with it. A call closes before it returns and waits until no thread is inside,
so no other thread touches its counters.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from phalanx.kernel.call.address import address
from phalanx.kernel.call.threads import helping_threads
from phalanx.kernel.interrupts.workers import WorkItem
from phalanx.kernel.llvm.native import Library, object_code
from phalanx.kernel.llvm.target import host_target
from phalanx.kernel.parallel.yield_processor import PAUSE, YIELD, yield_address
from phalanx.kernel.traversal.compile_traversal import TraversalKernel

# looks at a counter before a thread gives way
_PATIENCE = 2000
# looks of a helper for a next call before it goes to sleep: a few tenths of a millisecond
_ATTENTION = 20_000
# bytes between words that different threads write
_LINE = 64
# words of a course, a line each: these, then two counters for every stage
_OPEN, _INSIDE, _FAILED, _COUNTERS = range(4)

# between two looks at a counter
_WAIT = """\
wait:
  %again = add i64 %looks, 1
  %enough = icmp sgt i64 %again, {patience}
  br i1 %enough, label %tired, label %rest
rest:
  call void asm sideeffect "{pause}", "~{{memory}}"()
  br label %look
tired:
  %ignored = call i32 @{give_way}()
  br label %look
"""

_COURSE = """
declare i32 @{give_way}()

define internal void @stages(ptr %stages, i64 %count, ptr %words) nounwind {{
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
  %at = add i64 %pair, {counters}
  %next = getelementptr i8, ptr %words, i64 %at
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
  br i1 %good, label %counted, label %bad
bad:
  %failures = getelementptr i8, ptr %words, i64 {failed}
  store atomic i64 1, ptr %failures monotonic, align 8
  br label %counted
counted:
  %one = atomicrmw add ptr %finished, i64 1 acq_rel
  br label %take
look:
  %looks = phi i64 [ 0, %take ], [ %again, %rest ], [ 0, %tired ]
  %seen = load atomic i64, ptr %finished acquire, align 8
  %all = icmp sge i64 %seen, %units
  br i1 %all, label %over, label %wait
{wait}over:
  %s_next = add i64 %s, 1
  br label %stage
done:
  ret void
}}

define void @course(ptr %stages, i64 %count, ptr %words, i64 %number) nounwind {{
entry:
  %open = getelementptr i8, ptr %words, i64 {open}
  %inside = getelementptr i8, ptr %words, i64 {inside}
  store atomic i64 %number, ptr %open seq_cst, align 8
  call void @stages(ptr %stages, i64 %count, ptr %words)
  store atomic i64 0, ptr %open seq_cst, align 8
  br label %look
look:
  %looks = phi i64 [ 0, %entry ], [ %again, %rest ], [ 0, %tired ]
  %helping = load atomic i64, ptr %inside seq_cst, align 8
  %nobody = icmp eq i64 %helping, 0
  br i1 %nobody, label %done, label %wait
{wait}done:
  ret void
}}

define void @attend(ptr %stages, i64 %count, ptr %words) nounwind {{
entry:
  %open = getelementptr i8, ptr %words, i64 {open}
  %inside = getelementptr i8, ptr %words, i64 {inside}
  br label %look
look:
  %seen = phi i64 [ 0, %entry ], [ %seen, %rest ], [ %number, %leave ]
  %looks = phi i64 [ 0, %entry ], [ %again, %rest ], [ 0, %leave ]
  %number = load atomic i64, ptr %open seq_cst, align 8
  %there = icmp ne i64 %number, 0
  %new = icmp ne i64 %number, %seen
  %ready = and i1 %there, %new
  br i1 %ready, label %enter, label %idle
enter:
  %before = atomicrmw add ptr %inside, i64 1 seq_cst
  %still = load atomic i64, ptr %open seq_cst, align 8
  %same = icmp eq i64 %still, %number
  br i1 %same, label %help, label %leave
help:
  call void @stages(ptr %stages, i64 %count, ptr %words)
  br label %leave
leave:
  %after = atomicrmw sub ptr %inside, i64 1 seq_cst
  br label %look
idle:
  %again = add i64 %looks, 1
  %enough = icmp sgt i64 %again, {attention}
  br i1 %enough, label %done, label %rest
rest:
  call void asm sideeffect "{pause}", "~{{memory}}"()
  br label %look
done:
  ret void
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

    kernel: TraversalKernel
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
    waiting = {
        "pause": PAUSE.get(target.name.partition("-")[0], ""),
        "patience": _PATIENCE,
        "give_way": YIELD,
    }
    text = _COURSE.format(
        line=_LINE,
        pair=2 * _LINE,
        open=_LINE * _OPEN,
        inside=_LINE * _INSIDE,
        failed=_LINE * _FAILED,
        counters=_LINE * _COUNTERS,
        attention=_ATTENTION,
        wait=_WAIT.format(**waiting),
        **waiting,
    )
    code = object_code(text, target, effort=1)
    return Library(code, ("course", "attend"), {YIELD: yield_address()})


@final
class StagePipeline:
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
        self._words = np.zeros((_COUNTERS + 2 * len(stages), _LINE // 8), np.int64)
        self._arguments = address(self._records), len(self._stages), address(self._words)
        self._library = _library()
        pointer, number = ctypes.c_void_p, ctypes.c_int64
        self._run = ctypes.CFUNCTYPE(None, pointer, number, pointer, number)(
            self._library.address("course")
        )
        self._attend = ctypes.CFUNCTYPE(None, pointer, number, pointer)(
            self._library.address("attend")
        )
        self._calls, self._process = 0, os.getpid()
        self._helpers: list[WorkItem[None]] = []

    def __call__(self) -> None:
        """Go through all stages, with other threads where there are some.

        Raises:
            MemoryError: There was none for what passes keep.
        """
        words = self._words
        words[_FAILED:, 0] = 0
        self._calls += 1
        if self._threads > 1:
            self._wake()
        self._run(*self._arguments, self._calls)
        if words[_FAILED, 0]:
            raise MemoryError

    def _wake(self) -> None:
        """Have as many threads look for calls as may help."""
        if self._process != os.getpid():  # a forked child has none of its parent's threads
            self._process, self._helpers = os.getpid(), []
            self._words[_INSIDE] = 0
        self._helpers = [part for part in self._helpers if not part.over]
        with contextlib.suppress(RuntimeError):  # no more threads: this one does the rest
            while len(self._helpers) < self._threads - 1:
                part = WorkItem(self._help)
                self._helpers.append(part)
                helping_threads().hand(part)

    def _help(self) -> None:
        self._attend(*self._arguments)
