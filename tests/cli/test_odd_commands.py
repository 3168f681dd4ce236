"""Command lines that nobody means: each ends with 2 and a message, without a traceback."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

import phalanx as px

from .conftest import PENDULUM

LONG = "a" * 5000
DIGITS = "9" * 5000
DEEP = "[" * 5000

ODD = """
info ''
info .
info /dev/null
info /dev/zero
info fifo.urdf
info ~nosuchuser/arm.urdf
info LONG
info LONG.urdf
info robot:
info aNULb.urdf
info folder.urdf
info puma560 --picture folder
info puma560 --picture LONG.png
info pendulum.urdf --package-path ~nosuchuser/x
info pendulum.urdf --package-path nowhere
info pendulum.urdf --package-path LONG
library extra
evaluate double_pendulum bias --samples 1e20
evaluate double_pendulum bias --samples 1e308
evaluate double_pendulum bias --samples 1e400
evaluate double_pendulum bias --samples ''
evaluate double_pendulum bias --samples DIGITS
evaluate double_pendulum bias --seed 1e3
evaluate double_pendulum bias --threads 1.5
evaluate double_pendulum bias --threads 99999999999
evaluate double_pendulum bias --q ''
evaluate double_pendulum bias --q ,
evaluate double_pendulum bias --q DEEP
evaluate double_pendulum bias --q DIGITS,0
evaluate double_pendulum bias --q '[1e400,0]'
evaluate double_pendulum bias --q '[null,1]'
evaluate double_pendulum bias --q '["1","2"]'
evaluate double_pendulum bias --q '[true,1]'
evaluate double_pendulum bias --q '{}'
evaluate double_pendulum bias --input folder
evaluate double_pendulum bias --input folder.npz
evaluate double_pendulum bias --input LONG.npz
evaluate double_pendulum bias --input text.npz
evaluate double_pendulum bias --input damaged.npz
evaluate double_pendulum bias --input bomb.npz
evaluate double_pendulum bias --input huge.npy
evaluate double_pendulum bias --input fifo.csv
evaluate double_pendulum bias --output LONG.npz
evaluate double_pendulum bias --output folder.npz
evaluate double_pendulum bias --output aNULb.npz
evaluate double_pendulum jacobian --frame ''
evaluate double_pendulum ''
simulate ''
simulate folder.toml
simulate LONG.toml
simulate ~nosuchuser.toml
simulate fifo.toml
simulate aNULb.toml
simulate double_pendulum --duration inf
simulate double_pendulum --duration nan
simulate double_pendulum --duration 1e18
simulate double_pendulum --duration 1e300
simulate double_pendulum --duration 1e8
simulate double_pendulum --step 0
simulate double_pendulum --step 1e-300
simulate double_pendulum --step 1e-320 --duration 1e308
simulate double_pendulum --every 99999999999999999999999
simulate double_pendulum --q0 1,2,3
simulate double_pendulum --q0 ''
simulate double_pendulum --record LONG.mcap
simulate double_pendulum --record folder.mcap
simulate double_pendulum --speed 0
simulate double_pendulum --realtime --speed nan
cosimulate planar_3rrr --decay nan
rollout double_pendulum --runs 1e20
rollout double_pendulum --runs 1e12
rollout double_pendulum --runs nan
rollout double_pendulum --runs 1 --steps 99999999999999999999
rollout double_pendulum --runs 1 --step 0
rollout double_pendulum --runs 1 --step nan
rollout double_pendulum --runs 1e6 --steps 1000000 --output x.npz
rollout double_pendulum --randomise =1:2
rollout double_pendulum --randomise lower.mass=nan:1
trajectory puma560 LONG.csv
trajectory puma560 fifo.csv
trajectory puma560 folder
trajectory puma560 aNULb.csv
trajectory puma560 ~nosuchuser/x.csv
trajectory puma560 text.npz
trajectory puma560 folder.parquet
trajectory puma560 text.parquet
trajectory puma560 --demo --step nan
trajectory puma560 --demo --step 1e-300
trajectory puma560 --demo --torque-limit ''
trajectory puma560 --demo --torque-limit DEEP
trajectory puma560 --demo --torque-limit DIGITS
trajectory puma560 --demo --rate-limit nan
trajectory puma560 --demo --save LONG.csv
trajectory puma560 --demo --plot folder
trajectory planar_3rrr --demo
cosimulate planar_3rrr --duration 1e300
cosimulate planar_3rrr --duration 1e9
cosimulate planar_3rrr --step 0
cosimulate planar_3rrr --gains 1
cosimulate planar_3rrr --gains 1,nan
cosimulate planar_3rrr --timeout 0
cosimulate planar_3rrr --timeout nan
replay folder
replay LONG
replay fifo.urdf
replay pendulum.urdf
view double_pendulum --port -1 --no-open
view double_pendulum --port 1.5 --no-open
diff folder folder
diff run.mcap LONG
diff run.mcap fifo.urdf
diff run.mcap run.mcap --tolerance nan
diff run.mcap run.mcap --signal nothing
schedule double_pendulum --processors ''
schedule double_pendulum --processors 1-
schedule double_pendulum --processors 1-99999999999999
schedule double_pendulum --processors DIGITS
schedule double_pendulum --synchronization nan
schedule double_pendulum --coarsen 0
schedule double_pendulum --pipelined -1
schedule double_pendulum --time-limit nan --policy exact --processors 2
schedule double_pendulum --gantt LONG.html
schedule double_pendulum --json folder
schedule double_pendulum --save x.txt
array ''
array four_bar
array double_pendulum --interval -1
array double_pendulum --interval 1e-300
array double_pendulum --interval inf
array double_pendulum --samples 1e3
array double_pendulum --samples 99999999999
array double_pendulum --multiply nan
array double_pendulum --multiply-interval 5e-324 --add-interval 5e-324 --single
array double_pendulum --add-interval inf
array double_pendulum --add 0 --multiply 0
array double_pendulum --rate nan
array double_pendulum --lock ''
array double_pendulum --page folder
array double_pendulum --page LONG.html
export double_pendulum bias --to folder
export double_pendulum bias --to folder.c
export double_pendulum bias --to LONG.c
export double_pendulum bias --to aNULb.c
export double_pendulum bias --to ''
operations folder
bench double_pendulum --json LONG.json
compare-loops --budget 1
compare-loops springs --plot LONG.png
compare-chains --longest 1e9
compare-chains figure3 --plot LONG.png
compare-chains figure3 --latency 1e-6
compare-chains figure3 --latency nan --operation 1e-9
compare-chains figure3 --latency 1e-6 --operation 0
excavator --step nan
excavator --folder pendulum.urdf
excavator-fleet --machines 1e20
excavator-fleet --machines 1e11
excavator-fleet --machines 1 --seconds 1e300
excavator-fleet --machines 1 --seconds 1e9 --hold 1e-3
excavator-fleet --machines 1 --hold nan
excavator-fleet --machines 1 --heaviest nan
nothing
''
""".strip().splitlines()


@pytest.fixture
def things(tmp_path: Path) -> None:
    """Files and folders of which none is what it seems."""
    (tmp_path / "pendulum.urdf").write_text(PENDULUM)
    for suffix in ("", ".urdf", ".npz", ".mcap", ".c", ".toml"):
        (tmp_path / f"folder{suffix}").mkdir()
    for suffix in ("urdf", "toml", "csv"):
        os.mkfifo(tmp_path / f"fifo.{suffix}")
    (tmp_path / "text.npz").write_text("this is no archive")
    sound = {"q": np.zeros((3, 2)), "v": np.zeros((3, 2))}
    np.savez(tmp_path / "damaged.npz", **sound)
    whole = (tmp_path / "damaged.npz").read_bytes()
    (tmp_path / "damaged.npz").write_bytes(whole[:150] + b"x" * 20 + whole[170:])
    head = b"{'descr': '<f8', 'fortran_order': False, 'shape': (300000000000, 4), }"
    (tmp_path / "huge.npy").write_bytes(b"\x93NUMPY\x01\x00v\x00" + head.ljust(117) + b"\n")
    _bomb(tmp_path / "bomb.npz")
    recording = px.Recording([0.0, 1.0], [])
    recording.write(tmp_path / "run.mcap")


def _bomb(path: Path) -> None:
    """An archive that says it holds a hundred terabytes."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("q.npy", b"\0" * 100)
    content = bytearray(path.read_bytes())
    directory = content.index(b"PK\x01\x02")
    # the size of a member, twice, in its place in the directory: as large as 32 bits say
    content[directory + 20 : directory + 28] = b"\xfe\xff\xff\xff" * 2
    path.write_bytes(bytes(content))


