from __future__ import annotations

import pytest

from phalanx.base.errors import InvalidInput
from phalanx.view.replay.playback import Playback


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def shown(clock):
    """A recording from 5 to 9 s that began to play when the clock said 100 s."""
    made = Playback(5.0, 9.0, clock=clock)
    assert made.time == 5.0 and not made.playing
    made.play()
    return made


def test_it_plays_by_the_clock_and_ends_at_its_end(shown, clock):
    for clock.now, time in ((100.0, 5.0), (101.5, 6.5), (103.9, 8.9), (104.0, 9.0), (999.0, 9.0)):
        assert shown.time == pytest.approx(time) and shown.playing is (clock.now < 104.0)


def test_it_stands_still_and_goes_on_where_it_was(shown, clock):
    clock.now = 101.0
    shown.pause()
    assert not shown.playing
    clock.now = 150.0
    assert shown.time == 6.0
    shown.play()
    clock.now = 151.0
    assert shown.time == 7.0


def test_from_its_end_it_begins_anew(shown, clock):
    clock.now = 110.0
    shown.pause()
    assert shown.time == 9.0
    shown.play()
    clock.now = 111.0
    assert shown.time == 6.0


@pytest.mark.parametrize(("wanted", "found"), [(7.5, 7.5), (0.0, 5.0), (1e9, 9.0), (-1e9, 5.0)])
def test_it_is_moved_by_hand(shown, clock, wanted, found):
    clock.now = 102.0
    shown.seek(wanted)
    assert shown.time == found
    shown.pause()
    shown.seek(wanted)
    clock.now = 150.0
    assert shown.time == found


def test_another_speed_counts_from_now_on(shown, clock):
    clock.now = 101.0
    shown.set_speed(0.5)
    assert shown.time == 6.0 and shown.speed == 0.5
    clock.now = 103.0
    assert shown.time == 7.0
    shown.set_speed(2.0)
    clock.now = 104.0
    assert shown.time == 9.0


@pytest.mark.parametrize("speed", [0.0, -1.0, float("inf"), float("nan")])
def test_what_is_no_speed_changes_nothing(shown, clock, speed):
    with pytest.raises(InvalidInput, match="speed"):
        shown.set_speed(speed)
    with pytest.raises(InvalidInput, match="speed"):
        Playback(0.0, 1.0, speed=speed)
    clock.now = 101.0
    assert shown.time == 6.0 and shown.speed == 1.0


def test_in_a_loop_it_begins_again_and_never_ends(shown, clock):
    shown.set_loop(True)
    clock.now = 103.0
    assert shown.time == 8.0
    clock.now = 105.0
    assert shown.time == 6.0 and shown.playing
    shown.set_loop(False)  # to the end of this round
    clock.now = 107.0
    assert shown.time == 8.0
    clock.now = 109.0
    assert shown.time == 9.0 and not shown.playing


def test_a_last_time_may_change(shown, clock):
    clock.now = 103.0
    shown.set_end(7.0)
    assert shown.time == 7.0 and not shown.playing
    shown.set_end(20.0)
    clock.now = 104.0
    assert shown.time == 8.0


def test_who_shows_it_hears_of_changes():
    said = []
    shown = Playback(0.0, 1.0, changed=lambda: said.append(shown.playing))
    shown.play()
    shown.pause()
    shown.seek(0.5)
    assert said == [True, False, False]


def test_one_moment_has_no_time_to_play():
    for loop in (False, True):
        shown = Playback(2.0, 2.0, loop=loop)
        shown.play()
        assert shown.time == 2.0 and shown.playing is loop
