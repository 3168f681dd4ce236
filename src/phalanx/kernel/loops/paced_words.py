"""Shared memory between a real-time loop and its controls: words of 8 bytes, and tables.

Words of the first group are written by others, those of the second by the loop alone. ``PERIOD``
and ``LIMIT`` are doubles in the same 8 bytes.
"""

from __future__ import annotations

# told: end, pause, ns between steps, steps to be behind at most, steps left, do not wait, keep each
# so many states, end at a fault, which set of inputs counts, single steps asked for, states fetched
STOP, PAUSED, PERIOD, LIMIT, LEFT, FREE, EVERY, ENDS, TOLD, ASKED, FETCHED = range(11)
# telling: of the steps since the begin ...
COUNT, MISSED, LONGEST, ELAPSED, GIVEN_UP, LATE, FAULT = range(11, 18)
# ... and of the loop: whether others may change the state, how often it was shown, states kept,
# the step's own counter, single steps taken
IDLE, SEQUENCE, KEPT, NEXT, SINGLES = range(18, 23)
WORDS = 23

# addresses, then sizes, in the order of the table that the loop reads
PLACES = ("share", "table", "x", "after", "inputs", "told", "ring", "counts", "durations")
SIZES = ("size", "told_size")

DURATIONS = 1 << 16  # step times that are kept: the last minute at 1 kHz
RING = 1 << 12  # states that are kept until a thread fetches them
NAP = 1_000_000  # [ns] between two looks while paused
WAIT = 50_000_000  # [ns] between two looks while the next step is not due
FOREVER = 1e18  # [ns]: three decades, and far from where such numbers end
