"""A sweep on disk: which chunks are there, with what made them.

Policy. One process writes at a time, and holds a lock on the store while it does. A chunk counts
as done when the file of its status is there, which is written last; what a killed process leaves
is written over by the same bytes. A store holds results of one study, by one version, and nothing
else is ever added to it.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, final

import numpy as np

from phalanx.distribute.sweeps.chunk import Array, Chunk
from phalanx.distribute.sweeps.store_layout import (
    DONE,
    FAILED,
    FORMAT,
    STATUS,
    done_chunks,
    make_folder,
    reasons_file,
    write_chunk,
    zarr_module,
)
from phalanx.distribute.sweeps.study import Study
from phalanx.errors import InvalidInput, ReadError, UnknownName, WriteError
from phalanx.files import hold_alone, home_path, naming_file, read_text
from phalanx.memory import bytes_text

LARGEST_DESCRIPTION = 2**30


@final
class Store:
    """Results of a sweep in a Zarr folder that ``xarray.open_zarr`` opens.

    Attributes:
        path: The folder.
        data: The study that made it, as plain data.
        cases: How many cases the study has.
        cut: Cases of a chunk.
    """

    def __init__(self, path: Path, attributes: Mapping[str, Any]) -> None:
        """See :meth:`create` and :meth:`open`."""
        self.path = path
        self.data: dict[str, Any] = attributes["study"]
        self.cases = int(attributes["cases"])
        self.cut = int(self.data["chunk"])

    def __repr__(self) -> str:
        """Where it is, and how many cases it is for."""
        return f"<Store of {self.cases:,} cases in {self.path}>"

    @staticmethod
    def create(path: str | os.PathLike[str], study: Study) -> Store:
        """An empty store.

        Raises:
            InvalidInput: When something is there already, or the disk has no room.
            WriteError: When it cannot be written.
        """
        to = home_path(path)
        if to.exists() or to.is_symlink():
            raise InvalidInput(
                f"{to} is there already, and nothing is written over: resume=True goes on with it, "
                "or take another name."
            )
        check_room(to, study)
        beside = to.with_name(f".{to.name}.{os.getpid()}.making")
        try:
            make_folder(beside, study)
            os.rename(beside, to)
        except OSError as error:
            raise WriteError(f"{to} cannot be written: {error.strerror or error}.") from error
        finally:
            shutil.rmtree(beside, ignore_errors=True)
        return Store.open(to)

    @staticmethod
    def open(path: str | os.PathLike[str]) -> Store:
        """A store that is there.

        Raises:
            ReadError: When there is none, or it is something else.
        """
        at = home_path(path)
        with naming_file(at):
            if not (at / "zarr.json").is_file():
                raise ReadError("there is no sweep here: no folder with a zarr.json.")
            try:
                facts = json.loads(read_text(at / "zarr.json", LARGEST_DESCRIPTION))
                attributes = facts["attributes"]
                version = attributes["phalanx_sweep"]
                assert attributes["study"]["chunk"] > 0
            except (ValueError, KeyError, TypeError, AssertionError):
                raise ReadError(
                    "a Zarr store, but not one of a sweep; it was made by something else."
                ) from None
            if version != FORMAT:
                raise ReadError(f"a sweep in format {version}; this version reads {FORMAT}.")
        return Store(at, attributes)

    @property
    def chunks(self) -> int:
        """How many chunks there will be."""
        return -(-self.cases // self.cut)

    @property
    def done(self) -> list[int]:
        """Numbers of the chunks that are there."""
        return sorted(done_chunks(self.path))

    @property
    def missing(self) -> list[int]:
        """Numbers of the chunks that are not."""
        done = done_chunks(self.path)
        return [number for number in range(self.chunks) if number not in done]

    @property
    def cases_done(self) -> int:
        """Cases of the chunks that are there."""
        return sum(min(self.cut, self.cases - number * self.cut) for number in self.done)

    @property
    def failures(self) -> dict[int, str]:
        """Cases that failed, and why."""
        done = done_chunks(self.path)
        found: dict[str, str] = {}
        folder = reasons_file(self.path, 0).parent
        for name in os.listdir(folder) if folder.is_dir() else ():
            if name.endswith(".json") and int(name.removesuffix(".json")) in done:
                found |= json.loads((folder / name).read_text())
        return {int(number): found[number] for number in sorted(found, key=int)}

    def check(self, study: Study) -> None:
        """That it is the store of this study.

        Raises:
            InvalidInput: When it is not; what differs is said.
        """
        here, there = study.to_data(), self.data
        differ = [key for key in here if key != "hash" and here[key] != there.get(key)]
        differ += [k for k, v in here["hash"].items() if v != there["hash"].get(k)]
        if not differ:
            return
        words = []
        for key in dict.fromkeys(differ):
            mine, its = (json.dumps(data.get(key), ensure_ascii=False) for data in (here, there))
            longest = 160
            if mine == its:
                words.append(f"{key} (its functions, or numbers of its machine)")
            elif len(mine) + len(its) < longest:
                words.append(f"{key}: {its} there, {mine} here")
            else:
                words.append(key)
        raise InvalidInput(
            f"{self.path} holds another study; different are {'; '.join(words)}. Results of two "
            "studies are not mixed: take another name for this one."
        )

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Keep other processes from writing meanwhile.

        Raises:
            InvalidInput: When one does.
        """
        with open(self.path / "zarr.json", "rb") as file:
            try:
                hold_alone(file)
            except OSError:
                raise InvalidInput(
                    f"{self.path} is being written by another process; wait for it, or stop it."
                ) from None
            yield

    def write(self, number: int, chunk: Chunk, study: Study) -> None:
        """Add a chunk.

        Raises:
            WriteError: When it cannot be written, as on a full disk; all others stay whole.
        """
        numbers = study.numbers(number)
        values = study.values(numbers)
        arrays = dict(chunk.results)
        for name, column in study.over.columns.items():
            arrays[name] = _coded(values[name], column.labels).astype(column.dtype, copy=False)
        status = np.full(len(numbers), DONE, np.uint8)
        status[[k - numbers.start for k in chunk.failures]] = FAILED
        try:
            write_chunk(self.path, number, self.cut, arrays | {STATUS: status}, chunk.failures)
        except OSError as error:
            raise WriteError(
                f"chunk {number} of {self.path} cannot be written: {error.strerror or error}. The "
                f"{len(self.done)} chunks before are whole; make room and go on with resume=True."
            ) from error

    def array(self, name: str) -> Array:
        """All of one array; nothing, as in not a number, where a case is missing.

        Raises:
            UnknownName: When there is none of that name.
            ReadError: When a part of it is damaged.
        """
        if not (self.path / name / "zarr.json").is_file():
            known = sorted(file.parent.name for file in self.path.glob("*/zarr.json"))
            raise UnknownName(f"{self.path}", "array", name, known)
        array = zarr_module().open_array(self.path / name, mode="r")
        try:
            return np.asarray(array[:])
        except (RuntimeError, ValueError) as error:
            raise ReadError(f"{self.path}: '{name}' is damaged: {error}.") from error

    def to_xarray(self) -> Any:
        """As an ``xarray.Dataset`` that reads when it is asked; words instead of their codes."""
        return opened_dataset(self.path)


def _coded(values: Array, labels: tuple[str, ...]) -> Array:
    if not labels:
        return values
    return np.array([labels.index(word) for word in values.tolist()], dtype=np.int32)


def opened_dataset(path: Path) -> Any:
    """The dataset of a store."""
    zarr_module()
    import xarray

    data = xarray.open_zarr(path)
    for name in list(data.variables):
        labels = data[name].attrs.get("labels")
        if labels:
            words = np.array(labels)[data[name].values]
            data = data.assign_coords({name: (data[name].dims, words)})
    return data


def check_room(path: Path, study: Study) -> None:
    """That the disk has room.

    Raises:
        InvalidInput: When it has not; with sizes.
        WriteError: When there is no such folder.
    """
    size = study.size()
    try:
        free = shutil.disk_usage(path.absolute().parent).free
    except OSError as error:
        raise WriteError(f"{path} cannot be written: {error.strerror}.") from error
    if size.bytes > free:
        raise InvalidInput(
            f"{size.cases:,} cases of {size.bytes_of_case:,} bytes need "
            f"{bytes_text(size.bytes)}, and {path.absolute().parent} has {bytes_text(free)} free. "
            "Keep less (keep=, every=), or take fewer cases."
        )
