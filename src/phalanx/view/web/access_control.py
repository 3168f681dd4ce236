"""Access control of a 3-D view: which clients may see it, and which may edit it.

The rules are those of the cockpit. The view is shown to its own page, called by a name that no
attacker can have made up, or to clients with the token. Where there is a token, only they may
touch what all see; the others watch. The token comes with the address of the page, once, and stays
with the browser as a cookie, since the page opens its socket by itself.
"""

from __future__ import annotations

import http
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any, final
from urllib.parse import parse_qs

from phalanx.base.errors import InvalidInput
from phalanx.view.web.client_authentication import Caller, caller_of, is_token, refusal

if TYPE_CHECKING:
    from websockets.http11 import Request, Response

TOKEN = re.compile(r"[A-Za-z0-9_-]{8,128}")
LONGEST_TEXT = 200  # characters of a choice
LOCAL_NAMES = ("localhost", "127.0.0.1")
HANDLE = "/handle"  # the one node of a scene that a page may move
COOKIE = "phalanx_view_"  # and the port: cookies do not tell ports of one machine apart


@final
@dataclass(frozen=True)
class AccessControl:
    """Decides on requests and messages.

    Attributes:
        bound_to: The address that the server listens on.
        token: What to know before touching; None where only this machine reaches the server.
    """

    bound_to: str
    token: str | None

    def answer(self, request: Request) -> Response | None:
        """Why a request is refused; nothing when it is not."""
        caller = caller_of(request)
        if caller is None or not (self._has_token(request, caller) or self._is_named(caller)):
            return refusal(http.HTTPStatus.FORBIDDEN, "This server has another name.")
        if caller.wants_socket and not caller.is_own_page:
            return refusal(http.HTTPStatus.FORBIDDEN, "This is not the server's own page.")
        return None

    def may_touch(self, request: Request) -> bool:
        """Return whether this client may edit the shared view."""
        caller = caller_of(request)
        return self.token is None or (caller is not None and self._has_token(request, caller))

    def headers(self, request: Request) -> Mapping[str, str]:
        """What goes with the page: who may embed it, and the token for its socket."""
        caller = caller_of(request)
        assert caller is not None  # it was let in
        # pages of the same machine: the cockpit, a notebook, which may call it by another name
        names = dict.fromkeys([caller.name, *(LOCAL_NAMES if caller.is_local else ())])
        pages = " ".join(f"http://{name}:*" for name in names)
        headers = {
            "Content-Security-Policy": f"frame-ancestors {pages}",
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cache-Control": "no-store",
        }
        if self.token is not None and self._has_token(request, caller):
            name = _cookie_name(caller)
            headers["Set-Cookie"] = f"{name}={self.token}; HttpOnly; SameSite=Strict; Path=/"
        return headers

    def _is_named(self, caller: Caller) -> bool:
        if self.token is None:
            return caller.named_by_owner(self.bound_to)
        return caller.named_by_address

    def _has_token(self, request: Request, caller: Caller) -> bool:
        if self.token is None:
            return False
        said = parse_qs(request.path.partition("?")[2], max_num_fields=20).get("token", [])
        said += _cookies(request).get(_cookie_name(caller), [])
        return any(is_token(word, self.token) for word in said)


def check_token(token: str) -> None:
    """Refuse a token that could be guessed, or does not fit into an address.

    Raises:
        InvalidInput: When it is none.
    """
    if not TOKEN.fullmatch(token):
        raise InvalidInput(
            f"a token of {len(token)} characters; expected 8 to 128 letters, digits, '-' and "
            "'_'. Leave it out to have one made up."
        )


def passes(raw: Any, may_touch: bool, is_shared: Callable[[str], bool]) -> bool:
    """Whether a message of a page is one that the view's page sends, and may send.

    The library behind the view knows many more, with which a page could change what belongs to
    others: take controls away, run commands, upload files.

    Args:
        raw: What came through the socket.
        may_touch: Whether the page may change what all see.
        is_shared: Whether all see a control.
    """
    from viser import _messages

    if not isinstance(raw, bytes):
        return False
    try:
        message = _messages.Message.deserialize(raw)
    except Exception:  # whatever nonsense makes a decoder raise
        return False
    if isinstance(message, _messages.ViewerCameraMessage):
        return True
    if isinstance(message, _messages.TransformControlsUpdateMessage):
        numbers = [*message.wxyz, *message.position]
        is_turn = any(message.wxyz)
        return may_touch and message.name == HANDLE and is_turn and all(map(_is_number, numbers))
    if isinstance(
        message,
        _messages.TransformControlsDragStartMessage | _messages.TransformControlsDragEndMessage,
    ):
        return may_touch and message.name == HANDLE
    if not isinstance(message, _messages.GuiUpdateMessage) or set(message.updates) != {"value"}:
        return False
    return _is_plain(message.updates["value"]) and (may_touch or not is_shared(message.uuid))


def _is_plain(value: Any) -> bool:
    """Whether it is a value that some control of the view has."""
    match value:
        case bool():
            return True
        case int() | float():
            return abs(value) < 1e300 and isfinite(value)
        case str():
            return len(value) <= LONGEST_TEXT
    return False


def _is_number(value: Any) -> bool:
    """Whether it is a number that a place in a scene may have."""
    return isinstance(value, int | float) and abs(value) < 1e9


def _cookie_name(caller: Caller) -> str:
    return COOKIE + (caller.host.rpartition(":")[2] if caller.host != caller.name else "80")


def _cookies(request: Request) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for header in request.headers.get_all("Cookie"):
        for part in header.split(";")[:50]:
            name, _, value = part.strip().partition("=")
            found.setdefault(name, []).append(value)
    return found
