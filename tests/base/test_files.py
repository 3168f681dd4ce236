"""Whatever stands behind a name: its bytes, or an error that says why not."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import numpy as np
import pytest

import phalanx as px
from phalanx.base.errors import InvalidModel, MissingExtra, PhalanxError, ReadError, shown
from phalanx.base.files import home_path, naming_file, read_bytes, read_text


def fifo(path: Path) -> None:
    os.mkfifo(path)


def bound_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as end:
        end.bind(str(path))


def to_itself(path: Path) -> None:
    path.symlink_to(path)


STRANGE = {
    "a folder": (Path.mkdir, "a folder"),
    "a pipe": (fifo, "a pipe"),
    "a device": (lambda path: path.symlink_to("/dev/zero"), "a device"),
    "a socket": (bound_socket, "cannot be read"),
    "a link to itself": (to_itself, "symbolic links"),
    "nothing": (lambda path: None, "No such file"),
    "a link to nothing": (lambda path: path.symlink_to("nowhere"), "No such file"),
}


@pytest.mark.parametrize("kind", STRANGE)
def test_what_is_no_file_is_said(kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # names of sockets are short
    make, reason = STRANGE[kind]
    make(Path("thing"))
    with pytest.raises(ReadError, match=reason):
        read_bytes(Path("thing"), 100)


@pytest.mark.parametrize("name", ["a" * 300, "a/" * 5000, "a\0b", "\ud800"], ids=range(4))
def test_names_that_no_file_can_have(name):
    with pytest.raises(ReadError, match="cannot be read"):
        read_bytes(Path(name), 100)


def test_no_user_no_home():
    assert home_path("~") == Path.home()
    with pytest.raises(ReadError, match=r"~nosuchuser/arm\.urdf: .*home"):
        home_path("~nosuchuser/arm.urdf")


def test_files_up_to_a_size(tmp_path):
    (tmp_path / "file").write_bytes(b"x" * 2**20)
    assert len(read_bytes(tmp_path / "file", 2**20)) == 2**20
    with pytest.raises(ReadError, match="larger than the 1023 kB read"):
        read_bytes(tmp_path / "file", 2**20 - 2**10)


def test_text_is_utf_8_without_nul(tmp_path):
    file = tmp_path / "file"
    file.write_bytes("\ufeffgrün\n".encode())
    assert read_text(file, 100) == "grün\n"
    file.write_bytes(b"one\ntwo\xff")
    with pytest.raises(ReadError, match="line 2: not UTF-8 text"):
        read_text(file, 100)
    file.write_bytes(b"one\ntwo\n\0")
    with pytest.raises(ReadError, match=r"line 3: .* NUL"):
        read_text(file, 100)


def test_errors_get_the_file_s_name_and_stay_what_they_are():
    for error, kind in ((InvalidModel("x"), InvalidModel), (px.InvalidInput("x"), ReadError)):
        with pytest.raises(kind, match=r"^arm: x$"), naming_file("arm"):
            raise error
    with pytest.raises(MissingExtra, match=r"^reading"), naming_file("arm"):
        raise MissingExtra("reading MJCF", "mjcf")


VALUES = [1, "a" * 9999, [[1] * 9999] * 9999, 10**5000, {1: {2: {}}}, None]


@pytest.mark.parametrize("value", VALUES, ids=range(len(VALUES)))
def test_values_are_shown_in_a_line(value):
    text = shown(value)
    assert 0 < len(text) <= 60 and "\n" not in text


READERS = {
    "model": (px.load, ".urdf"),
    "MJCF": (px.load, ".xml"),
    "scenario": (px.read_scenario, ".toml"),
    "table": (px.Profile.from_csv, ".csv"),
    "recording": (px.Recording.read, ".mcap"),
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("kind", ["a folder", "a pipe", "a device", "a link to itself", "nothing"])
def test_every_reader_begins_at_the_same_door(reader, kind, tmp_path):
    read, suffix = READERS[reader]
    path = tmp_path / f"thing{suffix}"
    STRANGE[kind][0](path)
    with pytest.raises(PhalanxError, match="thing"):
        read(path)


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("name", ["~nosuchuser/thing", "a" * 300, "a\0b", "/" * 5000], ids=range(4))
def test_every_reader_says_so_of_names(reader, name):
    read, suffix = READERS[reader]
    with pytest.raises(PhalanxError):
        read(name + suffix)


def test_tables_lose_no_row(tmp_path):
    """A first line that is nearly numbers is not taken for a header."""
    file = tmp_path / "table.csv"
    for first in ("0.0x,1", "0,1.0x", "0;1", "0,"):
        file.write_text(f"{first}\n1,2\n")
        with pytest.raises(px.InvalidInput, match=r"table\.csv: line 1"):
            px.Profile.from_csv(file)
    for header in ("time,1", "# t, a", '"time [s]","a"'):
        file.write_text(f"{header}\n1,2\n")
        np.testing.assert_array_equal(px.Profile.from_csv(file).values, [[2]])


def test_tables_are_not_unpacked(tmp_path):
    """An archive of zeros could fill the memory; a table is text."""
    import gzip

    file = tmp_path / "table.csv.gz"
    file.write_bytes(gzip.compress(b"0,1\n"))
    with pytest.raises(px.InvalidInput, match="not UTF-8"):
        px.Profile.from_csv(file)


def test_a_user_without_name_and_home_loads_packages(tmp_path, monkeypatch):
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", homeless)
    (tmp_path / "arm.urdf").write_text(
        '<robot name="arm"><link name="a"><visual><geometry>'
        '<mesh filename="package://x/m.stl"/></geometry></visual></link></robot>'
    )
    with pytest.warns(UserWarning, match="meshes not found"):
        assert px.load(tmp_path / "arm.urdf").name == "arm"
