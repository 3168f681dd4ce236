"""Serialization of jobs as plain data (JSON), for ranks that are started for them.

A value is written as its class and fields. Only classes that are registered here are made again, so
that a job file is data and nothing else. A machine is written as its name or path.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from os import PathLike, fspath
from typing import Any, TypeVar, cast

import numpy as np

from phalanx.base.errors import InvalidInput, UnknownName
from phalanx.distribute.processes.job import Job, JobRun, MakeProgram, Result
from phalanx.distribute.processes.messages import ProcessProgram
from phalanx.distribute.processes.program_registry import program
from phalanx.mechanism import Mechanism
from phalanx.mechanism.read import load

CLASS = "class"  # the key that has the name of a value's class
_MAPPING = "mapping"  # stands for the class of names with values
_CLASSES: dict[str, type] = {}
_Class = TypeVar("_Class", bound=type)


def plain_data(kind: _Class) -> _Class:
    """Register a dataclass as part of jobs; its fields are plain data, arrays or such classes."""
    _CLASSES[kind.__name__] = kind
    return kind


def to_data(value: Any) -> Any:
    """Return a job, or a part of one, as plain data.

    Raises:
        InvalidInput: A part of it is no data, such as a machine that is not in a file.
    """
    if value is None or isinstance(value, str | int | float):
        return value
    if type(value) is _CLASSES.get(type(value).__name__):
        data = {f.name: to_data(getattr(value, f.name)) for f in fields(cast(Any, value)) if f.init}
        return {CLASS: type(value).__name__, **data}
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [to_data(item) for item in value]
    if isinstance(value, Mapping):
        return {CLASS: _MAPPING, "items": [[name, to_data(x)] for name, x in value.items()]}
    if isinstance(value, PathLike):
        return fspath(value)
    if isinstance(value, Mechanism):
        raise InvalidInput(
            f"ranks that are started for a job find its machine by a name or in a file: make the "
            f"job of that, such as 'planar_3rrr' or a path, in place of mechanism '{value.name}'."
        )
    raise InvalidInput(
        f"{type(value).__name__} is not plain data, which ranks that are started need; run the "
        "job in this process, or call `run` on the ranks of an mpiexec of your own."
    )


def from_data(data: Any) -> Any:
    """Return what `to_data` was given.

    Raises:
        UnknownName: There is no such class.
    """
    if isinstance(data, Mapping):
        name = data[CLASS]
        if name == _MAPPING:
            return {key: from_data(x) for key, x in data["items"]}
        if name not in _CLASSES:
            raise UnknownName("a job", "class", name, _CLASSES)
        return _CLASSES[name](**{k: from_data(item) for k, item in data.items() if k != CLASS})
    return [from_data(item) for item in data] if isinstance(data, list) else data


@program
def part_of_job(rank: int, processes: int, job: Mapping[str, Any]) -> ProcessProgram:
    """Return one rank's program of any job that `to_data` has written."""
    given = from_data(job)
    if not isinstance(given, Job):
        raise InvalidInput(f"a {type(given).__name__} is no job.")
    return given.on(processes, on_ranks=True).program(rank)


class DataJobRun(JobRun[Result]):
    """A run of a job that `to_data` can write.

    Attributes:
        job: The job.
    """

    job: Any

    def for_ranks(self) -> tuple[MakeProgram, Mapping[str, Any]]:
        """Return the program that makes the job again on each rank, and the job as plain data."""
        return part_of_job, {"job": to_data(self.job)}


def machine_of(model: Mechanism | str) -> Mechanism:
    """Return the machine of a job, read if it is a name or a path."""
    return load(model) if isinstance(model, str) else model
