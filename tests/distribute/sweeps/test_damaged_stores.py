"""Damaged and edited stores: the same numbers, or an error that names the chunk or the fact.

Every damage is done to a copy of one small store; nothing is drawn from a clock.
"""

from __future__ import annotations

import json
import os
import pickle
import random
import shutil
import warnings
from pathlib import Path

import numpy as np
import pytest

import phalanx as px
from distribute.sweeps.machines import files_of, rollout, same, spread, square, squares
from phalanx.distribute.sweeps.seals import digest, sealed
from phalanx.distribute.sweeps.store import Store
from phalanx.distribute.sweeps.store_layout import store_seal
from phalanx.distribute.sweeps.study_files.noted import noted_study

CASES, CHUNK = 30, 7
NAMES = ("x", "y", "noise", "status")


@pytest.fixture(scope="module")
def stores(tmp_path_factory) -> tuple[Path, Path]:
    """A store, and one of the same cases from another seed."""
    folder = tmp_path_factory.mktemp("stores")
    run, over = squares(CASES)
    for name, seed in (("whole", 0), ("other", 1)):
        px.sweep(run, over, to=folder / name, chunk=CHUNK, seed=seed)
    return folder / "whole", folder / "other"


def read_all(path: Path) -> dict[str, np.ndarray]:
    """All that a store says, by every way in."""
    store = Store.open(path)
    found = {name: store.array(name) for name in NAMES}
    data = store.to_xarray().load()
    for name in NAMES:
        assert same(np.asarray(data[name].values), found[name])
    found["failures"] = np.array(sorted(store.failures.items()), dtype=object)
    return found


def is_same(path: Path, whole: dict[str, np.ndarray]) -> bool:
    found = read_all(path)
    return all(np.array_equal(found[n], whole[n], equal_nan=n in NAMES) for n in whole)


def resumed(path: Path) -> list[str]:
    """Go on with a store; what was said of it."""
    run, over = squares(CASES)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        px.sweep(run, over, to=path, chunk=CHUNK, resume=True)
    return [str(w.message) for w in said]


def flip(file: Path, chance: random.Random, other: Path) -> None:
    content = bytearray(file.read_bytes())
    content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    file.write_bytes(bytes(content))


def truncate(file: Path, chance: random.Random, other: Path) -> None:
    content = file.read_bytes()
    file.write_bytes(content[: chance.randrange(len(content))])


def extend(file: Path, chance: random.Random, other: Path) -> None:
    file.write_bytes(file.read_bytes() + chance.randbytes(9))


def remove(file: Path, chance: random.Random, other: Path) -> None:
    file.unlink()


def noise(file: Path, chance: random.Random, other: Path) -> None:
    file.write_bytes(chance.randbytes(file.stat().st_size))


def folder(file: Path, chance: random.Random, other: Path) -> None:
    file.unlink()
    file.mkdir()


def swap(file: Path, chance: random.Random, other: Path) -> None:
    """Change places with another file of the same folder."""
    beside = sorted(f for f in file.parent.iterdir() if f.is_file() and f != file)
    if beside:
        second = chance.choice(beside)
        mine, its = file.read_bytes(), second.read_bytes()
        file.write_bytes(its)
        second.write_bytes(mine)


def foreign(file: Path, chance: random.Random, other: Path) -> None:
    """Take the place of the same file of another store."""
    shutil.copy(other, file)


DAMAGES = (flip, truncate, extend, remove, noise, folder, swap, foreign)


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_damage_is_named_or_changes_nothing(stores, tmp_path: Path, damage) -> None:
    """Any file of the store: read, status and resume."""
    whole, other = stores
    before, bytes_before = read_all(whole), files_of(whole)
    chance = random.Random(damage.__name__)
    for turn in range(15):
        path = tmp_path / str(turn)
        shutil.copytree(whole, path)
        name = chance.choice(sorted(bytes_before))
        damage(path / name, chance, other / name)
        parts = Path(name).parts
        is_description = "c" not in parts and "store.json" not in name and "seals" not in parts
        try:
            known = is_same(path, before)
        except px.PhalanxError as error:
            assert str(path) in str(error), f"{name}: {error}"
            known = None
        if known is False:  # a chunk whose status is gone is missing, and said to be
            assert damage in (remove,) and parts[0] == "status", name
            assert Store.open(path).missing
        try:
            said = resumed(path)
        except px.PhalanxError as error:  # descriptions are not made again
            assert is_description or "store.json" in name or damage is swap, f"{name}: {error}"
            assert str(path) in str(error)
            continue
        assert is_same(path, before)
        now = files_of(path)
        assert {key: now[key] for key in bytes_before} == bytes_before, name
        if known is None:
            assert any("computed again" in words and "chunk" in words for words in said), name


