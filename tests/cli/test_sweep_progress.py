from __future__ import annotations

import pytest

from phalanx.cli.sweep_progress import SweepBar, byte_words, time_words, words
from phalanx.distribute.sweeps.sweeping import SweepProgress


def test_the_rate_counts_what_this_run_did():
    """100 of 400 were there before; 150 took 3 s, so 150 more take another 3 s."""
    assert words(SweepProgress(400, 250, 100, 0, 3.0)) == "50 cases/s, 3 s left"
    assert words(SweepProgress(400, 400, 100, 7, 0.1)) == "3,000 cases/s, 0 ns left, 7 failed"
    assert words(SweepProgress(400, 100, 100, 0, 0.0)) == "0 cases/s"


def test_the_time_until_the_first_chunk_says_nothing_of_the_rate():
    first = SweepProgress(1000, 100, 0, 0, 10.0)
    assert words(first) == "10 cases/s, 1 min 30 s left"
    assert words(SweepProgress(1000, 600, 0, 0, 11.0), first) == "500 cases/s, 800 ms left"


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0.5, "500 ms"),
        (42.4, "42 s"),
        (61.0, "1 min 1 s"),
        (3599.6, "1 h 0 min"),
        (7260.0, "2 h 1 min"),
        (864000.0, "10.0 days"),
    ],
)
def test_times_have_the_units_that_say_most(seconds, said):
    assert time_words(seconds) == said


def test_sizes():
    assert [byte_words(n) for n in (12, 4.2e3, 1e7, 3e9)] == ["12 bytes", "4.2 kB", "10 MB", "3 GB"]


def test_without_a_terminal_a_tenth_is_a_line(capfd):
    with SweepBar("study", 1000, 0) as bar:
        for done in range(1, 1001):
            bar(SweepProgress(1000, done, 0, 0, 1e-3 * done))
    lines = [line for line in capfd.readouterr().err.splitlines() if line]
    assert len(lines) == 9 and lines[0].startswith("100 of 1,000 cases, 1,000 cases/s")
