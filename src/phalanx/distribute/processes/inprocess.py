"""Processes simulated in one process, one after the other: the embedded way, and the reference.

Policy: a node runs until it waits for what is not there. Letters to neighbours, and those of sums,
wait where they arrive, in the order in which they were sent; a message to all, or to the centre, is
answered when nobody else can go on. No threads, so the order is always the same and an error is
where it happens.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from phalanx.distribute.processes.letters import Carrying, Post, letters_of
from phalanx.distribute.processes.messages import (
    CENTRE,
    Answer,
    Array,
    Ask,
    Finished,
    Hear,
    Largest,
    Listen,
    Message,
    Pass,
    Program,
    Share,
    Sum,
    Tell,
    Traffic,
    UnmatchedMessages,
)


@dataclass(frozen=True)
class _Ended:
    """A program has nothing more to say."""

    result: Any


@dataclass(eq=False)
class _Node:
    """A program, what it has said last, and the letters that it waits for because of that."""

    number: int
    program: Program
    traffic: Traffic = field(default_factory=Traffic)
    said: Message | _Ended | None = None
    carrying: Carrying | None = None
    post: Post | None = None


def run_together(programs: Sequence[Program]) -> Finished:
    """Run the programs of all nodes to their end.

    Raises:
        UnmatchedMessages: They wait for something that nobody says.
    """
    try:
        return _Together(programs).run()
    finally:
        for program in programs:
            program.close()


class _Together:
    """The nodes, and letters that have not been taken yet."""

    def __init__(self, programs: Sequence[Program]) -> None:
        self.nodes = [_Node(number, program) for number, program in enumerate(programs)]
        self.mail: dict[tuple[str, int, int], deque[Array]] = defaultdict(deque)

    def run(self) -> Finished:
        for node in self.nodes:
            self.resume(node, None)
        while True:
            # a list, so that every node gets its turn
            while any([self.follow(node) for node in self.nodes]):
                pass
            ended = [node.said for node in self.nodes if isinstance(node.said, _Ended)]
            if len(ended) == len(self.nodes):
                self.check_all_taken()
                traffic = tuple(node.traffic for node in self.nodes)
                return Finished(tuple(one.result for one in ended), traffic)
            self.answer_all()

    def resume(self, node: _Node, reply: Any) -> None:
        """Let a program run until it says something that others have to answer."""
        while True:
            try:
                node.said = node.program.send(reply)
            except StopIteration as end:
                node.said = _Ended(end.value)
                return
            node.traffic.count(node.said)
            if not isinstance(node.said, Pass | Sum | Largest | Tell | Hear):
                return
            node.carrying = letters_of(node.said, node.number, len(self.nodes))
            try:
                node.post = next(node.carrying)
            except StopIteration as end:  # no other node is needed
                reply, node.carrying = end.value, None
                continue
            self.send(node, node.post)
            return

    def send(self, node: _Node, post: Post) -> None:
        for receiver, values in post.out.items():
            node.traffic.post(post.kind, receiver, values.size)
            self.mail[post.kind, node.number, receiver].append(_copy(values))

    def follow(self, node: _Node) -> bool:
        """Go on as far as letters lead that are there; whether that was any further."""
        post, carrying = node.post, node.carrying
        if post is None or carrying is None:
            return False
        boxes = {who: self.mail[post.awaited, who, node.number] for who in post.into}
        if not all(boxes.values()):
            return False
        arrived = {who: box.popleft() for who, box in boxes.items()}
        for who, values in arrived.items():
            if values.size != post.into[who]:
                raise UnmatchedMessages(
                    f"node {who} told {values.size} numbers where node {node.number} expected "
                    f"{post.into[who]}."
                )
        try:
            node.post = carrying.send(arrived)
        except StopIteration as end:
            node.post = node.carrying = None
            self.resume(node, end.value)
        else:
            self.send(node, node.post)
        return True

    def answer_all(self) -> None:
        """Answer messages to all, or to the centre, which need every node."""
        said = [node.said for node in self.nodes]
        shared = [message for message in said if isinstance(message, Share)]
        if len(shared) == len(said):
            for node, share in zip(self.nodes, shared, strict=True):
                self.count_letters(node, share)
            for node, reply in zip(self.nodes, _exchanged(shared), strict=True):
                self.resume(node, reply)
            return
        centre = self.nodes[CENTRE]
        asked = [message for message in said if isinstance(message, Ask)]
        if not isinstance(centre.said, Listen) or len(asked) != len(said) - 1:
            raise UnmatchedMessages(f"at the same time {_in_words(said)}.")
        told = [_copy(ask.values) for ask in asked]
        _check_sizes(tuple(values.size for values in told), centre.said.expects)
        self.resume(centre, told)
        answer = centre.said
        if not isinstance(answer, Answer):
            raise UnmatchedMessages(f"asked by all others, {_in_words([answer])}.")
        self.count_letters(centre, answer)
        for node, ask in zip(self.nodes[1:], asked, strict=True):
            _check_sizes((answer.values.size,), (ask.expects,))
            self.count_letters(node, ask)
        self.resume(centre, None)
        for node in self.nodes[1:]:
            self.resume(node, _copy(answer.values))

    def count_letters(self, node: _Node, message: Share | Ask | Answer) -> None:
        post = next(letters_of(message, node.number, len(self.nodes)))
        for receiver, values in post.out.items():
            node.traffic.post(post.kind, receiver, values.size)

    def check_all_taken(self) -> None:
        for (kind, sender, receiver), letters in self.mail.items():
            if letters:
                raise UnmatchedMessages(
                    f"all nodes have ended, and {len(letters)} of what node {sender} told node "
                    f"{receiver} ({kind}) was not taken."
                )


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


def _in_words(said: Sequence[Message | _Ended | None]) -> str:
    return ", ".join(
        f"node {node} " + ("ends" if isinstance(one, _Ended) else f"says {type(one).__name__}")
        for node, one in enumerate(said)
    )
