from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phalanx.view.cockpit.control_handover import SILENCE, ControlHandover
from phalanx.view.web.reading import Refused


def test_the_first_that_asks_gets_free_controls():
    handover = ControlHandover().asked(1, now=0.0).asked(2, now=0.1)
    assert handover.holder == 1
    assert handover.wishes == (2,)


def test_asking_twice_changes_nothing():
    handover = ControlHandover().asked(1, 0.0).asked(2, 0.0)
    assert handover.asked(2, 1.0) == handover
    assert handover.asked(1, 1.0) == handover


def test_the_holder_hands_over_to_whom_it_likes():
    handover = ControlHandover().asked(1, 0.0).asked(2, 0.0).asked(3, 0.0)
    assert handover.handed_over(1, None, 1.0) == ControlHandover(2, (3,), 1.0)
    assert handover.handed_over(1, 3, 1.0) == ControlHandover(3, (2,), 1.0)


@pytest.mark.parametrize(("client", "to"), [(2, None), (1, 7), (1, 1)])
def test_nobody_else_hands_over_and_nobody_gets_what_it_did_not_ask_for(client, to):
    with pytest.raises(Refused):
        ControlHandover().asked(1, 0.0).asked(2, 0.0).handed_over(client, to, 1.0)


def test_there_must_be_somebody_to_hand_over_to():
    with pytest.raises(Refused, match="Nobody asked"):
        ControlHandover().asked(1, 0.0).handed_over(1, None, 1.0)


def test_controls_given_back_are_free():
    assert ControlHandover().asked(1, 0.0).released(1).holder is None
    with pytest.raises(Refused):
        ControlHandover().asked(1, 0.0).released(2)


def test_only_the_holder_moves():
    with pytest.raises(Refused, match="Take them first"):
        ControlHandover().moved(1, deflected=True)
    assert ControlHandover().asked(1, 0.0).moved(1, deflected=True).deflected


def test_silence_frees_the_controls_only_while_a_stick_is_off_its_centre():
    held = ControlHandover().asked(1, now=10.0)
    late = 10.0 + SILENCE + 1e-3
    assert held.checked(late) == held
    moving = held.moved(1, deflected=True)
    assert moving.checked(10.0 + SILENCE).holder == 1
    assert moving.checked(late).holder is None
    assert moving.heard_from(1, late).checked(late).holder == 1
    assert moving.heard_from(2, late).checked(late).holder is None, "others do not count"
    assert moving.moved(1, deflected=False).checked(late).holder == 1


def test_who_leaves_holds_and_wishes_nothing():
    handover = ControlHandover().asked(1, 0.0).asked(2, 0.0).asked(3, 0.0)
    assert handover.left(2).wishes == (3,)
    assert handover.left(1) == ControlHandover()
    assert handover.left(9) == handover


@given(
    st.lists(
        st.tuples(st.sampled_from("asked handed released left moved".split()), st.integers(1, 4))
    )
)
def test_a_holder_never_waits_for_itself_and_motion_never_outlives_a_holder(steps):
    handover, now = ControlHandover(), 0.0
    for step, client in steps:
        now += 0.3
        before = handover
        try:
            match step:
                case "asked":
                    handover = handover.asked(client, now)
                case "handed":
                    handover = handover.handed_over(client, None, now)
                case "released":
                    handover = handover.released(client)
                case "left":
                    handover = handover.left(client)
                case "moved":
                    handover = handover.moved(client, True).heard_from(client, now)
        except Refused:
            assert handover is before
        assert handover.holder not in handover.wishes
        assert len(set(handover.wishes)) == len(handover.wishes)
        if handover.holder != before.holder:
            assert not handover.deflected
        if handover.holder is None:
            assert handover == ControlHandover()
