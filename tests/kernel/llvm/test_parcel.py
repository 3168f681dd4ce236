"""Object code that travels is taken as it left, or not at all."""

import casadi as ca
import pytest

from phalanx.kernel.build import compile
from phalanx.kernel.llvm import cache, parcel
from phalanx.kernel.llvm.parcel import Parcel


@pytest.fixture
def travelling(tmp_path, monkeypatch):
    """A parcel of one kernel, and the function it is for; the cache is empty again."""
    monkeypatch.setenv("PHALANX_CACHE_DIR", str(tmp_path / "home"))
    x = ca.SX.sym("x")
    function = ca.Function("travelling", [x], [x * x + 41], ["x"], ["y"])
    monkeypatch.setattr(parcel, "_built", {})
    compile(function)
    (name,) = parcel.names_built()
    packed = Parcel.of([name])
    monkeypatch.setattr(parcel, "_built", {})
    monkeypatch.setenv("PHALANX_CACHE_DIR", str(tmp_path / "elsewhere"))
    return packed, name, function


def test_nothing_is_compiled_that_arrived(travelling):
    packed, name, function = travelling
    assert packed.unpack() == 1
    assert compile(function)([2.0]) == [45.0]
    assert parcel.names_built() == ()
    assert parcel.names_linked()[-1] == name


def test_without_it_the_same_is_compiled(travelling):
    _, name, function = travelling
    compile(function)
    assert parcel.names_built() == (name,)


@pytest.mark.parametrize("place", [0, 20, 60, -1])
def test_damage_is_noticed(travelling, place, caplog):
    packed, name, function = travelling
    kind, data = packed.entries[name]
    damaged = bytearray(data)
    damaged[place] ^= 1
    assert Parcel({name: (kind, bytes(damaged))}).unpack() == 0
    assert "arrived damaged" in caplog.text
    assert cache.load(name) is None
    assert compile(function)([2.0]) == [45.0]
    assert parcel.names_built() == (name,)


def test_code_under_another_name_is_refused(travelling):
    packed, name, _ = travelling
    assert Parcel({"0" * 64: packed.entries[name]}).unpack() == 0


def test_without_a_folder_it_stays_in_memory(travelling, tmp_path, monkeypatch):
    packed, _, function = travelling
    monkeypatch.setattr(cache, "_HELD", {})
    (tmp_path / "file").touch()
    monkeypatch.setenv("PHALANX_CACHE_DIR", str(tmp_path / "file" / "no_folder"))
    assert packed.unpack() == 1
    assert compile(function)([2.0]) == [45.0]
    assert parcel.names_built() == ()


def test_too_many_leave_the_oldest_behind(travelling, monkeypatch):
    packed, name, _ = travelling
    packed.unpack()
    monkeypatch.setattr(parcel, "_LARGEST", len(packed.entries[name][1]))
    assert set(Parcel.of([name]).entries) == {name}
    monkeypatch.setattr(parcel, "_LARGEST", len(packed.entries[name][1]) - 1)
    assert not Parcel.of([name])
