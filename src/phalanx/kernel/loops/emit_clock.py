"""Clock of a real-time loop, as LLVM assembly.

A clock is the text of two functions, in ns of any origin: ``now()`` and ``wait_until(deadline)``.
"""

from __future__ import annotations

SYSTEM_CLOCK = """
%time = type { i64, i64 }
declare i32 @clock_gettime(i32, ptr)
declare i32 @clock_nanosleep(i32, i32, ptr, ptr)

define internal i64 @now() nounwind {
  %t = alloca %time
  call i32 @clock_gettime(i32 1, ptr %t)
  %s = load i64, ptr %t
  %at = getelementptr i8, ptr %t, i64 8
  %n = load i64, ptr %at
  %m = mul i64 %s, 1000000000
  %r = add i64 %m, %n
  ret i64 %r
}

define internal void @wait_until(i64 %deadline) nounwind {
  %t = alloca %time
  %s = sdiv i64 %deadline, 1000000000
  %n = srem i64 %deadline, 1000000000
  store i64 %s, ptr %t
  %at = getelementptr i8, ptr %t, i64 8
  store i64 %n, ptr %at
  call i32 @clock_nanosleep(i32 1, i32 1, ptr %t, ptr null)
  ret void
}
"""
