"""What the page may say, and nothing else."""

from __future__ import annotations

import json

import pytest

from phalanx.view.trajectory import messages
from phalanx.view.trajectory.messages import parse
from phalanx.view.web.reading import Refused

MOVE = {"waypoint": 2, "joint": 1, "position": 0.5, "time": None, "gesture": 3, "serial": 4}


@pytest.mark.parametrize(
    ("kind", "facts", "becomes"),
    [
        ("move", MOVE, messages.Move(2, 1, 0.5, None, 3, 4)),
        ("move", MOVE | {"time": 1}, messages.Move(2, 1, 0.5, 1.0, 3, 4)),
        ("insert", {"time": 0.5}, messages.Insert(0.5)),
        ("remove", {"waypoint": 1}, messages.Remove(1)),
        ("seek", {"time": 2}, messages.Seek(2.0)),
        ("play", {"on": True}, messages.Play(True)),
        ("do", {"what": "optimise"}, messages.Do("optimise")),
        ("unlock", {"token": "word"}, messages.Unlock("word")),
    ],
)
def test_what_the_page_says(kind, facts, becomes):
    assert parse(json.dumps({"type": kind, **facts})) == becomes


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        b"{}",
        '{"type":"fly"}',
        '{"type":"do","what":"format the disk"}',
        '{"type":"do","what":["undo"]}',
        '{"type":"seek","time":NaN}',
        '{"type":"seek","time":true}',
        '{"type":"remove","waypoint":1.5}',
        '{"type":"play","on":1}',
        json.dumps({"type": "move", **MOVE, "more": 1}),
        json.dumps({"type": "move", **(MOVE | {"joint": "1"})}),
        json.dumps({"type": "move", **(MOVE | {"position": None})}),
        json.dumps({"type": "move", **(MOVE | {"position": 10**400})}),
    ],
)
def test_what_it_may_not_say(text):
    with pytest.raises(Refused):
        parse(text)
