"""Client session: what a connected page may do, and its queue of messages.

Reports are kept in one place for each kind, where the newest replaces what was not sent yet; so a
page that reads slowly sees fewer of them, never old ones, and nothing piles up.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

from phalanx.view.web import reading
from phalanx.view.web.client_authentication import is_token
from phalanx.view.web.rate_limit import RateLimit

if TYPE_CHECKING:
    from websockets.asyncio.server import ServerConnection

LETTERS = 16  # answers and notices that wait to be sent
REPEAT = 1.0  # [s] before the same notice is sent again


@final
@dataclass(frozen=True)
class Unlock:
    """The token that allows driving or editing."""

    token: str


UNLOCK_KINDS: reading.Kinds[Unlock] = {"unlock": (Unlock, {"token": reading.text})}


@final
class ClientSession:
    """A connected page."""

    def __init__(self, page: int, connection: ServerConnection, may_drive: bool) -> None:
        self.page = page
        self.connection = connection
        self.may_drive = may_drive
        self.wrong_tokens = 0
        self.window = ""  # the word by which the page's own 3-D view is known
        self.allowance = RateLimit()
        self.held_back: str | bytes | None = None  # the newest message beyond the allowance
        self._letters: deque[str] = deque(maxlen=LETTERS)
        self._newest: dict[str, str | bytes] = {}
        self._noticed: dict[str, float] = {}
        self._waiting = asyncio.Event()

    def unlock(self, message: Unlock, token: str | None, what: str) -> None:
        """Let the page drive if it knows the token, or none is needed.

        Args:
            message: What it said.
            token: What it has to know.
            what: What the token is of, for messages.

        Raises:
            Refused: When it said another word.
        """
        if token is not None and not is_token(message.token, token):
            self.wrong_tokens += 1
            raise reading.Refused(f"This is not the token of {what}.")
        self.may_drive = True
        self.post('{"type":"unlocked"}')

    def post(self, letter: str) -> None:
        """Send an answer soon; the oldest is lost when too many wait."""
        self._letters.append(letter)
        self._waiting.set()

    def offer(self, kind: str, report: str | bytes) -> None:
        """Send a report soon, instead of an older one of its kind."""
        self._newest[kind] = report
        self._waiting.set()

    def notice(self, text: str, now: float) -> None:
        """Show the user a notice, though not the same again and again."""
        self._noticed = {t: at for t, at in self._noticed.items() if now - at < REPEAT}
        if text not in self._noticed and len(self._noticed) < LETTERS:
            self._noticed[text] = now
            self.post(json.dumps({"type": "notice", "text": text}, separators=(",", ":")))

    async def send(self) -> None:
        """Send what waits, for as long as the page is there."""
        while True:
            await self._waiting.wait()
            self._waiting.clear()
            while self._letters:
                await self.connection.send(self._letters.popleft())
            for kind in list(self._newest):
                await self.connection.send(self._newest.pop(kind))
