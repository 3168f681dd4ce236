"""Dask engine: chunks on a cluster, by address, by client, by cluster, or one started here.

Policy: the payload is a plugin of the workers, so that those that are there and those that come
later have it before their first chunk, whoever of them is lost meanwhile. A chunk is one task, a
token and a number; Dask runs it again when its worker is lost. Each thread of a worker takes a
chunk. At most two chunks a thread are on their way, so that memory of client and scheduler stays
flat. A scheduler that is gone ends the sweep with an error, also one that is stopped and keeps its
connections: it is polled every second, and must reply in time. So do workers that are all gone for
longer than a first one was waited for.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import socket
import time
import uuid
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, final

from phalanx.base.arguments import positive, whole
from phalanx.base.errors import InvalidInput, MissingExtra, shown
from phalanx.base.short_repr import short_repr
from phalanx.distribute.sweeps.engines.engine import NOT_STARTED, EngineLost, SweepEngine
from phalanx.distribute.sweeps.engines.worker_payload import (
    Answer,
    ChunkWork,
    WorkerPayload,
    carry_out,
    packed,
    welcome,
)
from phalanx.kernel.call.threads import processors
from phalanx.kernel.llvm.portable_code import PortableCode

_ANSWER_WITHIN = 5.0  # [s] for a scheduler to answer at its address
_SILENT = 30.0  # [s] of silence after which a scheduler is gone; a busy one may take a while
_WORKER_WITHIN = 60.0  # [s] for a first worker to come
_PAUSE = 0.02  # [s] at most between looks at what is finished
_LOOK = 1.0  # [s] between looks at whether there are workers
_AHEAD = 2  # chunks a thread: one it works on, one that waits for it


@short_repr
@final
@dataclass(frozen=True)
class Dask(SweepEngine):
    """Chunks on a Dask cluster.

    Attributes:
        where: Address of a scheduler (``tcp://…``), a ``distributed.Client``, or a cluster
            (``LocalCluster``, ``SSHCluster``, those of dask-jobqueue and Kubernetes operators);
            None starts workers on this machine, one per processor.
        patience: How long to wait for a worker where there is none [s], at first and when all were
            lost, as queues of a cluster may take long.
        threads: How many threads a chunk uses. Dask gives a task one of its worker's threads; more
            are for workers that are set to one thread and have more processors.
    """

    where: Any = None
    patience: float = _WORKER_WITHIN
    threads: int = 1

    def __post_init__(self) -> None:
        """Check."""
        positive("patience", self.patience, "a positive number [s]")
        whole("threads", self.threads, 1, "a positive whole number")

    def check(self) -> None:
        """Raise when the extra is missing or no scheduler replies.

        Raises:
            MissingExtra: There is no ``distributed``.
            InvalidInput: The address is none, or no scheduler replies there.
        """
        if self.where is None:
            _check_extra()
            return
        with self._client():
            pass

    @property
    def workers(self) -> int:
        """Threads of all workers that are there now, at least one."""
        if self.where is None:
            return processors()
        with self._client() as client:
            return max(1, _threads(client))

    def each(self, study: ChunkWork, numbers: Sequence[int]) -> Generator[tuple[int, Any]]:
        """Chunks as they are finished; those of a lost worker run again."""
        from distributed import CancelledError, KilledWorker
        from distributed.comm import CommClosedError

        payload = packed(study, self.threads)
        with self._client() as client:
            self._wait_for_worker(client)
            try:
                with _Carrying(client, payload) as carrying:
                    yield from _chunks(client, carrying, numbers, self.patience)
            except KilledWorker as error:
                raise EngineLost(
                    f"several workers died one after the other at the same chunk: {error} "
                    "They may lack memory: make chunks smaller."
                ) from error
            except (CancelledError, CommClosedError, OSError, TimeoutError) as error:
                raise EngineLost(
                    f"the Dask scheduler at {_address(client)} is gone, or gave up the chunks: "
                    f"{type(error).__name__} {error}."
                ) from error

    @contextlib.contextmanager
    def _client(self) -> Iterator[Any]:
        """A client of the cluster; one that was given stays open."""
        _check_extra()
        from distributed import Client

        if isinstance(self.where, Client):
            if self.where.status != "running":
                raise InvalidInput(
                    f"the Dask client {shown(self.where)} is {self.where.status}; expected one "
                    "that is connected."
                )
            yield self.where
            return
        with contextlib.ExitStack() as stack:
            where = self.where
            if where is None:
                where = stack.enter_context(_local_cluster())
            elif isinstance(where, str):
                _knock(where)
            try:
                client = Client(where, timeout=_ANSWER_WITHIN, set_as_default=False)
            except (OSError, TimeoutError) as error:
                raise _nobody(where) from error
            except (ValueError, TypeError) as error:
                raise _no_place(where, error) from error
            yield stack.enter_context(client)

    def _wait_for_worker(self, client: Any) -> None:
        try:
            client.wait_for_workers(1, timeout=self.patience)
        except TimeoutError as error:
            raise _no_worker(client, self.patience) from error


def _no_worker(client: Any, patience: float) -> EngineLost:
    return EngineLost(
        f"the Dask scheduler at {_address(client)} has no worker after {patience:g} s; start one "
        f"with `dask worker {_address(client)}`."
    )


def _check_extra() -> None:
    if find_spec("distributed") is None:
        raise MissingExtra("a sweep on Dask", "cluster")


def _local_cluster() -> Any:
    from distributed import LocalCluster

    try:
        return LocalCluster(
            n_workers=processors(),
            threads_per_worker=1,
            dashboard_address=":0",
            silence_logs=logging.ERROR,
        )
    except RuntimeError:  # so Dask reports that its workers are gone
        raise EngineLost(NOT_STARTED) from None


def _knock(address: str) -> None:
    """Raise unless a server listens there; a client that fails to connect is hard to get rid of."""
    from distributed.comm import get_address_host_port

    try:
        host, port = get_address_host_port(address)
    except (ValueError, TypeError) as error:
        raise _no_place(address, error) from error
    if address.startswith("inproc://"):
        return
    try:
        socket.create_connection((host, port), timeout=_ANSWER_WITHIN).close()
    except OSError as error:
        raise _nobody(address) from error


def _nobody(where: object) -> InvalidInput:
    return InvalidInput(
        f"no Dask scheduler answers at {where}. Start one with `dask scheduler`, look at its "
        "address and at firewalls between."
    )


def _no_place(where: object, error: Exception) -> InvalidInput:
    return InvalidInput(
        f"{shown(where)} is no place of a Dask scheduler: {error}. Expected an address such as "
        "tcp://host:8786, a distributed.Client or a cluster."
    )


def _address(client: Any) -> str:
    return str(getattr(client.scheduler, "address", "its address"))


def _threads(client: Any, within: float | None = None) -> int:
    """Threads of all workers that the scheduler knows of.

    Raises:
        TimeoutError: It does not answer within so many seconds.
    """
    identity = client.scheduler.identity
    info = client.sync(identity, n_workers=-1, callback_timeout=within or _SILENT)
    return sum(int(worker["nthreads"]) for worker in info["workers"].values())


@final
class _Carrying:
    """Workers that are there, and those that come, have the payload before they have work."""

    def __init__(self, client: Any, payload: WorkerPayload) -> None:
        self.client, self.payload = client, payload
        self.name = f"phalanx-{payload.token[:16]}"

    def __enter__(self) -> _Carrying:
        self.client.register_plugin(_plugin(self.payload), name=self.name)
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(Exception):  # the scheduler may be what is gone
            _threads(self.client, _ANSWER_WITHIN)  # the next question would wait without end
            # a worker whose case holds up all of its threads never reports that it is done
            forget = self.client.unregister_worker_plugin
            self.client.sync(forget, self.name, callback_timeout=_ANSWER_WITHIN)

    def add(self, kernels: PortableCode) -> None:
        """Carry also what a worker of another kind compiled, for others of its kind."""
        if kernels.entries.keys() <= self.payload.kernels.entries.keys():
            return
        self.payload = self.payload.with_kernels(kernels)
        self.client.register_plugin(_plugin(self.payload), name=self.name)


def _plugin(payload: WorkerPayload) -> Any:
    from distributed import WorkerPlugin

    class Carrier(WorkerPlugin):
        """Brings the payload to a worker as it starts."""

        def setup(self, worker: Any) -> None:
            welcome(payload)

    return Carrier()


def _batches(client: Any, finished: Any, patience: float) -> Generator[Any]:
    """What is finished, as it comes.

    Raises:
        EngineLost: There was no worker for as long as patience lasts [s].
    """
    while not finished.is_empty():
        pause, looked, manned = 1e-3, time.monotonic(), time.monotonic()
        while not finished.has_ready():
            time.sleep(pause)
            pause = min(2 * pause, _PAUSE)
            now = time.monotonic()
            if now - looked > min(_LOOK, patience):
                looked = now
                manned = now if _threads(client) else manned
                if now - manned > patience:
                    raise _no_worker(client, patience)
        yield finished.next_batch()


def _chunks(
    client: Any, carrying: _Carrying, numbers: Sequence[int], patience: float
) -> Generator[tuple[int, Any]]:
    from distributed import as_completed

    ahead = iter(numbers)
    flying: dict[Any, int] = {}
    this_time, sendings = uuid.uuid4().hex, itertools.count()
    finished = as_completed(loop=client.loop, with_results=True, raise_errors=True)

    def send(number: int, carried: WorkerPayload | None = None) -> None:
        # a group of its own, so that a worker has its next chunk before it needs it: tasks of a
        # large group wait at the scheduler, and all workers for it in turn
        key = (f"phalanx_chunk-{this_time}-{next(sendings)}", number)
        future = client.submit(carry_out, carrying.payload.token, number, carried, key=key)
        flying[future] = number
        finished.add(future)

    def fill(most: int) -> None:
        while len(flying) < most and (number := next(ahead, None)) is not None:
            send(number)

    try:
        fill(_AHEAD * max(1, _threads(client)))
        for batch in _batches(client, finished, patience):
            answers: list[tuple[int, Answer]] = []
            for future, answer in batch:
                number = flying.pop(future)
                if isinstance(answer, BaseException):  # so a cancelled one is reported
                    raise answer
                if answer.needs_payload:
                    send(number, carrying.payload)
                else:
                    answers.append((number, answer))
            del batch
            fill(_AHEAD * max(1, _threads(client)))
            for number, answer in answers:
                carrying.add(answer.kernels)
                yield number, answer.result(number)
    finally:
        with contextlib.suppress(Exception):  # the scheduler may be what is gone
            client.cancel(list(flying))
