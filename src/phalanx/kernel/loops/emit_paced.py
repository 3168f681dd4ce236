"""A step taken by the clock, as LLVM assembly: no interpreter between one step and the next.

``pace`` takes steps when they are due and keeps count, until it is told to end. What it is told and
what it tells are words of 8 bytes in a memory that others read and write while it runs. A step
works on memory of its own; its result is copied to where others look under a counter that is odd
meanwhile (a sequence lock), so that nobody waits and a torn copy shows itself.
"""

from __future__ import annotations

# words: told
STOP, PAUSED, PERIOD, LEFT, FREE, LAG, EVERY = range(7)
# words: telling
COUNT, MISSED, LONGEST, ELAPSED, GIVEN_UP, LATE, FAULT, IDLE, SEQUENCE, KEPT, NEXT = range(7, 18)
WORDS = 18

DURATIONS = 1 << 16  # step times that are kept: the last minute at 1 kHz
RING = 1 << 12  # rows that are kept until somebody fetches them
NAP = 1_000_000  # [ns] between two looks while paused
WAIT = 50_000_000  # [ns] between two looks while the next step is not due

_ARGUMENTS = "ptr %words, ptr %table, ptr %share, ptr %x, ptr %after, i64 %size, ptr %row"
_ARGUMENTS += ", i64 %width, ptr %ring, ptr %durations"