@pytest.mark.parametrize("second", [1, 3, 4])
def test_whole_chunks_that_changed_places_are_noticed(stores, tmp_path: Path, second: int) -> None:
    """All files of two chunks, seals too: each is whole, and of other cases."""
    whole, _ = stores
    path = tmp_path / "out"
    shutil.copytree(whole, path)
    for name in files_of(path):
        first = path / name
        parts = list(Path(name).parts)
        if "c" in parts and parts[parts.index("c") + 1] == "0":
            parts[parts.index("c") + 1] = str(second)
        elif name == "status/seals/0.json":
            parts[-1] = f"{second}.json"
        else:
            continue
        its = path.joinpath(*parts)
        mine = first.read_bytes()
        first.write_bytes(its.read_bytes())
        its.write_bytes(mine)
    with pytest.raises(px.ReadError, match="another chunk or study"):
        Store.open(path).array("y")
    assert set(Store.open(path).damaged()) == {0, second}
    said = resumed(path)
    assert len(said) == 2 and all("computed again" in words for words in said)
    assert files_of(path) == files_of(whole)


def test_a_chunk_of_another_seed_is_noticed(stores, tmp_path: Path) -> None:
    whole, other = stores
    path = tmp_path / "out"
    shutil.copytree(whole, path)
    for name in files_of(path):
        parts = Path(name).parts
        if ("c" in parts and parts[parts.index("c") + 1] == "2") or name == "status/seals/2.json":
            shutil.copy(other / name, path / name)
    with pytest.raises(px.ReadError, match="chunk 2 of"):
        Store.open(path).array("y")
    assert len(resumed(path)) == 1
    assert files_of(path) == files_of(whole)


def test_nothing_is_written_through_a_link(stores, tmp_path: Path) -> None:
    """A store whose folder of chunks leads elsewhere is not even opened."""
    path, elsewhere = tmp_path / "out", tmp_path / "elsewhere"
    shutil.copytree(stores[0], path)
    shutil.move(path / "y" / "c", elsewhere)
    (elsewhere / "3").unlink()
    (path / "y" / "c").symlink_to(elsewhere)
    with pytest.raises(px.ReadError, match="is a link"):
        resumed(path)
    assert not (elsewhere / "3").exists()


@pytest.mark.parametrize("place", ["y/c/3.writing", "noise/c/3"])
def test_a_chunk_is_not_written_through_links_in_its_place(stores, tmp_path: Path, place) -> None:
    """Neither a file that is written aside, nor a folder of a chunk."""
    path, elsewhere = tmp_path / "out", tmp_path / "elsewhere"
    shutil.copytree(stores[0], path)
    (path / "status" / "c" / "3").unlink()
    if place == "noise/c/3":
        shutil.move(path / place, elsewhere)
        (elsewhere / "0").unlink()
    else:
        elsewhere.write_text("precious")
    (path / place).symlink_to(elsewhere)
    assert resumed(path) == []
    assert files_of(path) == files_of(stores[0])
    assert (
        elsewhere.read_text() == "precious" if elsewhere.is_file() else not [*elsewhere.iterdir()]
    )


def test_links_and_files_in_the_place_of_folders_are_refused(stores, tmp_path: Path) -> None:
    path, elsewhere = tmp_path / "out", tmp_path / "elsewhere"
    shutil.copytree(stores[0], path)
    shutil.move(path / "status" / "seals", elsewhere)
    (path / "status" / "seals").symlink_to(elsewhere)
    (path / "y" / "c" / "2").write_bytes(b"")  # going on would take away its seal
    with pytest.raises(px.ReadError, match="'status' is a link"):
        resumed(path)
    assert (elsewhere / "2.json").is_file()
    path = tmp_path / "second"
    shutil.copytree(stores[0], path)
    shutil.rmtree(path / "y" / "c")
    (path / "y" / "c").write_bytes(b"")
    with pytest.raises(px.ReadError, match="'y' is damaged: c is no folder"):
        resumed(path)


def test_what_lies_there_of_chunks_that_are_missing_is_not_read(stores, tmp_path: Path) -> None:
    """As when a process was killed, or writes now: no seal vouches for it, nor need it be whole."""
    path = tmp_path / "out"
    shutil.copytree(stores[0], path)
    for number in (1, 2):
        (path / "status" / "c" / str(number)).unlink()
    shutil.copy(path / "y" / "c" / "3", path / "y" / "c" / "1")
    (path / "y" / "c" / "2").write_bytes(b"no chunk")
    data = Store.open(path).to_xarray()
    (path / "status" / "c" / "1").write_bytes((path / "status" / "c" / "0").read_bytes())
    data = pickle.loads(pickle.dumps(data)).load()  # what was done as it was asked for
    assert np.isnan(data["y"].values[CHUNK : 3 * CHUNK]).all()
    assert not data["status"].values[CHUNK : 3 * CHUNK].any()
    assert same(data["y"].values[3 * CHUNK :], Store.open(stores[0]).array("y")[3 * CHUNK :])


