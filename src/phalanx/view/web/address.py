"""Server addresses: the socket that listens, and the URL of the page."""

from __future__ import annotations

import ipaddress
import socket

from phalanx.base.errors import InvalidInput

LOCAL = "127.0.0.1"
EVERYWHERE = ("0.0.0.0", "::")
TRIED = 100  # ports, before giving up


def check_address(host: str) -> None:
    """Refuse an address that is not this machine's, on which a server would search ports forever.

    Raises:
        InvalidInput: When it is none.
    """
    try:
        family = socket.getaddrinfo(host, None)[0][0]
        with socket.socket(family) as trial:
            trial.bind((host, 0))
    except (OSError, UnicodeError) as error:
        raise InvalidInput(
            f"cannot listen on '{host}': {error}. Use {LOCAL}, an address of this machine, or "
            f"{EVERYWHERE[0]} for all of them."
        ) from error


def listening_socket(host: str, port: int) -> socket.socket:
    """A socket that listens on a port, or on the next free one; on any when the port is 0.

    Raises:
        InvalidInput: When the address is not this machine's, or no port near is free.
    """
    check_address(host)
    if not 0 <= port <= 65535:
        raise InvalidInput(f"port={port}; expected 0 to 65535, with 0 for any free one.")
    family = socket.getaddrinfo(host, None)[0][0]
    last = min(port + TRIED, 65535)
    for tried in range(port, last + 1):
        listener = socket.socket(family)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, tried))
            listener.listen()
        except OSError:
            listener.close()
        else:
            return listener
    raise InvalidInput(
        f"no free port on '{host}' from {port} to {last}. Use another, or 0 for any free one."
    )


def is_local(host: str) -> bool:
    """Whether only programs on this machine can reach a server on that address."""
    family, *_, place = socket.getaddrinfo(host, None)[0]
    return (
        family in (socket.AF_INET, socket.AF_INET6)
        and ipaddress.ip_address(str(place[0]).partition("%")[0]).is_loopback
    )


def url_of(host: str, port: int) -> str:
    """URL of a server, for a browser on this machine."""
    host = "localhost" if host in EVERYWHERE else host
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"
