"""Folder layout of a sweep store: Zarr arrays with one file for every chunk of cases.

Zarr's own writer makes the folder and the descriptions in it, once. Chunks are written here, each
file under another name first: the formats are a few lines, and only so is a chunk either there
or not. Beside them stand seals (see `seals`): hashes of the descriptions, and of every chunk's
files with the cases that they belong to.
"""

from __future__ import annotations

import os
import shutil
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import zstandard

from phalanx.base.errors import MissingExtra
from phalanx.distribute.sweeps.chunk import Array
from phalanx.distribute.sweeps.seals import Seal, digest, sealed
from phalanx.distribute.sweeps.study import Study

FORMAT = 2
UNSEALED = 1  # the format before, which had no checksums
STATUS = "status"
MISSING, DONE, FAILED = 0, 1, 2
LEVEL = 1  # of compression: numbers of runs hardly get smaller with more


def zarr_module() -> Any:
    """Zarr.

    Raises:
        MissingExtra: When it is not installed.
    """
    try:
        import zarr
    except ImportError:
        raise MissingExtra("a sweep that is kept in a store", "cluster") from None
    return zarr


def make_folder(path: Path, study: Study) -> None:
    """An empty store at a path where nothing is."""
    zarr = zarr_module()
    attributes = {
        "phalanx_sweep": FORMAT,
        "study": study.to_data(),
        "cases": study.cases,
        "coordinates": " ".join(study.over.names),
    }
    group = zarr.create_group(path, zarr_format=3, attributes=attributes)

    def add(name: str, shape: tuple[int, ...], dtype: Any, dims: Any, facts: Any) -> None:
        group.create_array(
            name,
            shape=(study.cases, *shape),
            chunks=(study.cut, *shape),
            dtype=dtype,
            fill_value=np.nan if np.dtype(dtype).kind == "f" else 0,
            compressors=zarr.codecs.ZstdCodec(level=LEVEL, checksum=True),
            filters=None,
            dimension_names=("case", *dims),
            attributes={key: value for key, value in facts.items() if value},
        )

    for name, variable in study.variables.items():
        facts: dict[str, Any] = {"units": variable.unit, "long_name": variable.about}
        add(name, variable.shape, variable.dtype, variable.dims, facts)
    for name, column in study.over.columns.items():
        facts = {"units": study.run.unit(name), "labels": list(column.labels)}
        add(name, column.shape, column.dtype, [f"{name}_entry"][: len(column.shape)], facts)
    meanings = {"flag_values": [MISSING, DONE, FAILED], "flag_meanings": "missing done failed"}
    add(STATUS, (), np.uint8, (), meanings)
    for name, axis in study.axes.items():
        words = len(axis.values) > 0 and isinstance(axis.values[0], str)
        data = np.array(axis.values, dtype=np.dtypes.StringDType() if words else np.float64)
        units = {"units": axis.unit} if axis.unit else {}
        group.create_array(name, data=data, dimension_names=(name,), attributes=units)
    with warnings.catch_warnings():
        # that all descriptions stand in one file is an extension of Zarr that readers may ignore
        warnings.simplefilter("ignore")
        zarr.consolidate_metadata(group.store)
    files = sorted(file for file in path.rglob("*") if file.is_file())
    hashes = {file.relative_to(path).as_posix(): digest(file.read_bytes()) for file in files}
    put_whole(store_seal(path), sealed({"files": hashes}))


def write_chunk(
    path: Path, seal: Seal, cut: int, arrays: Mapping[str, Array], failures: Mapping[int, str]
) -> None:
    """Return all files of a chunk; the last one marks that it is there.

    Args:
        path: The store.
        seal: Whose chunk it is and which; hashes are added here.
        cut: Cases of a whole chunk; the last one is filled up.
        arrays: Results and values of the cases, ``status`` among them.
        failures: Reasons by number of the case.
    """
    remove_chunk(path, seal.chunk, arrays)  # links, too: what is written stays in the store
    hashes: dict[str, str] = {}
    for name in sorted(arrays, key=lambda name: name == STATUS):
        array = arrays[name]
        full = np.full(
            (cut, *array.shape[1:]), np.nan if array.dtype.kind == "f" else 0, array.dtype
        )
        full[: len(array)] = array
        packed = zstandard.ZstdCompressor(level=LEVEL, write_checksum=True).compress(
            full.astype(full.dtype.newbyteorder("<"), copy=False).tobytes()
        )
        hashes[name] = digest(packed)
        if name == STATUS:
            reasons = {str(k): why for k, why in sorted(failures.items())}
            whole = sealed({**seal.to_data(), "files": hashes, "failures": reasons})
            put_whole(chunk_seal(path, seal.chunk), whole)
        put_whole(chunk_file(path, name, seal.chunk, array.ndim), packed)


def remove_chunk(path: Path, number: int, names: Iterable[str]) -> None:
    """Take away all of a chunk, whatever stands in the places of its files; its status first."""
    places = [path / name / "c" / str(number) for name in sorted(names, key=lambda n: n != STATUS)]
    for place in (*places, chunk_seal(path, number)):
        if place.is_dir() and not place.is_symlink():
            shutil.rmtree(place)
        else:
            place.unlink(missing_ok=True)


def chunk_file(path: Path, name: str, number: int, ndim: int) -> Path:
    """Where a chunk of an array is."""
    return path.joinpath(name, "c", str(number), *["0"] * (ndim - 1))


def chunk_seal(path: Path, number: int) -> Path:
    """Where the hashes of a chunk's files are, with the reasons of its failures."""
    return path / STATUS / "seals" / f"{number}.json"


def store_seal(path: Path) -> Path:
    """Where the hashes of all descriptions are."""
    return path / STATUS / "seals" / "store.json"


def done_chunks(path: Path) -> set[int]:
    """Chunks that are there."""
    try:
        names = os.listdir(path / STATUS / "c")
    except (FileNotFoundError, NotADirectoryError):
        return set()
    return {int(name) for name in names if name.isascii() and name.isdecimal()}


def put_whole(path: Path, content: bytes) -> None:
    """A file that is there whole, or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.parent.is_symlink():
        raise OSError(f"{path.parent} is a link, and nothing is written out of the store")
    beside = path.with_name(path.name + ".writing")
    beside.unlink(missing_ok=True)  # of a killed process, or a link that leads elsewhere
    try:
        with open(beside, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
