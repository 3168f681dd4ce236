"""Choice of the engine: a value, a name, a Dask client or any executor."""

from __future__ import annotations

from concurrent.futures import Executor
from typing import Any

from phalanx.base.errors import InvalidInput, UnknownName, shown
from phalanx.distribute.sweeps.engines.dask import Dask
from phalanx.distribute.sweeps.engines.engine import InProcess, SweepEngine
from phalanx.distribute.sweeps.engines.executor import OnExecutor
from phalanx.distribute.sweeps.engines.processes import Processes

WORDS = ("here", "processes", "dask")


def engine_of(value: Any) -> SweepEngine:
    """The engine that a value stands for.

    Args:
        value: An engine; None for this process; a number of processes; a
            ``concurrent.futures.Executor``; a client or cluster of Dask; or in words ``here``,
            ``processes``, ``processes:4``, ``dask``, ``dask:tcp://host:8786``.

    Raises:
        InvalidInput: It stands for none.
        UnknownName: The word is not known.
    """
    match value:
        case None:
            return InProcess()
        case SweepEngine():
            return value
        case bool():
            raise InvalidInput(f"engine={value}; expected an engine, such as Processes(2).")
        case int():
            return Processes(value)
        case str():
            return _of_words(value)
        case Executor():
            return OnExecutor(value)
    if type(value).__module__.partition(".")[0] in {"distributed", "dask_jobqueue"} or hasattr(
        value, "scheduler_address"
    ):
        return Dask(value)
    raise InvalidInput(
        f"engine={shown(value)}; expected InProcess(), Processes(2), Dask('tcp://…'), "
        "OnExecutor(…), or what one of them takes."
    )


def _of_words(text: str) -> SweepEngine:
    word, _, rest = text.partition(":")
    match word:
        case "here" if not rest:
            return InProcess()
        case "processes":
            if rest and not (rest.isascii() and rest.isdigit()):
                raise InvalidInput(f"engine='{text}'; expected a number, as in 'processes:4'.")
            return Processes(int(rest) if rest else None)
        case "dask":
            return Dask(rest or None)
    raise UnknownName("a sweep", "engine", word, WORDS)
