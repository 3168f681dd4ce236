from __future__ import annotations

import pytest

import phalanx as px
from phalanx.view.web.access_control import AccessControl, check_token, passes

pytest.importorskip("viser")

from msgspec import msgpack
from websockets.datastructures import Headers
from websockets.http11 import Request

TOKEN = "open-sesame-42"
HERE = AccessControl("127.0.0.1", None)
ABROAD = AccessControl("0.0.0.0", TOKEN)
CAMERA = {
    "type": "ViewerCameraMessage",
    "wxyz": (1.0, 0.0, 0.0, 0.0),
    "position": (1.0, 1.0, 1.0),
    "fov": 0.7,
    "near": 0.1,
    "far": 10.0,
    "image_height": 10,
    "image_width": 10,
    "look_at": (0.0, 0.0, 0.0),
    "up_direction": (0.0, 0.0, 1.0),
}


def request(path="/", host="127.0.0.1:8080", socket=False, **headers):
    if socket:
        headers["Upgrade"] = "websocket"
    return Request(path, Headers({"Host": host} | headers))


def status(access, *said, **headers):
    refused = access.answer(request(*said, **headers))
    return None if refused is None else refused.status_code


def update(value=0.5, uuid="shared", **others):
    return msgpack.encode(
        {"type": "GuiUpdateMessage", "uuid": uuid, "updates": {"value": value} | others}
    )


def is_shared(uuid):
    return uuid == "shared"


@pytest.mark.parametrize("host", ["127.0.0.1:8080", "localhost:8080", "[::1]:8080"])
def test_the_own_page_comes_in(host):
    assert status(HERE, host=host) is None
    assert status(HERE, host=host, socket=True, Origin=f"http://{host}") is None
    assert HERE.may_touch(request(host=host))


def test_programs_send_no_origin():
    assert status(HERE, socket=True) is None


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "https://127.0.0.1:8080", "http://127.0.0.1:9999", "null"]
)
def test_pages_of_others_do_not(origin):
    assert status(HERE, socket=True, Origin=origin) == 403
    assert status(ABROAD, f"/?token={TOKEN}", socket=True, Origin=origin) == 403


@pytest.mark.parametrize("host", ["evil.example:8080", "127.0.0.1.evil.example", "", "a b"])
def test_names_that_a_stranger_could_have_made_up(host):
    assert status(HERE, host=host) == 403
    assert status(ABROAD, host=host) == 403


def test_from_other_machines_one_may_watch_by_address_and_touch_with_the_token():
    assert status(ABROAD, host="192.0.2.7:8080") is None
    assert not ABROAD.may_touch(request(host="192.0.2.7:8080"))
    assert not ABROAD.may_touch(request("/?token=open-sesame-43"))
    assert ABROAD.may_touch(request(f"/?darkMode&token={TOKEN}"))
    assert status(ABROAD, f"/?token={TOKEN}", host="excavator.local:8080") is None


def test_the_token_stays_with_the_browser_for_this_port_only():
    told = ABROAD.headers(request(f"/?token={TOKEN}"))
    cookie = told["Set-Cookie"]
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie
    pair = cookie.partition(";")[0]
    assert ABROAD.may_touch(request(socket=True, Cookie=f"other=1; {pair}"))
    assert not ABROAD.may_touch(request(socket=True, host="127.0.0.1:8081", Cookie=pair))
    assert "Set-Cookie" not in ABROAD.headers(request("/"))
    assert "Set-Cookie" not in HERE.headers(request("/"))


def test_only_pages_of_the_same_machine_may_embed_it():
    told = HERE.headers(request(host="localhost:8080"))
    assert (
        told["Content-Security-Policy"] == "frame-ancestors http://localhost:* http://127.0.0.1:*"
    )


def test_cameras_and_values_of_controls_pass():
    for raw in (msgpack.encode(CAMERA), update(), update(True), update("Home"), update(3)):
        assert passes(raw, True, is_shared)


def pull(name="/handle", **changed):
    pose = {"wxyz": (1.0, 0.0, 0.0, 0.0), "position": (0.1, 0.2, 0.3)} | changed
    return msgpack.encode({"type": "TransformControlsUpdateMessage", "name": name} | pose)


def grip(kind, name="/handle"):
    return msgpack.encode({"type": f"TransformControlsDrag{kind}Message", "name": name})


def test_a_handle_is_moved_by_who_may_touch():
    for raw in (pull(), grip("Start"), grip("End")):
        assert passes(raw, True, is_shared)
        assert not passes(raw, False, is_shared)


def test_who_only_watches_may_use_what_nobody_else_sees():
    assert passes(msgpack.encode(CAMERA), False, is_shared)
    assert passes(update("Cab", uuid="own"), False, is_shared)
    assert not passes(update(), False, is_shared)


@pytest.mark.parametrize(
    "raw",
    [
        "text",
        b"",
        b"\xc1",
        b"\x91" * 100_000,  # lists in lists
        msgpack.encode({"type": "NoSuchMessage"}),
        msgpack.encode({"no": "type"}),
        msgpack.encode([1, 2]),
        msgpack.encode({"type": "ShareUrlRequest"}),
        msgpack.encode(CAMERA | {"unknown": 1}),
        update(float("nan")),
        update(float("inf")),
        update(1e301),
        update("x" * 1000),
        update([1.0, 2.0]),
        update({"a": 1}),
        update(None),
        update(0.5, removed=True),  # takes the slider away from everybody
        update(0.5, min=-1e9),
        pull("/machine/link_1"),
        pull(position=(float("nan"), 0.0, 0.0)),
        pull(position=(1e10, 0.0, 0.0)),
        pull(wxyz=(0.0, 0.0, 0.0, 0.0)),
        grip("Start", "/machine"),
    ],
    ids=repr,
)
def test_nothing_else_passes(raw):
    assert not passes(raw, True, is_shared)


@pytest.mark.parametrize("token", ["", "short", "with space in it", "#token=abcdefgh", "x" * 200])
def test_tokens_that_are_none(token):
    with pytest.raises(px.InvalidInput, match="8 to 128"):
        check_token(token)
