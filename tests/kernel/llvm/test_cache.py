"""The cache: found again, never trusted blindly, never in the way."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import socket
import stat
import struct
import subprocess
import sys
import time
from pathlib import Path

import casadi as ca
import numpy as np
import pytest

from kernel.samples import two_link_arm
from phalanx.kernel import build, compile, host_target
from phalanx.kernel.llvm import cache
from waiting import LONG

TESTS = Path(__file__).parents[2]


@pytest.fixture
def builds(monkeypatch):
    """Counts how often code is generated."""
    counted = []
    original = build._build
    monkeypatch.setattr(build, "_build", lambda *a: counted.append(1) or original(*a))
    return counted


def entries(folder):
    return sorted(folder.glob("*.kernel"))


def works(**options) -> bool:
    kernel = compile(two_link_arm(), **options)
    return bool(np.allclose(kernel([0, 0], [0, 0], [0, 0]), [9.81 * 1.3, 9.81 * 0.5], rtol=1e-6))


def test_second_time_nothing_is_built(builds, own_cache):
    first, second = compile(two_link_arm()), compile(two_link_arm())
    assert len(builds) == 1 and len(entries(own_cache)) == 1
    assert first.operations == second.operations
    assert works()


def test_without_cache_nothing_is_written(builds, own_cache):
    assert works(cache=False) and works(cache=False)
    assert len(builds) == 2 and entries(own_cache) == []


@pytest.mark.parametrize(
    "options",
    [
        {"dtype": "float32"},
        {"shapes": {"tau": (1, 2)}},
        {"target": host_target().narrowed(8)},
        {"target": host_target().without_fma()},
    ],
)
def test_what_changes_the_code_changes_the_entry(builds, options):
    assert works() and works(**options)
    assert len(builds) == 2


@pytest.mark.parametrize("changed", ["graph/passes/simplify.py", "llvm/emit_llvm.py", "build.py"])
def test_another_compiler_has_other_entries(builds, monkeypatch, tmp_path, changed):
    """Also where only a pass over the graph is another."""
    assert works() and works()
    sources = cache.compiler_sources()
    (index,) = (
        k for k, path in enumerate(sources) if path.as_posix().endswith(f"kernel/{changed}")
    )
    other = tmp_path / "other.py"
    other.write_bytes(sources[index].read_bytes() + b"\n")
    others = [*sources[:index], other, *sources[index + 1 :]]
    monkeypatch.setattr(cache, "compiler_sources", lambda: others)
    cache.versions.cache_clear()
    try:
        assert works()
    finally:
        cache.versions.cache_clear()
    assert len(builds) == 2


def test_other_functions_have_other_entries(builds, own_cache):
    x = ca.SX.sym("x")
    one, two = (compile(ca.Function("f", [x], [c * x], ["x"], ["y"])) for c in (1.5, 2.5))
    assert len(builds) == 2 and len(entries(own_cache)) == 2
    assert float(one([2])[0]) == 3 and float(two([2])[0]) == 5


DAMAGE = {
    "flipped byte in the code": lambda d: d[:-100] + bytes([d[-100] ^ 1]) + d[-99:],
    "flipped byte in the header": lambda d: d[:60] + bytes([d[60] ^ 1]) + d[61:],
    "flipped byte in the hash": lambda d: d[:20] + bytes([d[20] ^ 1]) + d[21:],
    "truncated": lambda d: d[: len(d) // 2],
    "truncated in the header": lambda d: d[:30],
    "empty": lambda d: b"",
    "garbage": lambda d: os.urandom(5000),
    "other version": lambda d: d.replace(b"phalanx-kernel-1", b"phalanx-kernel-0"),
    "longer": lambda d: d + b"more",
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damaged_entries_are_built_again(builds, own_cache, damage):
    compile(two_link_arm())
    (path,) = entries(own_cache)
    path.write_bytes(DAMAGE[damage](path.read_bytes()))
    assert works()
    assert len(builds) == 2
    assert works()  # and the entry is whole again
    assert len(builds) == 2


def test_an_entry_under_another_name_is_ignored(builds, own_cache):
    compile(two_link_arm())
    (mine,) = entries(own_cache)
    x = ca.SX.sym("x")
    f = ca.Function("f", [x], [x + 1], ["x"], ["y"])
    compile(f)
    (other,) = (p for p in entries(own_cache) if p != mine)
    other.write_bytes(mine.read_bytes())
    assert float(compile(f)([1])[0]) == 2
    assert len(builds) == 3


def test_intact_frame_around_unusable_content(builds, own_cache):
    """The hash guards against accidents; even content that is no object code is survived."""
    key = cache.key(two_link_arm(), None, "float64", host_target())
    cache.store(key, cache.Entry({"name": "arm", "operations": {}}, b"no object code"))
    assert works()
    assert len(builds) == 1


def framed(content: bytes) -> bytes:
    """Any content with a right checksum."""
    return cache._MAGIC + hashlib.sha256(content).digest() + content


def header(name: str, **changes) -> bytes:
    facts = {"key": name, "facts": {"name": "arm", "operations": {}}} | changes
    text = json.dumps({k: v for k, v in facts.items() if v is not ...}).encode()
    return struct.pack("<I", len(text)) + text


NONSENSE = {
    "nothing": lambda name: b"",
    "half a length": lambda name: b"ab",
    "a length beyond the end": lambda name: struct.pack("<I", 10**9) + b"{",
    "not JSON": lambda name: struct.pack("<I", 4) + b"{{{{",
    "not text": lambda name: struct.pack("<I", 4) + b"\xff\xfe\xfd\xfc",
    "too deep": lambda name: struct.pack("<I", 200_000) + b"[" * 200_000,
    "a list": lambda name: struct.pack("<I", 7) + b"[1,2,3]",
    "a number": lambda name: struct.pack("<I", 1) + b"7",
    "no key": lambda name: header(name, key=...),
    "no facts": lambda name: header(name, facts=...),
    "facts that are a list": lambda name: header(name, facts=[1]),
    "no operations": lambda name: header(name, facts={"name": "arm"}),
    "operations that are a text": lambda name: header(name, facts={"name": "a", "operations": "x"}),
    "a count that is a text": lambda name: header(
        name, facts={"name": "arm", "operations": {"add": "many"}}
    ),
    "a name that is none": lambda name: header(name, facts={"name": "a b", "operations": {}}),
    "a name that is a number": lambda name: header(name, facts={"name": 7, "operations": {}}),
}


@pytest.mark.parametrize("nonsense", NONSENSE)
def test_a_right_checksum_around_nonsense(builds, own_cache, nonsense):
    assert works()
    (path,) = entries(own_cache)
    path.write_bytes(framed(NONSENSE[nonsense](path.stem)))
    assert works() and len(builds) == 2
    assert works() and len(builds) == 2  # it was replaced


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no FIFOs")
@pytest.mark.parametrize("kind", ["fifo", "folder", "socket", "dangling link"])
def test_only_plain_files_are_read(builds, own_cache, kind):
    assert works()
    (path,) = entries(own_cache)
    path.unlink()
    match kind:
        case "fifo":
            os.mkfifo(path, 0o600)
            assert _ends_by_itself("k.compile(two_link_arm())")  # who opens it may wait for ever
        case "folder":
            path.mkdir()
        case "socket":
            with contextlib.chdir(own_cache), socket.socket(socket.AF_UNIX) as listener:
                listener.bind(path.name)
        case "dangling link":
            path.symlink_to(own_cache / "nowhere")
    assert works()
    (path,) = entries(own_cache)
    assert works() and len(builds) == (1 if kind == "fifo" else 2)  # a plain file is in its place
    assert path.is_file() and not path.is_symlink()


def _ends_by_itself(code: str) -> bool:
    """Whether a process of its own does this within a generous limit."""
    lines = f"import phalanx.kernel as k\nfrom kernel.samples import two_link_arm\n{code}"
    done = subprocess.run([sys.executable, "-c", lines], timeout=60, cwd=TESTS)
    return done.returncode == 0


def test_what_killed_writers_left_is_removed(own_cache):
    left, fresh = own_cache / "tmpabc.part", own_cache / "tmpdef.part"
    for path in (left, fresh):
        path.write_bytes(b"half a kernel")
    os.utime(left, (time.time() - 2 * 3600,) * 2)
    assert works()
    assert not left.exists() and fresh.exists()  # somebody may still be writing the other one


def test_an_interrupt_while_storing_is_not_lost(own_cache, monkeypatch):
    """Neither when the file has got its name already, nor before."""
    rename = os.replace
    for done_first in (True, False):

        def interrupted(*names, done=done_first):
            if done:
                rename(*names)
            raise KeyboardInterrupt

        monkeypatch.setattr(cache.os, "replace", interrupted)
        with pytest.raises(KeyboardInterrupt):
            cache.store("name", cache.Entry({}, b""))
        assert not list(own_cache.glob("*.part"))


def test_without_a_home_nothing_is_kept(builds, monkeypatch, caplog):
    """No HOME, and a user that the system does not know."""

    def nowhere():
        raise RuntimeError("Could not determine home directory.")

    for name in ("PHALANX_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA", "HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(cache.Path, "home", nowhere)
    cache._say_once.cache_clear()
    assert works() and works() and len(builds) == 2
    (said,) = [r.message for r in caplog.records if r.levelname == "WARNING"]
    assert "no home folder" in said and "PHALANX_CACHE_DIR" in said


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions")
@pytest.mark.parametrize("mode", [0o777, 0o1777, 0o770])
def test_a_folder_that_others_may_write_to_is_not_used(builds, own_cache, mode, caplog):
    """Others could put their code in place of ours between two looks."""
    assert works() and len(builds) == 1
    own_cache.chmod(mode)
    cache._say_once.cache_clear()
    assert works() and works() and len(builds) == 3
    (said,) = [r.message for r in caplog.records if r.levelname == "WARNING"]
    assert str(own_cache) in said and "chmod go-w" in said
    own_cache.chmod(0o755)
    assert works() and len(builds) == 3


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions")
def test_files_belong_to_the_user_alone(builds, own_cache, monkeypatch):
    monkeypatch.setenv("PHALANX_CACHE_DIR", str(own_cache / "new" / "folder"))
    compile(two_link_arm())
    (path,) = entries(own_cache / "new" / "folder")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    path.chmod(0o666)  # anybody could have written it
    assert works() and len(builds) == 2


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX ownership")
def test_entries_of_other_users_are_ignored(builds, monkeypatch):
    compile(two_link_arm())
    mine = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: mine + 1)
    assert works() and len(builds) == 2


def test_an_unusable_folder_costs_only_time(builds, tmp_path, monkeypatch):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    monkeypatch.setenv("PHALANX_CACHE_DIR", str(blocked / "inside"))
    assert works() and works()
    assert len(builds) == 2


def test_a_read_only_folder_costs_only_time(builds, own_cache, monkeypatch):
    def refuse(*args, **options):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(cache.tempfile, "mkstemp", refuse)  # root ignores permissions
    assert works() and works()
    assert len(builds) == 2 and entries(own_cache) == []


def test_entries_are_found_in_a_folder_that_cannot_be_written(builds, monkeypatch):
    compile(two_link_arm())

    def refuse(*args, **options):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(cache.os, "utime", refuse)
    assert works() and len(builds) == 1


def test_a_failed_write_leaves_nothing(own_cache, monkeypatch):
    def fail(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(cache.os, "replace", fail)
    assert works()
    assert list(own_cache.iterdir()) == []


def test_the_folder_follows_the_environment(monkeypatch, tmp_path):
    monkeypatch.delenv("PHALANX_CACHE_DIR")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache.folder() == tmp_path / "phalanx"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert cache.folder() == tmp_path / "home" / ".cache" / "phalanx"


def test_the_least_recently_used_go_first(own_cache):
    for i, name in enumerate("abcd"):
        cache.store(name, cache.Entry({}, bytes(1000)))
        os.utime(own_cache / f"{name}.kernel", (i, i))
    assert cache.load("a") is not None  # used again, so no longer the oldest
    cache.prune(own_cache, 2500)
    assert [p.stem for p in entries(own_cache)] == ["a", "d"]


def test_many_processes_at_once(own_cache):
    code = (
        "import casadi as ca, numpy as np, phalanx.kernel as k\n"
        "x = ca.SX.sym('x', 3)\n"
        "f = ca.Function('f', [x], [ca.sin(x) * x], ['x'], ['y'])\n"
        "for _ in range(5):\n"
        "    y = k.compile(f)(np.arange(3.0))\n"
        "    assert np.allclose(y, np.sin(np.arange(3.0)) * np.arange(3.0))\n"
    )
    started = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(6)]
    assert [process.wait(timeout=LONG) for process in started] == [0] * 6
    assert len(entries(own_cache)) == 1 and len(list(own_cache.iterdir())) == 1


def test_code_made_by_another_process_runs_here(builds, own_cache):
    code = (
        "import casadi as ca, phalanx.kernel as k\n"
        "x = ca.SX.sym('x', 3)\n"
        "k.compile(ca.Function('f', [x], [ca.sin(x), ca.exp(x)], ['x'], ['s', 'e']))\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    x = ca.SX.sym("x", 3)
    kernel = compile(ca.Function("f", [x], [ca.sin(x), ca.exp(x)], ["x"], ["s", "e"]))
    assert builds == []
    s, e = kernel.call(np.arange(3.0))
    assert np.allclose(s, np.sin(np.arange(3.0))) and np.allclose(e, np.exp(np.arange(3.0)))