def emit_paced() -> str:
    """The text of a module with the function ``pace``."""
    return f"""
%time = type {{ i64, i64 }}
declare i32 @clock_gettime(i32, ptr)
declare i32 @clock_nanosleep(i32, i32, ptr, ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define internal i64 @now() nounwind {{
  %t = alloca %time
  call i32 @clock_gettime(i32 1, ptr %t)
  %s = load i64, ptr %t
  %at = getelementptr i8, ptr %t, i64 8
  %n = load i64, ptr %at
  %m = mul i64 %s, 1000000000
  %r = add i64 %m, %n
  ret i64 %r
}}

define internal void @wait_until(i64 %deadline) nounwind {{
  %t = alloca %time
  %s = sdiv i64 %deadline, 1000000000
  %n = srem i64 %deadline, 1000000000
  store i64 %s, ptr %t
  %at = getelementptr i8, ptr %t, i64 8
  store i64 %n, ptr %at
  call i32 @clock_nanosleep(i32 1, i32 1, ptr %t, ptr null)
  ret void
}}

define internal i64 @get(ptr %words, i64 %k) alwaysinline nounwind {{
  %at = getelementptr i64, ptr %words, i64 %k
  %v = load atomic i64, ptr %at seq_cst, align 8
  ret i64 %v
}}

define internal void @set(ptr %words, i64 %k, i64 %v) alwaysinline nounwind {{
  %at = getelementptr i64, ptr %words, i64 %k
  store atomic i64 %v, ptr %at seq_cst, align 8
  ret void
}}

define internal void @add(ptr %words, i64 %k, i64 %v) alwaysinline nounwind {{
  %old = call i64 @get(ptr %words, i64 %k)
  %new = add i64 %old, %v
  call void @set(ptr %words, i64 %k, i64 %new)
  ret void
}}

; whether all numbers are finite: x - x is zero then, and not a number otherwise
define internal i1 @finite(ptr %x, i64 %size) nounwind {{
entry:
  br label %next
next:
  %i = phi i64 [ 0, %entry ], [ %j, %good ]
  %over = icmp eq i64 %i, %size
  br i1 %over, label %yes, label %look
look:
  %at = getelementptr double, ptr %x, i64 %i
  %v = load double, ptr %at
  %d = fsub double %v, %v
  %is = fcmp oeq double %d, 0.0
  %j = add i64 %i, 1
  br i1 %is, label %good, label %no
good:
  br label %next
yes:
  ret i1 true
no:
  ret i1 false
}}

define void @pace({_ARGUMENTS}) nounwind {{
entry:
  %bytes = mul i64 %size, 8
  %row_bytes = mul i64 %width, 8
  %first = call i64 @now()
  br label %turn

turn:
  %deadline = phi i64 [ %first, %entry ], [ %later, %rest ], [ %resumed, %asleep ],
    [ %begin, %ill ], [ %deadline, %early ]
  %mark = phi i64 [ %first, %entry ], [ %end, %rest ], [ %resumed, %asleep ], [ %begin, %ill ],
    [ %mark, %early ]
  %stop = call i64 @get(ptr %words, i64 {STOP})
  %stops = icmp ne i64 %stop, 0
  br i1 %stops, label %leave, label %counted
counted:
  %left = call i64 @get(ptr %words, i64 {LEFT})
  %over = icmp eq i64 %left, 0
  br i1 %over, label %leave, label %open
open:
  ; not idle, then look again: whoever pauses and finds it idle may change everything
  call void @set(ptr %words, i64 {IDLE}, i64 0)
  %paused = call i64 @get(ptr %words, i64 {PAUSED})
  %pauses = icmp ne i64 %paused, 0
  br i1 %pauses, label %asleep, label %due

asleep:
  call void @set(ptr %words, i64 {IDLE}, i64 1)
  %here = call i64 @now()
  %run = sub i64 %here, %mark
  call void @add(ptr %words, i64 {ELAPSED}, i64 %run)
  %soon = add i64 %here, {NAP}
  call void @wait_until(i64 %soon)
  %resumed = call i64 @now()
  br label %turn

due:
  %free = call i64 @get(ptr %words, i64 {FREE})
  %is_free = icmp ne i64 %free, 0
  br i1 %is_free, label %work, label %early
early:
  ; a long wait is cut, so that whoever stops or pauses it need not wait as long
  %today = call i64 @now()
  %patience = add i64 %today, {WAIT}
  %is_near = icmp sle i64 %deadline, %patience
  %until = select i1 %is_near, i64 %deadline, i64 %patience
  call void @wait_until(i64 %until)
  br i1 %is_near, label %work, label %turn

work:
  %begin = call i64 @now()
  call void @set(ptr %words, i64 {NEXT}, i64 0)
  %counter = getelementptr i64, ptr %words, i64 {NEXT}
  %failed = call i32 %share(ptr %table, ptr %counter, i64 1, i64 1)
  %worked = icmp eq i32 %failed, 0
  %sane = call i1 @finite(ptr %after, i64 %size)
  %fine = and i1 %worked, %sane
  br i1 %fine, label %well, label %ill
ill:
  call void @set(ptr %words, i64 {FAULT}, i64 1)
  call void @set(ptr %words, i64 {PAUSED}, i64 1)
  %was_free = call i64 @get(ptr %words, i64 {FREE})
  %nobody_waits = icmp eq i64 %was_free, 0
  br i1 %nobody_waits, label %turn, label %leave

well:
  %count = call i64 @get(ptr %words, i64 {COUNT})
  %every = call i64 @get(ptr %words, i64 {EVERY})
  %keeps = icmp sgt i64 %every, 0
  br i1 %keeps, label %chosen, label %show
chosen:
  %part = srem i64 %count, %every
  %is_due = icmp eq i64 %part, 0
  br i1 %is_due, label %keep, label %show
keep:
  %head = call i64 @get(ptr %words, i64 {KEPT})
  %slot = and i64 %head, {RING - 1}
  %shift = mul i64 %slot, %row_bytes
  %place = getelementptr i8, ptr %ring, i64 %shift
  call void @llvm.memcpy.p0.p0.i64(ptr %place, ptr %row, i64 %row_bytes, i1 false)
  %head_after = add i64 %head, 1
  call void @set(ptr %words, i64 {KEPT}, i64 %head_after)
  br label %show

show:
  call void @add(ptr %words, i64 {SEQUENCE}, i64 1)
  call void @llvm.memcpy.p0.p0.i64(ptr %x, ptr %after, i64 %bytes, i1 false)
  %taken = add i64 %count, 1
  call void @set(ptr %words, i64 {COUNT}, i64 %taken)
  call void @add(ptr %words, i64 {SEQUENCE}, i64 1)
  %end = call i64 @now()
  %lasted = sub i64 %end, %begin
  %where = and i64 %count, {DURATIONS - 1}
  %duration = getelementptr i64, ptr %durations, i64 %where
  store i64 %lasted, ptr %duration
  %longest = call i64 @get(ptr %words, i64 {LONGEST})
  %is_longer = icmp sgt i64 %lasted, %longest
  %now_longest = select i1 %is_longer, i64 %lasted, i64 %longest
  call void @set(ptr %words, i64 {LONGEST}, i64 %now_longest)
  %more = sub i64 %end, %mark
  call void @add(ptr %words, i64 {ELAPSED}, i64 %more)
  call void @add(ptr %words, i64 {LEFT}, i64 -1)
  %period = call i64 @get(ptr %words, i64 {PERIOD})
  %next_deadline = add i64 %deadline, %period
  %late = sub i64 %end, %next_deadline
  %missed = icmp sgt i64 %late, 0
  br i1 %missed, label %behind, label %on_time
on_time:
  call void @set(ptr %words, i64 {LATE}, i64 0)
  br label %rest
behind:
  call void @add(ptr %words, i64 {MISSED}, i64 1)
  ; deadlines are kept and made up for, but what lies too far back is given up
  %lag = call i64 @get(ptr %words, i64 {LAG})
  %too_far = sub i64 %late, %lag
  %gives_up = icmp sgt i64 %too_far, 0
  %moved = select i1 %gives_up, i64 %too_far, i64 0
  call void @add(ptr %words, i64 {GIVEN_UP}, i64 %moved)
  %still = sub i64 %late, %moved
  call void @set(ptr %words, i64 {LATE}, i64 %still)
  br label %rest
rest:
  %skipped = phi i64 [ 0, %on_time ], [ %moved, %behind ]
  %later = add i64 %next_deadline, %skipped
  br label %turn

leave:
  call void @set(ptr %words, i64 {IDLE}, i64 1)
  ret void
}}
"""
