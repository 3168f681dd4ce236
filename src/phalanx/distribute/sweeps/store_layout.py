"""A sweep's folder: Zarr arrays with one file for every chunk of cases.

Zarr's own writer makes the folder and the descriptions in it, once. Chunks are written here, each
file under another name first: the formats are a few lines, and only so is a chunk either there
or not.
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import zstandard

from phalanx.distribute.sweeps.chunk import Array
from phalanx.distribute.sweeps.study import Study
from phalanx.errors import MissingExtra

FORMAT = 1
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


def write_chunk(
    path: Path, number: int, cut: int, arrays: Mapping[str, Array], failures: Mapping[int, str]
) -> None:
    """All files of a chunk; the last one says that it is there.

    Args:
        path: The store.
        number: Of the chunk.
        cut: Cases of a whole chunk; the last one is filled up.
        arrays: Results and values of the cases, ``status`` among them.
        failures: Reasons by number of the case.
    """
    for name in sorted(arrays, key=lambda name: name == STATUS):
        if name == STATUS and failures:
            said = json.dumps({str(k): why for k, why in sorted(failures.items())})
            _put(reasons_file(path, number), said.encode())
        array = arrays[name]
        full = np.full(
            (cut, *array.shape[1:]), np.nan if array.dtype.kind == "f" else 0, array.dtype
        )
        full[: len(array)] = array
        packed = zstandard.ZstdCompressor(level=LEVEL, write_checksum=True).compress(
            full.astype(full.dtype.newbyteorder("<"), copy=False).tobytes()
        )
        _put(path.joinpath(name, "c", str(number), *["0"] * (array.ndim - 1)), packed)


def reasons_file(path: Path, number: int) -> Path:
    """Where the reasons of a chunk's failures are."""
    return path / STATUS / "reasons" / f"{number}.json"


def done_chunks(path: Path) -> set[int]:
    """Chunks that are there."""
    try:
        names = os.listdir(path / STATUS / "c")
    except FileNotFoundError:
        return set()
    return {int(name) for name in names if name.isdecimal()}


def _put(path: Path, content: bytes) -> None:
    """A file that is there whole, or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(path.name + ".writing")
    try:
        with open(beside, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
