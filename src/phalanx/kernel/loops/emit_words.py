"""Atomic words, finiteness checks and the clock of a real-time loop, as LLVM assembly.

A clock is the text of two functions, in ns of any origin: ``now()`` and ``wait_until(deadline)``.
"""

from __future__ import annotations

WORDS = """
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare i64 @llvm.fptosi.sat.i64.f64(double)
declare double @llvm.minnum.f64(double, double)

define internal i64 @get(ptr %words, i64 %k) alwaysinline nounwind {
  %at = getelementptr i64, ptr %words, i64 %k
  %v = load atomic i64, ptr %at seq_cst, align 8
  ret i64 %v
}

define internal double @number(ptr %words, i64 %k) alwaysinline nounwind {
  %bits = call i64 @get(ptr %words, i64 %k)
  %v = bitcast i64 %bits to double
  ret double %v
}

define internal void @set(ptr %words, i64 %k, i64 %v) alwaysinline nounwind {
  %at = getelementptr i64, ptr %words, i64 %k
  store atomic i64 %v, ptr %at seq_cst, align 8
  ret void
}

define internal void @add(ptr %words, i64 %k, i64 %v) alwaysinline nounwind {
  %old = call i64 @get(ptr %words, i64 %k)
  %new = add i64 %old, %v
  call void @set(ptr %words, i64 %k, i64 %new)
  ret void
}

; whether all numbers are finite: x - x is zero then, and not a number otherwise
define internal i1 @finite(ptr %x, i64 %size) nounwind {
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
}
"""


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
