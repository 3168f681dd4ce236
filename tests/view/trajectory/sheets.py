"""Curves as the page gets them, taken apart as its script does."""

from __future__ import annotations

import json

import numpy as np


def unpack(message: bytes):
    """The head, and times, q, v, a and torques."""
    length = int.from_bytes(message[:4], "little")
    head = json.loads(message[4 : 4 + length])
    numbers = np.frombuffer(message[4 + length :], dtype="<f4")
    n = head["joints"]
    count = len(numbers) // (1 + 4 * n)
    parts = numbers[count:].reshape(4, n, count)
    return head, numbers[:count], *parts
