"""All nodes in one process, one after the other: the embedded way to run, and the reference.

Policy: a node runs until it says something; when all have, each gets its reply. No threads, so the
order is always the same and an error is where it happens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from phalanx.distribute.nodes.messages import (
    CENTRE,
    Answer,
    Array,
    Ask,
    Finished,
    Listen,
    Message,
    Program,
    Share,
    Traffic,
    UnmatchedMessages,
)


@dataclass(frozen=True)
class _Ended:
    """A program has nothing more to say."""

    result: Any


def run_together(programs: Sequence[Program]) -> Finished:
    """Run the programs of all nodes to their end.

    Raises:
        UnmatchedMessages: They wait for something that nobody says.
    """
    nodes = len(programs)
    traffic = tuple(Traffic() for _ in programs)
    replies: list[Any] = [None] * nodes
    try:
        while True:
            said = [
                _resumed(program, reply) for program, reply in zip(programs, replies, strict=True)
            ]
            ended = [one for one in said if isinstance(one, _Ended)]
            if len(ended) == nodes:
                return Finished(tuple(one.result for one in ended), traffic)
            for one, message in zip(traffic, said, strict=True):
                if not isinstance(message, _Ended):
                    one.count(message, nodes)
            shared = [message for message in said if isinstance(message, Share)]
            if len(shared) == nodes:
                replies = _exchanged(shared)
                continue
            asked = [message for message in said if isinstance(message, Ask)]
            listening = said[CENTRE]
            if not isinstance(listening, Listen) or len(asked) != nodes - 1:
                raise UnmatchedMessages(f"at the same time {_in_words(said)}.")
            told = [_copy(ask.values) for ask in asked]
            _check_sizes(tuple(values.size for values in told), listening.expects)
            answer = _resumed(programs[CENTRE], told)
            if not isinstance(answer, Answer):
                raise UnmatchedMessages(f"asked by all others, {_in_words([answer])}.")
            traffic[CENTRE].count(answer, nodes)
            for ask in asked:
                _check_sizes((answer.values.size,), (ask.expects,))
            replies = [_copy(answer.values) for _ in said]
            replies[CENTRE] = None
    finally:
        for program in programs:
            program.close()


def _resumed(program: Program, reply: Any) -> Message | _Ended:
    """What a program says next."""
    try:
        return program.send(reply)
    except StopIteration as end:
        return _Ended(end.value)


def _exchanged(shared: Sequence[Share]) -> list[Any]:
    """What all have told, for each of them."""
    sizes = tuple(share.values.size for share in shared)
    for share in shared:
        _check_sizes(sizes, share.sizes)
    return [[_copy(share.values) for share in shared] for _ in shared]


def _copy(values: Array) -> Array:
    """Numbers as they would arrive elsewhere."""
    return np.array(values, dtype=np.float64)


def _check_sizes(told: tuple[int, ...], expected: tuple[int, ...]) -> None:
    if told != tuple(expected):
        raise UnmatchedMessages(
            f"nodes told {', '.join(map(str, told))} numbers where "
            f"{', '.join(map(str, expected))} were expected."
        )


def _in_words(said: Sequence[Message | _Ended]) -> str:
    return ", ".join(
        f"node {node} " + ("ends" if isinstance(one, _Ended) else f"says {type(one).__name__}")
        for node, one in enumerate(said)
    )
