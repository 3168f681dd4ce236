from __future__ import annotations

import gzip
import re
import urllib.request
from dataclasses import replace

import pytest

import phalanx as px
from phalanx.view import Viewer

pytest.importorskip("viser")


def page(viewer, **headers):
    asked = urllib.request.Request(viewer.url, headers=headers)
    with urllib.request.urlopen(asked) as answer:
        body = answer.read()
        assert len(body) == int(answer.headers["Content-Length"])
        return body


def test_the_page_has_the_machines_name_and_our_style():
    odd = replace(px.library.double_pendulum(), name="<b>&'arm'")
    with Viewer(odd, port=0) as viewer:
        plain = page(viewer, **{"Accept-Encoding": "identity"})
        assert gzip.decompress(page(viewer, **{"Accept-Encoding": "gzip"})) == plain
    head = plain[: plain.index(b"</head>")].decode(errors="replace")
    assert re.search(r"<title>(.*)</title>", head)[1] == "&lt;b&gt;&amp;&#x27;arm&#x27; · Phalanx"
    assert "Viser client" not in head
    assert ".mantine-NumberInput-input" in head and "aria-label" in head
