from __future__ import annotations

import pytest

from phalanx.base.errors import InvalidInput
from phalanx.view.cockpit.replay import SPEEDS, Playback

# of a recording from 5 to 9 s, on a clock that says 100 s
SHOWN = Playback.of("dig", 5.0, 9.0, 100.0)


def test_it_plays_by_the_clock_and_ends_at_its_end():
    assert [SHOWN.time(now) for now in (100.0, 101.5, 104.0, 999.0)] == [5.0, 6.5, 9.0, 9.0]
    assert SHOWN.is_playing(103.9) and not SHOWN.is_playing(104.0)


def test_it_stands_still_and_goes_on_where_it_was():
    paused = SHOWN.played(False, 101.0)
    assert paused.time(150.0) == 6.0 and not paused.is_playing(101.0)
    assert paused.played(True, 200.0).time(201.0) == 7.0


def test_from_its_end_it_begins_anew():
    assert SHOWN.played(True, 110.0).time(111.0) == 6.0
    assert SHOWN.played(False, 110.0).time(111.0) == 9.0


@pytest.mark.parametrize(("wanted", "found"), [(7.5, 7.5), (0.0, 5.0), (1e9, 9.0), (-1e9, 5.0)])
def test_it_is_moved_by_hand(wanted, found):
    assert SHOWN.sought(wanted, 102.0).time(102.0) == found
    assert SHOWN.played(False, 101.0).sought(wanted, 102.0).time(150.0) == found


def test_another_speed_counts_from_now_on():
    assert SHOWN.at_speed(0.5, 101.0).time(103.0) == 7.0
    assert SHOWN.at_speed(2.0, 101.0).time(102.0) == 8.0
    for speed in SPEEDS:
        assert SHOWN.at_speed(speed, 101.0).time(101.0) == 6.0


@pytest.mark.parametrize("speed", [0.0, -1.0, 1e3, float("nan")])
def test_a_speed_nobody_could_watch_is_refused(speed):
    with pytest.raises(InvalidInput, match="speed"):
        SHOWN.at_speed(speed, 101.0)
