"""Sweep store on disk (Zarr): which chunks are there, with the study that made them.

Policy. One process writes at a time, and holds a lock on the store while it does. A chunk counts
as done when the file of its status is there, which is written last; what a killed process leaves
is written over by the same bytes. A store holds results of one study, by one version, and nothing
else is ever added to it. Every chunk has a seal (`seals`), which reading, resuming and reporting
check; what is damaged is named, and computed again by the next who goes on.
"""

from __future__ import annotations

import json
import math
import os
import re
import shutil
from collections.abc import Container, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, final

import numpy as np
import zstandard

from phalanx.base.errors import InvalidInput, ReadError, UnknownName, WriteError
from phalanx.base.files import hold_alone, home_path, naming_file, read_bytes
from phalanx.base.memory import bytes_text, check_memory
from phalanx.distribute.sweeps.cases import is_name
from phalanx.distribute.sweeps.chunk import Array, Chunk
from phalanx.distribute.sweeps.run import printable
from phalanx.distribute.sweeps.seals import Seal, digest, unsealed
from phalanx.distribute.sweeps.store_facts import MOST_CHUNKS, StoreFacts, json_table, read_facts
from phalanx.distribute.sweeps.store_layout import (
    DONE,
    FAILED,
    STATUS,
    UNSEALED,
    chunk_file,
    chunk_seal,
    done_chunks,
    make_folder,
    remove_chunk,
    write_chunk,
    zarr_module,
)
from phalanx.distribute.sweeps.study import Study

_NUMBER = re.compile(r"0|[1-9][0-9]{0,18}")
LARGEST_OVERHEAD = 2**20  # of what is packed over what is not
NOT_SEALED = "was written before stores had checksums, so it cannot be verified"


