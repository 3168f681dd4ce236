"""Object code that travels is taken as it left, or not at all."""

import struct

import casadi as ca
import pytest

from phalanx.kernel.build import compile
from phalanx.kernel.llvm import cache
from phalanx.kernel.llvm import portable_code as parcel
from phalanx.kernel.llvm.portable_code import PortableCode

KEY = b"of the work that it is for"


@pytest.fixture
def travelling(tmp_path, monkeypatch):
    """A parcel of one kernel, and the function it is for; the cache is empty again."""
    monkeypatch.setenv("PHALANX_CACHE_DIR", str(tmp_path / "home"))
    x = ca.SX.sym("x")
    function = ca.Function("travelling", [x], [x * x + 41], ["x"], ["y"])
    monkeypatch.setattr(parcel, "_built", {})
    compile(function)
    (name,) = parcel.names_built()
    packed = PortableCode.of([name], KEY)
    monkeypatch.setattr(parcel, "_built", {})
    monkeypatch.setenv("PHALANX_CACHE_DIR", str(tmp_path / "elsewhere"))
    return packed, name, function


def test_nothing_is_compiled_that_arrived(travelling):
    packed, name, function = travelling
    assert packed.unpack(KEY) == (name,)
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
    kind, data, seal = packed.entries[name]
    damaged = bytearray(data)
    damaged[place] ^= 1
    assert PortableCode({name: (kind, bytes(damaged), seal)}).unpack(KEY) == ()
    assert "arrived damaged" in caplog.text
    assert cache.load(name) is None
    assert compile(function)([2.0]) == [45.0]
    assert parcel.names_built() == (name,)


def test_an_altered_constant_is_not_taken_and_not_cached(travelling, caplog):
    """Object code of another function, sealed by nobody, under this one's name and a right hash."""
    packed, name, function = travelling
    kind, data, seal = packed.entries[name]
    entry = cache.decode(name, data)
    code = bytearray(entry.code)
    place = code.find(struct.pack("<d", 41.0))
    assert place > 0
    code[place : place + 8] = struct.pack("<d", 1e6)
    forged = cache.encode(name, cache.Entry(entry.facts, bytes(code)))
    assert PortableCode({name: (kind, forged, seal)}).unpack(KEY) == ()
    assert "altered" in caplog.text
    assert cache.load(name) is None
    assert compile(function)([2.0]) == [45.0]


@pytest.mark.parametrize("name", ["../escaped", "/tmp/escaped", "a/b", "", "0" * 63, "A" * 64, "."])
def test_names_that_are_no_keys_write_nothing(travelling, tmp_path, name):
    entry = cache.Entry({}, b"code")
    data = cache.encode(name, entry)
    seal = parcel._seal(KEY, name, parcel.kind(), data)
    before = sorted(tmp_path.rglob("*"))
    assert PortableCode({name: (parcel.kind(), data, seal)}).unpack(KEY) == ()
    assert not cache.adopt(name, data)
    assert sorted(tmp_path.rglob("*")) == before


def test_code_of_other_work_is_refused(travelling):
    packed, name, _ = travelling
    assert packed.unpack(b"another key") == ()
    assert cache.load(name) is None


def test_code_under_another_name_is_refused(travelling):
    packed, name, _ = travelling
    assert PortableCode({"0" * 64: packed.entries[name]}).unpack(KEY) == ()


def test_without_a_folder_it_stays_in_memory(travelling, tmp_path, monkeypatch):
    packed, name, function = travelling
    monkeypatch.setattr(cache, "_HELD", {})
    (tmp_path / "file").touch()
    monkeypatch.setenv("PHALANX_CACHE_DIR", str(tmp_path / "file" / "no_folder"))
    assert packed.unpack(KEY) == (name,)
    assert compile(function)([2.0]) == [45.0]
    assert parcel.names_built() == ()


def test_too_many_leave_the_oldest_behind(travelling, monkeypatch):
    packed, name, _ = travelling
    packed.unpack(KEY)
    monkeypatch.setattr(parcel, "_LARGEST", len(packed.entries[name][1]))
    assert set(PortableCode.of([name], KEY).entries) == {name}
    monkeypatch.setattr(parcel, "_LARGEST", len(packed.entries[name][1]) - 1)
    assert not PortableCode.of([name], KEY)
