"""Worker payload: what a worker needs for all chunks of a study, sent once to each.

Policy: a study travels as bytes through the pipes and sockets of its engine, never through a file,
with the object code of its kernels beside it. The study is checked by its hash, which every task
names, and the object code by seals whose key comes from the study: code that was altered, or that
is of another study, is compiled anew. A worker holds the last few studies; what it compiled that
was not sent goes back with the chunk, for workers that come later. Errors travel as text, since not
every error can be rebuilt from a pickle.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import pickle
import traceback
from collections import OrderedDict
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any, Protocol

from phalanx.base import errors
from phalanx.base.cached import ForkSafeLock
from phalanx.base.errors import InvalidInput, PhalanxError, shown
from phalanx.distribute.sweeps.run import text_of
from phalanx.kernel.call.threads import at_most
from phalanx.kernel.llvm import portable_code as parcel
from phalanx.kernel.llvm.portable_code import PortableCode

_MOST_STUDIES = 4


class ChunkWork(Protocol):
    """What engines know of a study: a pure function from a chunk's number to its results."""

    def prepare(self) -> None:
        """Compile in this process what chunks need, so that it can travel."""

    def work(self, number: int) -> Any:
        """The chunk of this number."""

    def of(self, cases: range) -> Any:
        """Some cases of a chunk; only used where cases have a time limit."""


class WorkFailed(PhalanxError):
    """A worker met an error that is no failure of a case."""


@dataclass(frozen=True)
class WorkerPayload:
    """A study and its kernels on the way to workers.

    Attributes:
        token: Hash of the study's bytes.
        study: Its bytes.
        kernels: Object code that it needs.
        threads: How many threads a chunk may use on a worker; None for all of its processors.
    """

    token: str
    study: bytes
    kernels: PortableCode
    threads: int | None

    @property
    def key(self) -> bytes:
        """Seals the kernels: who has not seen the study cannot make it."""
        return kernel_key(self.study)

    def with_kernels(self, more: PortableCode) -> WorkerPayload:
        """The same, and kernels that were compiled meanwhile."""
        return replace(self, kernels=self.kernels | more)


@dataclass(frozen=True)
class Answer:
    """What comes back from a worker.

    Attributes:
        chunk: The results, or None.
        error: Kind, words and traceback of what went wrong, or None.
        kernels: What the worker compiled for it.
        needs_payload: Whether the worker does not have the study.
    """

    chunk: Any = None
    error: tuple[str, str, str] | None = None
    kernels: PortableCode = PortableCode()  # noqa: RUF009  # frozen
    needs_payload: bool = False

    def result(self, number: int) -> Any:
        """The chunk; or the error that the worker met."""
        if self.error is None:
            return self.chunk
        kind, words, trace = self.error
        same = getattr(errors, kind, None)
        if isinstance(same, type) and issubclass(same, PhalanxError):
            again = same.__new__(same)
            Exception.__init__(again, words)
            raise again
        raise WorkFailed(f"chunk {number} failed on a worker: {kind}: {words}\n{trace}")


def kernel_key(study: bytes) -> bytes:
    """The key that ties object code to the bytes of a study."""
    return hashlib.sha256(b"phalanx kernels of\0" + study).digest()


def packed(study: ChunkWork, threads: int | None) -> WorkerPayload:
    """A study, ready to travel, with all kernels that it needs as far as this process knows.

    Raises:
        InvalidInput: It has something in it that cannot leave this process.
    """
    # functions of a script or a notebook travel by content where cloudpickle is installed
    pickler = importlib.import_module("cloudpickle" if find_spec("cloudpickle") else "pickle")
    try:
        data = pickler.dumps(study)
    except Exception as error:  # whatever a stranger's object does when it is pickled
        raise InvalidInput(
            f"{shown(study)} cannot be sent to another process: {error}. Use functions of a "
            "module and plain data, or run it in this process (engine=InProcess())."
        ) from error
    token = hashlib.sha256(data).hexdigest()
    with at_most(threads):
        study.prepare()
    return WorkerPayload(
        token, data, PortableCode.of(parcel.names_linked(), kernel_key(data)), threads
    )


@dataclass(frozen=True)
class _StudyOnWorker:
    study: ChunkWork
    threads: int | None
    key: bytes


_lock = ForkSafeLock()
_held: OrderedDict[str, _StudyOnWorker] = OrderedDict()
_sent: set[str] = set()  # names of kernels that came with payload, or went back with an answer


def receive(payload: WorkerPayload) -> None:
    """Unpack the payload on a worker; a second time only its kernels."""
    if hashlib.sha256(payload.study).hexdigest() != payload.token:
        raise WorkFailed("the study arrived damaged: its bytes do not have the hash they left with")
    taken = payload.kernels.unpack(payload.key)
    with _lock:
        _sent.update(taken)
        if payload.token not in _held:
            # bytes that came through the engine's own connection, as everything it runs
            _held[payload.token] = _StudyOnWorker(
                pickle.loads(payload.study), payload.threads, payload.key
            )
        _held.move_to_end(payload.token)
        while len(_held) > _MOST_STUDIES:
            _held.popitem(last=False)


def welcome(payload: WorkerPayload) -> None:
    """Unpack the payload as a worker starts; the first chunk reports what is wrong with it."""
    with contextlib.suppress(Exception):
        receive(payload)


def take_in(payload: WorkerPayload) -> Answer:
    """Unpack the payload on a worker, and compile what was not sent, before any case is timed."""
    try:
        receive(payload)
        with at_most(payload.threads):
            _held[payload.token].study.prepare()
        return Answer(kernels=_new_kernels(payload.key))
    except Exception as error:
        return failed(error)


def carry_out(
    token: str, number: int, payload: WorkerPayload | None = None, cases: range | None = None
) -> Answer:
    """Work on a chunk, on a worker.

    Args:
        token: Of the study.
        number: Of the chunk.
        payload: The study, where the worker may not have it.
        cases: Only these cases of it; all when not given.
    """
    try:
        if payload is not None:
            receive(payload)
        held = _held.get(token)
        if held is None:
            return Answer(needs_payload=True)
        with at_most(held.threads):
            chunk = held.study.work(number) if cases is None else held.study.of(cases)
        return Answer(chunk, kernels=_new_kernels(held.key))
    except Exception as error:
        return failed(error)


def failed(error: Exception) -> Answer:
    """An error that was met on a worker, as words."""
    return Answer(error=(type(error).__name__, text_of(error), traceback.format_exc()))


def _new_kernels(key: bytes) -> PortableCode:
    """Return kernels that this worker compiled and has not sent yet."""
    with _lock:
        new = [name for name in parcel.names_built() if name not in _sent]
        _sent.update(new)
    return PortableCode.of(new, key)
