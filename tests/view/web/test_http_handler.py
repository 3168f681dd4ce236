from __future__ import annotations

import pytest

from phalanx.view.web.http_handler import HttpHandler, page_files

pytest.importorskip("websockets")

from websockets.datastructures import Headers
from websockets.http11 import Request

DOOR = HttpHandler(page_files("phalanx.view.cockpit"), "127.0.0.1", locked=False, view_port=8081)
LOCKED = HttpHandler(page_files("phalanx.view.cockpit"), "0.0.0.0", locked=True, view_port=8081)


def ask(path="/", handler=DOOR, host="127.0.0.1:8080", **headers):
    given = Headers({"Host": host} | {name.replace("_", "-"): v for name, v in headers.items()})
    return handler.answer(Request(path, given))


def test_the_page_and_its_files():
    for path in ("/", "/index.html", "/cockpit.css", "/cockpit.js", "/icon.svg", "/?x=1"):
        assert ask(path).status_code == 200
    assert b"<!doctype html>" in ask("/").body
    assert ask("/cockpit.js").headers["Content-Type"].startswith("text/javascript")


def test_every_file_the_page_names_is_there():
    import re

    files = page_files("phalanx.view.cockpit")
    page = files["/index.html"].decode()
    assert all(name in files for name in re.findall(r'(?:src|href)="(/[^"]*)"', page))
    for name, body in files.items():
        for other in re.findall(r'from "\./([^"]*)"', body.decode()):
            assert f"/{other}" in files, f"{name} imports it"


def test_the_page_needs_nothing_from_the_world():
    for name, body in page_files("phalanx.view.cockpit").items():
        text = body.decode().replace("http://www.w3.org/2000/svg", "")
        assert "https://" not in text and "http://" not in text.replace("http://${", ""), name


@pytest.mark.parametrize(
    "path",
    ["/no", "/../door.py", "/..%2fdoor.py", "//etc/passwd", "/page/", "/index.html/", "", "/\x00"],
)
def test_nothing_else_is_served(path):
    assert ask(path).status_code == 404


def test_headers_keep_the_page_to_itself():
    headers = ask("/").headers
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "frame-src http://127.0.0.1:8081;" in policy
    assert "connect-src 'self' ws://127.0.0.1:8080;" in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("host", ["127.0.0.1:8080", "localhost:8080", "[::1]:8080", "127.0.0.2"])
def test_names_of_this_machine(host):
    assert ask(host=host).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example:8080", "127.0.0.1.evil.example", "", "a b", "x;frame-src *", "10.0.0.1"]
)
def test_names_that_a_stranger_could_have_made_up(host):
    """A site can point its own name at this machine, and is then called from its own pages."""
    assert ask(host=host).status_code == 403


def test_a_locked_server_may_have_any_name_that_is_one():
    assert ask(handler=LOCKED, host="excavator.local:8080").status_code == 200
    assert ask(handler=LOCKED, host="x; frame-src *").status_code == 403


def test_the_socket_is_for_the_own_page_and_for_programs():
    upgrade = {"Upgrade": "websocket"}
    assert ask("/socket").status_code == 426
    assert ask("/socket", **upgrade) is None
    assert ask("/socket", Origin="http://127.0.0.1:8080", **upgrade) is None
    for origin in (
        "http://127.0.0.1:8081",
        "https://127.0.0.1:8080",
        "http://evil.example",
        "null",
    ):
        assert ask("/socket", Origin=origin, **upgrade).status_code == 403
        assert ask("/socket", LOCKED, Origin=origin, **upgrade).status_code == 403