def test_units_that_look_like_dates_change_no_number(tmp_path: Path) -> None:
    run = px.sweeps.Call(square, {"y": ()}, units={"y": "days since 2000-01-01"})
    found = px.sweep(run, px.sweeps.Table({"x": [0.5]}), to=tmp_path / "out", chunk=1)
    assert found.to_xarray()["y"].values.tolist() == [0.25]


VALUES = (10**18, -1, 0, 1.5, "many", None, True, [], {}, 2**70, float("nan"), "../../etc")


def leaves(value, place=()):
    """Places of all plain values in a table."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in items:
        if isinstance(inner, dict | list) and inner:
            yield from leaves(inner, (*place, key))
        else:
            yield (*place, key)


def edited(path: Path, place, value) -> None:
    """Edit a fact of the store, and all hashes with it, as somebody would who knows how."""
    file = path / "zarr.json"
    table = json.loads(file.read_bytes())
    inner = table
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    file.write_text(json.dumps(table))
    seal = json.loads(store_seal(path).read_bytes().splitlines()[0])
    plain = {name: path / name for name in seal["files"] if (path / name).is_file()}
    seal["files"] = {name: digest(file.read_bytes()) for name, file in plain.items()}
    store_seal(path).write_bytes(sealed(seal))


def test_edited_facts_end_in_an_error_of_ours_or_change_nothing(stores, tmp_path: Path) -> None:
    whole, _ = stores
    before = read_all(whole)
    chance = random.Random(5)
    table = json.loads((whole / "zarr.json").read_bytes())
    ours = [place for place in leaves(table["attributes"], ("attributes",))]
    theirs = [place for place in leaves(table) if place[0] != "attributes"]
    places = ours + chance.sample(theirs, 12)
    path = tmp_path / "out"
    for place in places:
        for value in chance.sample(VALUES, 2):
            shutil.copytree(whole, path)
            edited(path, place, value)
            for ask in (lambda: is_same(path, before), lambda: noted_study(Store.open(path))):
                try:
                    assert ask() is not False, (place, value)
                except px.PhalanxError as error:
                    assert str(path) in str(error), (place, value)
            shutil.rmtree(path)


def test_names_of_dimensions_are_text(stores, tmp_path: Path) -> None:
    path = tmp_path / "out"
    shutil.copytree(stores[0], path)
    file = path / "x" / "zarr.json"
    file.write_text(json.dumps(json.loads(file.read_bytes()) | {"dimension_names": [True]}))
    edited(path, ("consolidated_metadata", "metadata", "x", "dimension_names"), [True])
    with pytest.raises(px.ReadError, match=r"array x is .*expected the description of an array"):
        Store.open(path).array("x")


@pytest.mark.parametrize("cases", [10**18, -5, 0, "30", 30.0, True, None])
def test_a_wrong_count_of_cases_is_said_at_once(stores, tmp_path: Path, cases) -> None:
    path = tmp_path / "out"
    shutil.copytree(stores[0], path)
    edited(path, ("attributes", "cases"), cases)
    with pytest.raises(px.ReadError, match=r"cases is .*expected"):
        Store.open(path)


def test_sizes_that_no_memory_has_are_said_at_once(stores, tmp_path: Path) -> None:
    """Chunks, or axes, of so many rows."""
    path = tmp_path / "out"
    many = 10**15
    px.sweep(rollout(), spread(4), to=path, chunk=2)
    table = json.loads((path / "zarr.json").read_bytes())
    for wanted in ("case", "joint"):
        other = tmp_path / wanted
        shutil.copytree(path, other)
        arrays = {
            name: array
            for name, array in table["consolidated_metadata"]["metadata"].items()
            if array["dimension_names"][0] == wanted
        }
        for name, array in arrays.items():
            chunks = [many, *array["shape"][1:]]
            changed = array | {"shape": chunks}
            changed["chunk_grid"] = {"name": "regular", "configuration": {"chunk_shape": chunks}}
            (other / name / "zarr.json").write_text(json.dumps(changed))
            edited(other, ("consolidated_metadata", "metadata", name), changed)
        if wanted == "case":
            edited(other, ("attributes", "cases"), many)
            edited(other, ("attributes", "study", "chunk"), many)
        with pytest.raises(px.ReadError, match=r"rows of array .* of memory"):
            Store.open(other)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes among files")
def test_an_axis_that_is_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "out"
    px.sweep(rollout(), spread(4), to=path, chunk=2)
    axis = path / "joint" / "c" / "0"
    axis.unlink()
    os.mkfifo(axis)
    edited(path, ("attributes", "cases"), 4)
    with pytest.raises(px.ReadError, match="'joint' has a pipe"):
        Store.open(path)


def test_an_unsealed_edit_is_named_by_its_file(stores, tmp_path: Path) -> None:
    path = tmp_path / "out"
    shutil.copytree(stores[0], path)
    file = path / "zarr.json"
    file.write_bytes(file.read_bytes().replace(b'"seed": 0', b'"seed": 1'))
    with pytest.raises(px.ReadError, match=r"zarr\.json is damaged, or was edited"):
        Store.open(path)
