"""Simulated processes: programs take turns in one process. The reference for MPI ranks.

Policy: a program runs until it waits for what is not there. Messages to neighbours, and those of
sums, wait where they arrive, in the order in which they were sent; a message to all, or to the
centre, is answered when no other program can go on. No threads, so the order is always the same and
an error is where it happens.
"""

from __future__ import annotations

import time
from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from phalanx.distribute.processes.job import ProgramResult
from phalanx.distribute.processes.messages import (
    CENTRE,
    AllGather,
    Array,
    Collect,
    Maximum,
    Message,
    NeighbourExchange,
    ProcessProgram,
    Receive,
    Reply,
    Request,
    Send,
    Sum,
    Traffic,
    UnmatchedMessages,
)
from phalanx.distribute.processes.transfers import Transfer, Transfers, transfers_of


@dataclass(frozen=True)
class _Ended:
    """A program that has returned."""

    result: Any


@dataclass(eq=False)
class _Process:
    """A program, its last message, and the transfer that it waits for because of that."""

    rank: int
    program: ProcessProgram
    traffic: Traffic = field(default_factory=Traffic)
    last: Message | _Ended | None = None
    transfers: Transfers | None = None
    transfer: Transfer | None = None


def run_together(programs: Sequence[ProcessProgram]) -> ProgramResult:
    """Run the programs of all processes to their end.

    Raises:
        UnmatchedMessages: They wait for a message that no program sends.
    """
    try:
        return _Together(programs).run()
    finally:
        for program in programs:
            program.close()


class _Together:
    """The processes, and messages that have not been received yet."""

    def __init__(self, programs: Sequence[ProcessProgram]) -> None:
        self.processes = [_Process(rank, program) for rank, program in enumerate(programs)]
        self.mail: dict[tuple[str, int, int], deque[Array]] = defaultdict(deque)

    def run(self) -> ProgramResult:
        begin = time.perf_counter()
        for process in self.processes:
            self.resume(process, None)
        while True:
            # a list, so that every process gets its turn
            while any([self.advance(process) for process in self.processes]):
                pass
            ended = [process.last for process in self.processes if isinstance(process.last, _Ended)]
            if len(ended) == len(self.processes):
                self.check_all_received()
                traffic = tuple(process.traffic for process in self.processes)
                seconds = time.perf_counter() - begin
                return ProgramResult(traffic, seconds, tuple(one.result for one in ended))
            self.answer_all()

    def resume(self, process: _Process, reply: Any) -> None:
        """Let a program run until it yields something that others have to answer."""
        while True:
            try:
                process.last = process.program.send(reply)
            except StopIteration as end:
                process.last = _Ended(end.value)
                return
            process.traffic.count(process.last)
            if not isinstance(process.last, NeighbourExchange | Sum | Maximum | Send | Receive):
                return
            process.transfers = transfers_of(process.last, process.rank, len(self.processes))
            try:
                process.transfer = next(process.transfers)
            except StopIteration as end:  # no other process is needed
                reply, process.transfers = end.value, None
                continue
            self.send(process, process.transfer)
            return

    def send(self, process: _Process, transfer: Transfer) -> None:
        for receiver, values in transfer.out.items():
            process.traffic.add(transfer.kind, receiver, values.size)
            self.mail[transfer.kind, process.rank, receiver].append(_copy(values))

    def advance(self, process: _Process) -> bool:
        """Go on as far as the messages that are there lead; return whether that was any further."""
        transfer, transfers = process.transfer, process.transfers
        if transfer is None or transfers is None:
            return False
        boxes = {who: self.mail[transfer.awaited, who, process.rank] for who in transfer.into}
        if not all(boxes.values()):
            return False
        arrived = {who: box.popleft() for who, box in boxes.items()}
        for who, values in arrived.items():
            if values.size != transfer.into[who]:
                raise UnmatchedMessages(
                    f"rank {who} sent {values.size} numbers where rank {process.rank} expected "
                    f"{transfer.into[who]}."
                )
        try:
            process.transfer = transfers.send(arrived)
        except StopIteration as end:
            process.transfer = process.transfers = None
            self.resume(process, end.value)
        else:
            self.send(process, process.transfer)
        return True

    def answer_all(self) -> None:
        """Answer messages to all, or to the centre, which need every process."""
        last = [process.last for process in self.processes]
        shared = [message for message in last if isinstance(message, AllGather)]
        if len(shared) == len(last):
            for process, message in zip(self.processes, shared, strict=True):
                self.count_sent(process, message)
            for process, reply in zip(self.processes, _gathered(shared), strict=True):
                self.resume(process, reply)
            return
        centre = self.processes[CENTRE]
        requests = [message for message in last if isinstance(message, Request)]
        if not isinstance(centre.last, Collect) or len(requests) != len(last) - 1:
            raise UnmatchedMessages(f"at the same time {_in_words(last)}.")
        collected = [_copy(request.values) for request in requests]
        _check_sizes(tuple(values.size for values in collected), centre.last.expects)
        self.resume(centre, collected)
        reply = centre.last
        if not isinstance(reply, Reply):
            raise UnmatchedMessages(f"after the requests of all others, {_in_words([reply])}.")
        self.count_sent(centre, reply)
        for process, request in zip(self.processes[1:], requests, strict=True):
            _check_sizes((reply.values.size,), (request.expects,))
            self.count_sent(process, request)
        self.resume(centre, None)
        for process in self.processes[1:]:
            self.resume(process, _copy(reply.values))

    def count_sent(self, process: _Process, message: AllGather | Request | Reply) -> None:
        transfer = next(transfers_of(message, process.rank, len(self.processes)))
        for receiver, values in transfer.out.items():
            process.traffic.add(transfer.kind, receiver, values.size)

    def check_all_received(self) -> None:
        for (kind, sender, receiver), messages in self.mail.items():
            if messages:
                raise UnmatchedMessages(
                    f"all programs have ended, and {len(messages)} messages from rank {sender} to "
                    f"rank {receiver} ({kind}) were not received."
                )


def _gathered(shared: Sequence[AllGather]) -> list[Any]:
    """What all have sent, for each of them."""
    sizes = tuple(message.values.size for message in shared)
    for message in shared:
        _check_sizes(sizes, message.sizes)
    return [[_copy(message.values) for message in shared] for _ in shared]


def _copy(values: Array) -> Array:
    """Numbers as they would arrive elsewhere."""
    return np.array(values, dtype=np.float64)


def _check_sizes(sent: tuple[int, ...], expected: tuple[int, ...]) -> None:
    if sent != tuple(expected):
        raise UnmatchedMessages(
            f"processes sent {', '.join(map(str, sent))} numbers where "
            f"{', '.join(map(str, expected))} were expected."
        )


def _in_words(last: Sequence[Message | _Ended | None]) -> str:
    return ", ".join(
        f"rank {rank} " + ("ends" if isinstance(one, _Ended) else f"yields {type(one).__name__}")
        for rank, one in enumerate(last)
    )
