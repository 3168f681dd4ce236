"""All nodes in one process, one after the other: the embedded way to run, and the reference.

Policy: a node runs until it says something; when all have, each gets its reply. No threads, so the
order is always the same and an error is where it happens.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from phalanx.distribute.messages import (
    CENTRE,
    Answer,
    Ask,
    Listen,
    Message,
    Program,
    Share,
    Traffic,
)


def run_together(programs: Sequence[Program]) -> list[Traffic]:
    """Run the programs of all nodes to their end; what each one sent."""
    nodes = len(programs)
    traffic = [Traffic() for _ in programs]
    replies: list[Any] = [None] * nodes
    try:
        while True:
            said = [
                _resumed(program, reply) for program, reply in zip(programs, replies, strict=True)
            ]
            if all(message is None for message in said):
                return traffic
            _count(traffic, said)
            shared = [message for message in said if isinstance(message, Share)]
            if len(shared) == nodes:
                replies = [[share.values.copy() for share in shared] for _ in said]
                continue
            asked = [message for message in said if isinstance(message, Ask)]
            assert isinstance(said[CENTRE], Listen) and len(asked) == nodes - 1, said
            answer = programs[CENTRE].send([ask.values.copy() for ask in asked])
            assert isinstance(answer, Answer), answer
            traffic[CENTRE].count(answer, nodes)
            replies = [answer.values.copy() for _ in said]
            replies[CENTRE] = None
    finally:
        for program in programs:
            program.close()


def _resumed(program: Program, reply: Any) -> Message | None:
    """What a program says next; nothing when it has ended."""
    try:
        return program.send(reply)
    except StopIteration:
        return None


def _count(traffic: Sequence[Traffic], said: Sequence[Message | None]) -> None:
    for one, message in zip(traffic, said, strict=True):
        if message is not None:
            one.count(message, len(said))
