from __future__ import annotations

import json
import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from phalanx.view.cockpit import messages
from phalanx.view.cockpit.messages import parse
from phalanx.view.web.reading import Refused


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ({"type": "sticks", "values": [0, 0.5, -1, 1]}, messages.Sticks((0.0, 0.5, -1.0, 1.0))),
        ({"type": "unlock", "token": "abc"}, messages.Unlock("abc")),
        ({"type": "take"}, messages.Take()),
        ({"type": "hand_over", "to": 3}, messages.HandOver(3)),
        ({"type": "hand_over", "to": None}, messages.HandOver(None)),
        ({"type": "release"}, messages.Release()),
        ({"type": "mode", "mode": "JOINT"}, messages.SetMode("JOINT")),
        ({"type": "start"}, messages.Resume()),
        ({"type": "pause"}, messages.Pause()),
        ({"type": "reset"}, messages.Reset()),
        ({"type": "record", "on": True}, messages.Record(True)),
        ({"type": "replay", "name": None}, messages.ShowRecording(None)),
        ({"type": "replay", "name": "dig"}, messages.ShowRecording("dig")),
        ({"type": "play", "on": False}, messages.Play(False)),
        ({"type": "seek", "time": 3}, messages.Seek(3.0)),
        ({"type": "replay_speed", "speed": 0.5}, messages.ReplaySpeed(0.5)),
        ({"type": "window", "key": "a1b2"}, messages.Window("a1b2")),
        ({"type": "camera", "cab": True}, messages.Camera(True)),
        ({"type": "beat", "sent": 12.5}, messages.Beat(12.5)),
    ],
)
def test_every_message(facts, message):
    assert parse(json.dumps(facts)) == message


def test_deflections_beyond_the_end_are_the_end():
    assert parse('{"type":"sticks","values":[-7,0.25,1e300,1]}') == messages.Sticks(
        (-1.0, 0.25, 1.0, 1.0), clamped=True
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nonsense",
        "[]",
        "7",
        "null",
        '"take"',
        "{}",
        '{"type":null}',
        '{"type":["take"]}',
        '{"type":{}}',
        '{"type":"explode"}',
        '{"type":"take","now":true}',
        '{"type":"sticks"}',
        '{"type":"sticks","values":0.5}',
        '{"type":"sticks","values":[0,0,0]}',
        '{"type":"sticks","values":[0,0,0,0,0]}',
        '{"type":"sticks","values":[NaN,0,0,0]}',
        '{"type":"sticks","values":[0,Infinity,0,0]}',
        '{"type":"sticks","values":[0,-Infinity,0,0]}',
        '{"type":"sticks","values":[1e999,0,0,0]}',
        '{"type":"sticks","values":["1",0,0,0]}',
        '{"type":"sticks","values":[true,0,0,0]}',
        '{"type":"sticks","values":[null,0,0,0]}',
        '{"type":"sticks","values":[' + "9" * 400 + ",0,0,0]}",
        '{"type":"hand_over","to":1.5}',
        '{"type":"hand_over","to":true}',
        '{"type":"record","on":1}',
        '{"type":"mode","mode":3}',
        '{"type":"unlock","token":"' + "x" * 300 + '"}',
        "[" * 2000,
        '{"a":' * 400,
        b'{"type":"take"}',
        b"\xff\x00",
    ],
)
def test_what_is_no_message_is_refused(text):
    with pytest.raises(Refused):
        parse(text)


def test_a_refusal_does_not_repeat_a_long_message():
    with pytest.raises(Refused) as caught:
        parse(json.dumps({"type": "x" * 1000}))
    assert len(str(caught.value)) < 300


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=12,
)
kinds = st.sampled_from(
    ["sticks", "unlock", "take", "hand_over", "mode", "record", "replay", "beat"]
)
shaped = st.builds(
    lambda kind, name, value: {"type": kind, name: value},
    kinds,
    st.sampled_from(["values", "token", "to", "mode", "on", "name", "sent"]),
    anything,
)


@given(st.text() | st.binary() | (anything | shaped).map(json.dumps))
@example('{"type": "sticks", "values": [0, 0, 0, "\\ud800"]}')
def test_whatever_comes_is_a_message_or_refused(text):
    try:
        message = parse(text)
    except Refused as error:
        assert str(error)
    else:
        assert isinstance(message, messages.Message)


@given(st.lists(st.floats(), min_size=4, max_size=4))
def test_deflections_that_pass_are_within_the_sticks(values):
    text = json.dumps({"type": "sticks", "values": values})
    if all(map(math.isfinite, values)):
        message = parse(text)
        assert message.values == tuple(min(max(value, -1.0), 1.0) for value in values)
        assert message.clamped == any(abs(value) > 1 for value in values)
    else:
        with pytest.raises(Refused):
            parse(text)
