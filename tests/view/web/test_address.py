from __future__ import annotations

import socket

import pytest

import phalanx as px
from phalanx.view.web.address import is_local, listening_socket, url_of


def test_a_port_in_use_gives_the_next_free_one():
    with listening_socket("127.0.0.1", 0) as first:
        taken = first.getsockname()[1]
        with listening_socket("127.0.0.1", taken) as second:
            assert taken < second.getsockname()[1] <= taken + 100


@pytest.mark.parametrize("port", [-1, 65536])
def test_ports_that_do_not_exist(port):
    with pytest.raises(px.InvalidInput, match="0 to 65535"):
        listening_socket("127.0.0.1", port)


def test_no_port_left():
    with socket.socket() as last:
        last.bind(("127.0.0.1", 65535))
        last.listen()
        with pytest.raises(px.InvalidInput, match="no free port"):
            listening_socket("127.0.0.1", 65535)


@pytest.mark.parametrize("host", ["203.0.113.7", "no.such.host.invalid", ""])
def test_addresses_of_others(host):
    with pytest.raises(px.InvalidInput, match="cannot listen"):
        listening_socket(host, 0)


@pytest.mark.parametrize(
    ("host", "local"), [("127.0.0.1", True), ("localhost", True), ("0.0.0.0", False)]
)
def test_who_reaches_an_address(host, local):
    assert is_local(host) is local


def test_addresses_as_one_types_them():
    assert url_of("127.0.0.1", 80) == "http://127.0.0.1:80"
    assert url_of("0.0.0.0", 80) == "http://localhost:80"
    assert url_of("::1", 80) == "http://[::1]:80"
