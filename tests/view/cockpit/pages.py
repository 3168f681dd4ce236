"""Pages without a browser: what they say and hear, as a program."""

from __future__ import annotations

import json
import time

from websockets.sync.client import connect

from waiting import LONG


class Page:
    def __init__(self, port, max_queue=None, **options):
        self.socket = connect(
            f"ws://127.0.0.1:{port}/socket",
            compression=None,
            close_timeout=0.1,
            max_queue=max_queue,
            **options,
        )
        self._passed_over = []
        self.hello = self.hear("hello")
        self.number = self.hello["page"]

    def say(self, kind, **facts):
        self.socket.send(json.dumps({"type": kind, **facts}))

    def hear(self, kind, seconds=LONG, like=""):
        """The first message of a kind that contains a text, later than any of its kind heard."""
        start = f'{{"type":"{kind}"'
        waiting, self._passed_over = self._passed_over, []
        end = time.monotonic() + seconds
        while True:
            left = max(0.0, end - time.monotonic())
            text = waiting.pop(0) if waiting else self.socket.recv(timeout=left)
            if text.startswith(start) and like in text:
                self._passed_over += waiting
                return json.loads(text)
            if not text.startswith((start, '{"type":"telemetry"')):
                self._passed_over.append(text)

    def take(self):
        self.say("take")
        self.hear("state", like=f'"holder":{self.number},')

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()