@final
class Store:
    """Results of a sweep in a Zarr folder that ``xarray.open_zarr`` opens.

    Attributes:
        path: The folder.
        facts: Its metadata.
        data: The study that made it, as plain data.
        cases: How many cases the study has.
        cut: Cases of a chunk.
    """

    def __init__(self, path: Path, facts: StoreFacts) -> None:
        """See :meth:`create` and :meth:`open`."""
        self.path = path
        self.facts = facts
        self.data: dict[str, Any] = facts.study
        self.cases = facts.cases
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
        if os.path.lexists(to):
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
        except ValueError as error:
            if "\0" not in str(to):
                raise
            raise WriteError(f"{str(to)!r} cannot be written: it holds a NUL.") from error
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
            if not os.path.isfile(at / "zarr.json"):
                raise ReadError("there is no sweep here: no folder with a zarr.json.")
            return Store(at, read_facts(at))

    @property
    def is_sealed(self) -> bool:
        """Whether it has checksums; stores of the first format have none."""
        return self.facts.version != UNSEALED

    @property
    def chunks(self) -> int:
        """How many chunks there will be."""
        return -(-self.cases // self.cut)

    @property
    def done(self) -> list[int]:
        """Numbers of the chunks that are there.

        Raises:
            ReadError: When there is one that the study does not have.
        """
        done = sorted(done_chunks(self.path))
        if done and done[-1] >= self.chunks:
            raise ReadError(
                f"{self.path} has a chunk {done[-1]}, and its study has {self.chunks}: the store "
                "was edited."
            )
        return done

    @property
    def missing(self) -> list[int]:
        """Numbers of the chunks that are not."""
        done = set(self.done)
        return [number for number in range(self.chunks) if number not in done]

    @property
    def cases_done(self) -> int:
        """Cases of the chunks that are there."""
        return sum(min(self.cut, self.cases - number * self.cut) for number in self.done)

    @property
    def failures(self) -> dict[int, str]:
        """Cases that failed, and why.

        Raises:
            ReadError: When the seal of a chunk is damaged.
        """
        return self.failures_but(())

    def failures_but(self, chunks: Container[int]) -> dict[int, str]:
        """The same, without those of some chunks, which may be damaged."""
        found: dict[int, str] = {}
        for number in self.done:
            if number not in chunks:
                found |= self._reasons(number)
        return found

    def damaged(self) -> dict[int, str]:
        """Chunks that are there and are not what was written: what is wrong with each.

        All files of the store are read. Of a store of the first format only what cannot be
        unpacked is found.
        """
        found = {number: self.damage(number) for number in self.done}
        return {number: why for number, why in found.items() if why is not None}

    def damage(self, number: int) -> str | None:
        """What is wrong with a chunk that is there."""
        try:
            self._reasons(number)
            for name in self.facts.arrays:
                self.rows(name, number)
        except ReadError as error:
            return str(error)
        return None

    def mend(self) -> dict[int, str]:
        """Count chunks that are damaged as missing; what was wrong with each."""
        found = self.damaged()
        for number in found:
            remove_chunk(self.path, number, self.facts.arrays)
        return found

    def seal(self, number: int) -> Seal:
        """Return what the checksum of a chunk must be about."""
        first = number * self.cut
        made_by = digest(json.dumps([self.data["hash"], self.data["seed"]]).encode())
        return Seal(made_by, number, first, min(self.cut, self.cases - first))

    def _sealed(self, number: int) -> dict[str, Any]:
        """The seal of a chunk, checked."""
        facts = unsealed(chunk_seal(self.path, number))
        own = self.seal(number).to_data()
        if any(facts.get(key) != value for key, value in own.items()):
            raise ReadError("its seal is that of another chunk or study.")
        files = facts.get("files")
        if not isinstance(files, dict) or files.keys() != self.facts.arrays.keys():
            raise ReadError("its seal is about other files.")
        return facts

    def _reasons(self, number: int) -> dict[int, str]:
        """Why cases of a chunk failed."""
        first = number * self.cut
        with naming_file(f"chunk {number} of {self.path}"):
            if self.is_sealed:
                reasons = self._sealed(number).get("failures")
            else:
                file = self.path / STATUS / "reasons" / f"{number}.json"
                reasons = json_table(file) if file.is_file() else {}
            end = min(first + self.cut, self.cases)
            if not isinstance(reasons, dict) or not all(
                _NUMBER.fullmatch(number) and first <= int(number) < end and isinstance(why, str)
                for number, why in reasons.items()
            ):
                raise ReadError("its reasons of failures are not of its cases.")
            return {int(number): printable(why) for number, why in reasons.items()}

    def rows(self, name: str, number: int) -> Array:
        """What the cases of a chunk have of one array.

        Raises:
            ReadError: When it is damaged.
        """
        kept = self.facts.arrays[name]
        shape = (self.cut, *kept.shape)
        size = math.prod(shape) * kept.dtype.itemsize
        with naming_file(f"chunk {number} of {self.path}: '{name}' is damaged"):
            file = chunk_file(self.path, name, number, len(shape))
            packed = read_bytes(file, size + LARGEST_OVERHEAD)
            if self.is_sealed and digest(packed) != self._sealed(number)["files"][name]:
                raise ReadError("it does not have the hash that it was written with.")
            try:
                if zstandard.frame_content_size(packed) != size:
                    raise ReadError(f"it does not have the {size} bytes that it should.")
                raw = zstandard.ZstdDecompressor().decompress(packed)
            except zstandard.ZstdError as error:
                raise ReadError(f"it cannot be unpacked ({error}).") from None
        rows = np.frombuffer(raw, kept.dtype.newbyteorder("<")).reshape(shape)
        return rows[: self.cases - number * self.cut]

    def check(self, study: Study) -> None:
        """That it is the store of this study.

        Raises:
            InvalidInput: When it is not; the message names what differs.
        """
        if not self.is_sealed:
            raise InvalidInput(f"{self.path} {NOT_SEALED}; it can be read, but not gone on with.")
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
            write_chunk(
                self.path,
                self.seal(number),
                self.cut,
                arrays | {STATUS: status},
                chunk.failures,
            )
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
        if name in self.facts.arrays:
            kept = self.facts.arrays[name]
            size = self.cases * math.prod(kept.shape) * kept.dtype.itemsize
            check_memory(f"{self.cases:,} cases of '{name}'", size, "Read parts with xarray.")
            absent = np.nan if kept.dtype.kind == "f" else 0
            whole = np.full((self.cases, *kept.shape), absent, kept.dtype)
            for number in self.done:
                rows = self.rows(name, number)
                whole[number * self.cut :][: len(rows)] = rows
            return whole
        if not is_name(name) or not (self.path / name / "zarr.json").is_file():
            known = sorted(file.parent.name for file in self.path.glob("*/zarr.json"))
            raise UnknownName(f"{self.path}", "array", name, known)
        try:
            return np.asarray(zarr_module().open_array(self.path / name, mode="r")[:])
        except (RuntimeError, ValueError, OSError) as error:
            raise ReadError(f"{self.path}: '{name}' is damaged: {error}.") from error

    def to_xarray(self) -> Any:
        """As an ``xarray.Dataset`` that reads lazily; words instead of their codes.

        It has the chunks that are done now: cases of others are missing, also once they are there.

        Raises:
            ReadError: When a chunk is damaged; it is named.
        """
        done = self.done
        for number in done:
            why = self.damage(number)
            if why is not None:
                raise ReadError(f"{why} Going on with the sweep computes chunk {number} again.")
        return opened_dataset(self.path, self.facts.arrays, done)


def _coded(values: Array, labels: tuple[str, ...]) -> Array:
    if not labels:
        return values
    return np.array([labels.index(word) for word in values.tolist()], dtype=np.int32)


def opened_dataset(path: Path, arrays: Iterable[str], done: Iterable[int]) -> Any:
    """The dataset of a store.

    Args:
        path: The store.
        arrays: Names of those with a row for every case.
        done: The chunks of these that are read.

    Raises:
        ReadError: When Zarr or xarray cannot make sense of its descriptions.
    """
    zarr_module()
    import xarray

    from phalanx.distribute.sweeps.finished_chunks import FinishedChunks

    try:
        store = FinishedChunks(path, read_only=True).of(arrays, done)
        data = xarray.open_zarr(store, decode_times=False)  # numbers, also of "days since 2000"
        for name in list(data.variables):
            labels = data[name].attrs.get("labels")
            if labels:
                words = np.array(labels)[data[name].values]
                data = data.assign_coords({name: (data[name].dims, words)})
    except Exception as error:  # whatever they do with a description that was edited
        raise ReadError(
            f"{path} cannot be opened as a dataset: {type(error).__name__}: {error}. The store "
            "was edited."
        ) from error
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
    if size.chunks is not None and size.chunks > MOST_CHUNKS:
        raise InvalidInput(
            f"{size.chunks:,} chunks are more than the {MOST_CHUNKS:,} files that a store has of "
            "each result: make chunks larger."
        )