@pytest.mark.parametrize("line", ODD)
def test_what_nobody_means_is_said_in_a_line(run, things, line, monkeypatch):
    from phalanx.base import memory

    # the same on every machine
    monkeypatch.setattr(memory, "available_memory", lambda: 4 * 10**9)
    words = shlex.split(line)
    for short, meant in (("LONG", LONG), ("DIGITS", DIGITS), ("DEEP", DEEP), ("NUL", "\0")):
        words = [word.replace(short, meant) for word in words]
    result = run(*words, code=2)
    assert result.stderr.strip() and "Traceback" not in result.output


def test_who_has_seen_enough_may_leave(tmp_path):
    """As in ``phalanx library | head -1``: no error is said, nor a traceback."""
    command = [sys.executable, "-c", "from phalanx.cli import app; app()", "library"]
    read, write = os.pipe()
    os.close(read)
    try:
        done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, text=True, timeout=120)
    finally:
        os.close(write)
    assert done.stderr == ""


def test_no_memory_is_an_error_like_others(run, monkeypatch):
    from phalanx.mechanism import library

    def nothing_left() -> None:
        raise MemoryError("Unable to allocate 9 TiB")

    monkeypatch.setattr(library, "by_name", lambda name: nothing_left())
    assert "Unable to allocate 9 TiB" in run("info", "puma560", code=2).stderr
