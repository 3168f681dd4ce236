"""Real-time loop as LLVM assembly: no interpreter between one step and the next.

``pace`` takes steps when they are due and keeps count, until it is stopped. Its inputs and
outputs are words in a memory that others read and write while it runs (``paced_words``). A
step works on memory of its own; its result is copied to where others look under a counter that is
odd meanwhile (a sequence lock), so that none waits and a torn copy shows itself. Inputs come the
other way: who changes them writes a whole set beside the one that counts, then says that this does.
"""

from __future__ import annotations

from phalanx.kernel.loops import paced_words as w
from phalanx.kernel.loops.emit_words import SYSTEM_CLOCK, WORDS


def emit_paced(clock: str = SYSTEM_CLOCK) -> str:
    """The text of a module with the function ``pace(words, places)``; see ``emit_clock``."""
    named = [(name, "ptr") for name in w.PLACES] + [(name, "i64") for name in w.SIZES]
    places = "".join(
        f"  %at_{name} = getelementptr i64, ptr %places, i64 {k}\n"
        f"  %{name} = load {kind}, ptr %at_{name}\n"
        for k, (name, kind) in enumerate(named)
    )
    return f"{clock}\n{WORDS}\n{_pace(places)}"


def _pace(places: str) -> str:
    """The loop, after loading where everything is."""
    return f"""
define void @pace(ptr %words, ptr %places) nounwind {{
entry:
{places}  %bytes = mul i64 %size, 8
  %told_bytes = mul i64 %told_size, 8
  %row_bytes = add i64 %bytes, %told_bytes
  %first = call i64 @now()
  %usual = call double @number(ptr %words, i64 {w.PERIOD})
  br label %turn

turn:
  %deadline = phi i64 [ %first, %entry ], [ %later, %rest ], [ %resumed, %asleep ],
    [ %begin, %ill ], [ %aim, %wait ], [ %deadline, %crowded ]
  %mark = phi i64 [ %first, %entry ], [ %end, %rest ], [ %resumed, %asleep ], [ %begin, %ill ],
    [ %mark, %wait ], [ %mark, %crowded ]
  ; the period by which the deadline was set, and the part of a nanosecond that it lies beyond
  %period = phi double [ %usual, %entry ], [ %pace, %rest ], [ %pace, %asleep ], [ %pace, %ill ],
    [ %pace, %wait ], [ %period, %crowded ]
  %part = phi double [ 0.0, %entry ], [ %part_after, %rest ], [ 0.0, %asleep ], [ 0.0, %ill ],
    [ %part, %wait ], [ %part, %crowded ]
  %stop = call i64 @get(ptr %words, i64 {w.STOP})
  %stops = icmp ne i64 %stop, 0
  br i1 %stops, label %leave, label %counted
counted:
  %left = call i64 @get(ptr %words, i64 {w.LEFT})
  %over = icmp eq i64 %left, 0
  %free = call i64 @get(ptr %words, i64 {w.FREE})
  %is_free = icmp ne i64 %free, 0
  br i1 %over, label %leave, label %room
room:
  ; when what is to be kept finds no room, steps wait for it; but not where none fetches meanwhile
  %keeping = call i64 @get(ptr %words, i64 {w.EVERY})
  %kept = call i64 @get(ptr %words, i64 {w.KEPT})
  %fetched = call i64 @get(ptr %words, i64 {w.FETCHED})
  %unread = sub i64 %kept, %fetched
  %is_full = icmp sge i64 %unread, {w.RING - 1}
  %is_keeping = icmp sgt i64 %keeping, 0
  %is_crowded = and i1 %is_full, %is_keeping
  %waits = select i1 %is_free, i1 false, i1 %is_crowded
  br i1 %waits, label %crowded, label %open
crowded:
  call void @set(ptr %words, i64 {w.IDLE}, i64 1)
  %before = call i64 @now()
  %emptier = add i64 %before, {w.NAP}
  call void @wait_until(i64 %emptier)
  br label %turn
open:
  ; not idle, then look again: a thread that pauses and finds it idle may change everything
  call void @set(ptr %words, i64 {w.IDLE}, i64 0)
  %pace = call double @number(ptr %words, i64 {w.PERIOD})
  %paused = call i64 @get(ptr %words, i64 {w.PAUSED})
  %pauses = icmp ne i64 %paused, 0
  br i1 %pauses, label %halted, label %due

halted:
  %asked = call i64 @get(ptr %words, i64 {w.ASKED})
  %singles = call i64 @get(ptr %words, i64 {w.SINGLES})
  %has_single = icmp sgt i64 %asked, %singles
  br i1 %has_single, label %single, label %asleep
single:
  call void @add(ptr %words, i64 {w.SINGLES}, i64 1)
  %single_at = call i64 @now()
  br label %work
asleep:
  call void @set(ptr %words, i64 {w.IDLE}, i64 1)
  %here = call i64 @now()
  %ran = sub i64 %here, %mark
  call void @add(ptr %words, i64 {w.ELAPSED}, i64 %ran)
  %soon = add i64 %here, {w.NAP}
  call void @wait_until(i64 %soon)
  %resumed = call i64 @now()
  br label %turn

due:
  br i1 %is_free, label %work, label %early
early:
  %today = call i64 @now()
  ; with another speed, what is left until the deadline shrinks or grows
  %is_new = fcmp one double %pace, %period
  %until_now = sub i64 %deadline, %today
  %until_real = sitofp i64 %until_now to double
  %ratio = fdiv double %pace, %period
  %stretched = fmul double %until_real, %ratio
  %bounded = call double @llvm.minnum.f64(double %stretched, double {w.FOREVER:e})
  %until_new = call i64 @llvm.fptosi.sat.i64.f64(double %bounded)
  %moved_to = add i64 %today, %until_new
  %aim = select i1 %is_new, i64 %moved_to, i64 %deadline
  %is_time = icmp sle i64 %aim, %today
  br i1 %is_time, label %work, label %wait
wait:
  ; a long wait is cut, so that stopping or pausing it need not wait as long
  %patience = add i64 %today, {w.WAIT}
  %is_near = icmp sle i64 %aim, %patience
  %until = select i1 %is_near, i64 %aim, i64 %patience
  call void @wait_until(i64 %until)
  br label %turn

work:
  %due_at = phi i64 [ %single_at, %single ], [ %deadline, %due ], [ %aim, %early ]
  %since = phi i64 [ %single_at, %single ], [ %mark, %due ], [ %mark, %early ]
  br label %listen
listen:
  %set = call i64 @get(ptr %words, i64 {w.TOLD})
  %which = and i64 %set, 1
  %told_shift = mul i64 %which, %told_bytes
  %told_place = getelementptr i8, ptr %told, i64 %told_shift
  call void @llvm.memcpy.p0.p0.i64(ptr %inputs, ptr %told_place, i64 %told_bytes, i1 false)
  fence acquire
  %set_after = call i64 @get(ptr %words, i64 {w.TOLD})
  %is_whole = icmp eq i64 %set, %set_after
  br i1 %is_whole, label %step, label %listen
step:
  %begin = call i64 @now()
  call void @set(ptr %words, i64 {w.NEXT}, i64 0)
  %counter = getelementptr i64, ptr %words, i64 {w.NEXT}
  %failed = call i32 %share(ptr %table, ptr %counter, i64 1, i64 1)
  %worked = icmp eq i32 %failed, 0
  %sane = call i1 @finite(ptr %after, i64 %size)
  %fine = and i1 %worked, %sane
  br i1 %fine, label %well, label %ill
ill:
  call void @set(ptr %words, i64 {w.FAULT}, i64 1)
  call void @set(ptr %words, i64 {w.PAUSED}, i64 1)
  %ends = call i64 @get(ptr %words, i64 {w.ENDS})
  %at_once = or i64 %ends, %free
  %leaves = icmp ne i64 %at_once, 0
  br i1 %leaves, label %leave, label %turn

well:
  %count = call i64 @get(ptr %words, i64 {w.COUNT})
  %every = call i64 @get(ptr %words, i64 {w.EVERY})
  %keeps = icmp sgt i64 %every, 0
  br i1 %keeps, label %chosen, label %show
chosen:
  %phase = srem i64 %count, %every
  %is_due = icmp eq i64 %phase, 0
  br i1 %is_due, label %keep, label %show
keep:
  %head = call i64 @get(ptr %words, i64 {w.KEPT})
  %slot = and i64 %head, {w.RING - 1}
  %shift = mul i64 %slot, %row_bytes
  %place = getelementptr i8, ptr %ring, i64 %shift
  %place_told = getelementptr i8, ptr %place, i64 %bytes
  %place_count = getelementptr i64, ptr %counts, i64 %slot
  call void @llvm.memcpy.p0.p0.i64(ptr %place, ptr %x, i64 %bytes, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %place_told, ptr %inputs, i64 %told_bytes, i1 false)
  store i64 %count, ptr %place_count
  call void @add(ptr %words, i64 {w.KEPT}, i64 1)
  br label %show

show:
  call void @add(ptr %words, i64 {w.SEQUENCE}, i64 1)
  fence release
  call void @llvm.memcpy.p0.p0.i64(ptr %x, ptr %after, i64 %bytes, i1 false)
  %taken = add i64 %count, 1
  call void @set(ptr %words, i64 {w.COUNT}, i64 %taken)
  call void @add(ptr %words, i64 {w.SEQUENCE}, i64 1)
  %end = call i64 @now()
  %lasted = sub i64 %end, %begin
  %where = and i64 %count, {w.DURATIONS - 1}
  %duration = getelementptr i64, ptr %durations, i64 %where
  store i64 %lasted, ptr %duration
  %longest = call i64 @get(ptr %words, i64 {w.LONGEST})
  %is_longer = icmp sgt i64 %lasted, %longest
  %now_longest = select i1 %is_longer, i64 %lasted, i64 %longest
  call void @set(ptr %words, i64 {w.LONGEST}, i64 %now_longest)
  %more = sub i64 %end, %since
  call void @add(ptr %words, i64 {w.ELAPSED}, i64 %more)
  call void @add(ptr %words, i64 {w.LEFT}, i64 -1)
  %sum = fadd double %part, %pace
  %whole = call i64 @llvm.fptosi.sat.i64.f64(double %sum)
  %whole_real = sitofp i64 %whole to double
  %part_after = fsub double %sum, %whole_real
  %next_deadline = add i64 %due_at, %whole
  %late = sub i64 %end, %next_deadline
  %missed = icmp sgt i64 %late, 0
  br i1 %missed, label %behind, label %on_time
on_time:
  call void @set(ptr %words, i64 {w.LATE}, i64 0)
  br label %rest
behind:
  call void @add(ptr %words, i64 {w.MISSED}, i64 1)
  ; so many steps are made up for; what lies further back is given up
  %limit = call double @number(ptr %words, i64 {w.LIMIT})
  %lag_real = fmul double %limit, %pace
  %lag = call i64 @llvm.fptosi.sat.i64.f64(double %lag_real)
  %too_far = sub i64 %late, %lag
  %gives_up = icmp sgt i64 %too_far, 0
  %moved = select i1 %gives_up, i64 %too_far, i64 0
  call void @add(ptr %words, i64 {w.GIVEN_UP}, i64 %moved)
  %still = sub i64 %late, %moved
  call void @set(ptr %words, i64 {w.LATE}, i64 %still)
  br label %rest
rest:
  %skipped = phi i64 [ 0, %on_time ], [ %moved, %behind ]
  %later = add i64 %next_deadline, %skipped
  br label %turn

leave:
  call void @set(ptr %words, i64 {w.IDLE}, i64 1)
  ret void
}}
"""
