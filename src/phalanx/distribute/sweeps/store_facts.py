"""Validation of a store's metadata, before anything relies on it: it may come from anywhere.

Nothing that it names is imported or run. Kinds, ranges and sizes are checked, arrays may only
be packed as sweeps pack them, and descriptions must have the hashes that they were written with.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import numpy as np

from phalanx.base.errors import ReadError, shown
from phalanx.base.files import read_bytes
from phalanx.base.memory import check_memory
from phalanx.distribute.sweeps.cases import is_name
from phalanx.distribute.sweeps.seals import digest, unsealed
from phalanx.distribute.sweeps.store_layout import FORMAT, STATUS, UNSEALED, store_seal

LARGEST_DESCRIPTION = 2**30
MOST_CHUNKS = 2**24  # each is a file of every array
TYPES = ("bool", *(f"{kind}int{bits}" for kind in ("", "u") for bits in (8, 16, 32, 64)))
TYPES = (*TYPES, "float32", "float64", "string")
_TEXT = 16  # [byte] of a word, at least
CODECS = ("bytes", "zstd", "vlen-utf8")


@final
@dataclass(frozen=True)
class StoredArray:
    """An array of a store.

    Attributes:
        shape: Its own, without that of the cases.
        dtype: Of its numbers.
    """

    shape: tuple[int, ...]
    dtype: np.dtype[Any]


@final
@dataclass(frozen=True)
class StoreFacts:
    """Metadata of a store.

    Attributes:
        version: Format of the store.
        study: What made it, as plain data.
        cases: How many it has.
        arrays: Those with a row for every case.
    """

    version: int
    study: dict[str, Any]
    cases: int
    arrays: Mapping[str, StoredArray]


def read_facts(path: Path) -> StoreFacts:
    """Read and check the metadata of the store in a folder.

    Raises:
        ReadError: When it is no store of a sweep, was edited, or is damaged.
    """
    description = json_table(path / "zarr.json")
    attributes = description.get("attributes")
    if not isinstance(attributes, dict) or "phalanx_sweep" not in attributes:
        raise ReadError("a Zarr store, but not one of a sweep; it was made by something else.")
    version = attributes["phalanx_sweep"]
    if version not in (FORMAT, UNSEALED) or isinstance(version, bool):
        raise ReadError(f"a sweep in format {shown(version)}; this version reads {FORMAT}.")
    if version == FORMAT:
        _check_descriptions(path)
    study = _study(attributes.get("study"))
    cases = _whole(attributes, "cases", study["chunk"])
    if -(-cases // study["chunk"]) > MOST_CHUNKS:
        raise _wrong("cases", cases, f"at most {MOST_CHUNKS:,} chunks of {study['chunk']} cases")
    described = description.get("consolidated_metadata")
    arrays = described.get("metadata") if isinstance(described, dict) else None
    if not isinstance(arrays, dict):
        raise _wrong("consolidated_metadata", described, "descriptions of all arrays")
    kept: dict[str, StoredArray] = {}
    for name, array in arrays.items():
        if is_name(name):
            _check_folders(path, name)
        if not is_name(name) or json_table(path / name / "zarr.json") != array:
            raise ReadError(f"array {shown(name)} is not described as zarr.json says.")
        own, is_of_cases = _array(name, array, cases, study["chunk"])
        if is_of_cases:
            kept[name] = own
        elif any(not (at.is_file() or at.is_dir()) for at in (path / name).rglob("*")):
            raise ReadError(f"array {shown(name)} has a pipe or a device among its files.")
    for name in (*study["keep"], STATUS):
        if name not in kept:
            raise ReadError(f"there is no array {shown(name)} with a row for every case.")
    return StoreFacts(version, study, cases, kept)


def _check_folders(path: Path, name: str) -> None:
    """That an array is in folders of the store itself."""
    for at in (path / name, path / name / "c", path / name / "seals"):
        if at.is_symlink():
            raise ReadError(f"array {shown(name)} is a link, which no store has.")
        if at.exists() and not at.is_dir():
            raise ReadError(f"array {shown(name)} is damaged: {at.name} is no folder.")


def _check_descriptions(path: Path) -> None:
    """That descriptions and axes are what was written when the store was made."""
    files = unsealed(store_seal(path)).get("files")
    if not isinstance(files, dict) or "zarr.json" not in files:
        raise ReadError("the seal of the store does not say which files it is about.")
    for name, expected in files.items():
        parts = Path(name).parts
        if Path(name).is_absolute() or ".." in parts:
            raise ReadError(f"the seal of the store names {shown(name)}, which is outside of it.")
        if digest(read_bytes(path / name, LARGEST_DESCRIPTION)) != expected:
            raise ReadError(f"{name} is damaged, or was edited: its hash is another.")


def json_table(path: Path) -> dict[str, Any]:
    """A table in JSON.

    Raises:
        ReadError: When it is none.
    """
    try:
        table = json.loads(read_bytes(path, LARGEST_DESCRIPTION))
    except (ValueError, RecursionError):
        table = None
    if not isinstance(table, dict):
        raise ReadError(f"{path.name} is damaged: it holds no table in JSON.")
    return table


def _study(data: Any) -> dict[str, Any]:
    if not isinstance(data, dict):
        raise _wrong("study", data, "a table")
    for key, kind in {
        "phalanx": str,
        "run": dict,
        "over": dict,
        "keep": list,
        "hash": dict,
    }.items():
        if not isinstance(data.get(key), kind):
            raise _wrong(f"study {key}", data.get(key), f"a {kind.__name__}")
    if not data["keep"] or not all(isinstance(name, str) for name in data["keep"]):
        raise _wrong("study keep", data["keep"], "a list of names")
    if not all(isinstance(data["hash"].get(key), str) for key in ("run", "over", "keep")):
        raise _wrong("study hash", data["hash"], "hashes of run, over and keep")
    _whole(data, "seed", 0)
    _whole(data, "chunk", 1)
    return data


def _whole(table: dict[str, Any], key: str, least: int) -> int:
    value = table.get(key)
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise _wrong(key, value, f"a whole number of at least {least}")
    return value


def _array(name: str, data: Any, cases: int, cut: int) -> tuple[StoredArray, bool]:
    """One array, and whether it has a row for every case."""
    match data:
        case {
            "shape": list(shape),
            "data_type": str(word),
            "chunk_grid": {"configuration": {"chunk_shape": list(chunk)}},
            "codecs": list(codecs),
            "dimension_names": list(dims),
            "attributes": dict(attributes),
        } if dims and len(shape) == len(dims) and all(isinstance(dim, str) for dim in dims):
            pass
        case _:
            raise _wrong(f"array {name}", data, "the description of an array")
    packed = [codec.get("name") if isinstance(codec, dict) else None for codec in codecs]
    if word not in TYPES or not packed or any(codec not in CODECS for codec in packed):
        raise _wrong(f"array {name}", [word, packed], "numbers packed as sweeps pack them")
    if not all(isinstance(size, int) and not isinstance(size, bool) and size > 0 for size in shape):
        raise _wrong(f"shape of {name}", shape, "positive whole numbers")
    labels = attributes.get("labels", [])
    if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
        raise _wrong(f"labels of {name}", labels, "a list of words")
    dtype = np.dtype(np.uint8 if word == "string" else word)
    own = StoredArray(tuple(shape[1:]), dtype)
    rows = cut if dims[0] == "case" else shape[0]
    size = _TEXT if word == "string" else dtype.itemsize
    check_memory(f"rows of array {shown(name)}", rows * math.prod(shape[1:]) * size, "")
    if dims[0] != "case":
        return own, False
    if shape[0] != cases or chunk != [cut, *shape[1:]] or packed != ["bytes", "zstd"]:
        raise _wrong(f"array {name}", [shape, chunk], f"{cases} cases in chunks of {cut}")
    return own, True


def _wrong(what: str, came: Any, expected: str) -> ReadError:
    return ReadError(f"{what} is {shown(came)}; expected {expected}. The store was edited.")
