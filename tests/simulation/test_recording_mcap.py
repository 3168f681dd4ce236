from __future__ import annotations

import inspect
import struct
import tracemalloc
import warnings
import zlib
from collections import Counter

import numpy as np
import pytest
from mcap.reader import make_reader
from mcap.well_known import MessageEncoding, SchemaEncoding
from mcap.writer import CompressionType, Writer

from phalanx.base.errors import InvalidInput, ReadError, WriteError
from phalanx.simulation.record import mcap_write
from phalanx.simulation.record.checkpoint import checkpoints
from phalanx.simulation.record.mcap_layout import field_names, schema_text, signals_from
from phalanx.simulation.record.mcap_read import RecordingWarning
from phalanx.simulation.record.recorder import Recorder
from phalanx.simulation.record.recording import Recording
from phalanx.simulation.record.signal import Channel, Signal

from .runs import assert_same, noisy

# bytes of a chunk record before the name of its compression
CHUNK_HEAD = 41


@pytest.mark.parametrize("samples", [0, 1, 7, 100, 20_000])
def test_a_round_trip_keeps_every_bit(samples, tmp_path):
    run = noisy(samples)
    path = run.write(tmp_path / "run.mcap")
    assert_same(run, Recording.read(path))
    assert [p.name for p in tmp_path.iterdir()] == ["run.mcap"]


def test_nothing_but_time(tmp_path):
    run = Recording([0.5, 0.5, 1.0], [])
    assert_same(run, Recording.read(run.write(tmp_path / "run.mcap")))


def test_a_view_of_a_run_can_be_written(tmp_path):
    run = noisy().between(10, 20).every(3)
    assert_same(run, Recording.read(run.write(tmp_path / "run.mcap")))


def test_times_before_zero_stay(tmp_path):
    run = Recording([-2.0, -1.0, 1e300], [])
    assert_same(run, Recording.read(run.write(tmp_path / "run.mcap")))


def test_mcaps_own_reader_agrees(tmp_path):
    run = noisy(20_000)
    with run.write(tmp_path / "run.mcap").open("rb") as file:
        reader = make_reader(file, validate_crcs=True)
        summary = reader.get_summary()
        rows = [message for _, _, message in reader.iter_messages()]
        settings = [record.metadata for record in reader.iter_metadata()]
    (channel,), (schema,) = summary.channels.values(), summary.schemas.values()
    assert channel.message_encoding == MessageEncoding.ROS1
    assert schema.encoding == SchemaEncoding.ROS1
    assert schema.data.decode() == schema_text(run.channels)
    assert summary.statistics.message_count == len(rows) == len(run)
    assert len(summary.chunk_indexes) > 1
    assert b"".join(row.data for row in rows) == run.table.tobytes()
    assert rows[5].log_time == round(1e9 * run.time[5])
    assert [row.sequence for row in rows] == list(range(len(run)))
    assert settings[0]["model"] == '"arm <b>"'


def test_mcaps_own_reader_seeks(tmp_path):
    run = noisy(20_000)
    with run.write(tmp_path / "run.mcap").open("rb") as file:
        start = int(1e9 * run.time[15_000])
        reader = make_reader(file)
        known = inspect.signature(reader.iter_messages).parameters
        since = "starting_at" if "starting_at" in known else "start_time"  # as older versions say
        found = sum(1 for _ in reader.iter_messages(**{since: start}))
    assert found == 5_000


def test_names_in_message_definitions():
    assert field_names(["elbow", "el bow", "el/bow", "1st", "ü", ""]) == [
        "elbow",
        "el_bow",
        "el_bow_2",
        "x1st",
        "x_",
        "x",
    ]
    text = schema_text([Channel("time", "s"), Channel("q", "rad", ("a b",))])
    assert text.splitlines()[:3] == ["float64 time", "float64 time_2", "phalanx/q q"]
    assert text.splitlines()[-2:] == ["MSG: phalanx/q", "float64 a_b"]


def rewritten(source, target, **options):
    """The same messages written by MCAP's own writer, as its tools do."""
    with source.open("rb") as file, target.open("wb") as out:
        reader, writer = make_reader(file), Writer(out, **options)
        writer.start()
        for record in reader.iter_metadata():
            writer.add_metadata(record.name, record.metadata)
        other = writer.register_channel("/other", "json", 0)
        ids = {}
        for schema, channel, message in reader.iter_messages():
            if not ids:
                sid = writer.register_schema(schema.name, schema.encoding, schema.data)
                cid = writer.register_channel(channel.topic, "ros1", sid, channel.metadata)
                ids[channel.id] = cid
            now = message.log_time
            writer.add_message(other, now, b"{}", now)
            writer.add_message(ids[channel.id], now, message.data, now)
        writer.finish()


@pytest.mark.parametrize("compression", list(CompressionType))
@pytest.mark.parametrize("use_chunking", [True, False])
def test_a_file_that_another_tool_rewrote(compression, use_chunking, tmp_path):
    run = noisy(50)
    other = tmp_path / "other.mcap"
    rewritten(
        run.write(tmp_path / "run.mcap"), other, compression=compression, use_chunking=use_chunking
    )
    with pytest.warns(RecordingWarning, match="no checksums over names"):
        assert_same(run, Recording.read(other))


def test_every_cut_can_be_read(tmp_path, monkeypatch):
    monkeypatch.setattr(mcap_write, "CHUNK_BYTES", 1 << 10)
    run = noisy(40)
    whole = run.write(tmp_path / "run.mcap").read_bytes()
    first_chunk = whole.index(b"zstd") - CHUNK_HEAD
    cut = tmp_path / "cut.mcap"
    lengths = set()
    for end in range(first_chunk, len(whole), 11):
        cut.write_bytes(whole[:end])
        with pytest.warns(RecordingWarning, match="cut off"):
            part = Recording.read(cut)
        assert part.table.tobytes() == run.table[: len(part)].tobytes()
        lengths.add(len(part))
    assert min(lengths) == 0 and max(lengths) == len(run) and len(lengths) > 4


def test_a_cut_says_when(tmp_path):
    run = Recording([0.0, 0.25], [Signal("x", "", (), np.zeros(2))])
    path = run.write(tmp_path / "run.mcap")
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.warns(RecordingWarning, match=r"run\.mcap was cut off at t = 0\.25 s"):
        Recording.read(path)


def test_zeros_after_a_loss_of_power_are_a_cut(tmp_path):
    path = noisy(10).write(tmp_path / "run.mcap")
    data = path.read_bytes()
    path.write_bytes(data[: data.rindex(b"zstd") - 200] + bytes(4096))
    with pytest.warns(RecordingWarning, match="cut off"):
        assert len(Recording.read(path)) <= 10


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (b"time,q\n0,1\n", "begins with"),
        (b"\x89MCAP0\r\n", "no recording of Phalanx"),
        (mcap_write.MAGIC + bytes(100), "no recording of Phalanx"),
    ],
)
def test_foreign_files(content, said, tmp_path):
    path = tmp_path / "x.mcap"
    path.write_bytes(content)
    with pytest.raises(ReadError, match=said) as caught:
        Recording.read(path)
    assert str(path) in str(caught.value)


def test_an_mcap_of_something_else(tmp_path):
    path = tmp_path / "x.mcap"
    with path.open("wb") as file:
        writer = Writer(file)
        writer.start()
        channel = writer.register_channel("/camera", "json", 0)
        writer.add_message(channel, 0, b"{}", 0)
        writer.finish()
    with pytest.raises(ReadError, match="no recording of Phalanx"):
        Recording.read(path)


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(ReadError, match="No such file"):
        Recording.read(tmp_path / "x.mcap")
    with pytest.raises(ReadError, match="it is a folder"):
        Recording.read(tmp_path)


def damaged(whole, rng):
    """A file with a changed bit, a stretch of other bytes, of zeros, or without a stretch."""
    data, place = bytearray(whole), int(rng.integers(len(whole)))
    stretch = slice(place, place + int(rng.integers(1, 64)))
    kind = rng.integers(6)
    if kind < 3:
        data[place] ^= 1 << int(rng.integers(8))
    elif kind == 3:
        data[stretch] = rng.bytes(len(data[stretch]))
    elif kind == 4:
        data[stretch] = bytes(len(data[stretch]))
    else:
        del data[stretch]
    return bytes(data)


@pytest.fixture
def in_chunks(tmp_path, monkeypatch):
    """A recording of several chunks, with settings known at its end, and its file."""
    monkeypatch.setattr(mcap_write, "CHUNK_BYTES", 1 << 10)
    run = noisy(40)
    path = tmp_path / "run.mcap"
    with Recorder(run.channels, run.settings, path) as recorder:
        recorder.append_rows(run.table)
        recorder.note(wall=2.5)
    return recorder.recording(), path


def test_damage_is_never_silent(in_chunks):
    run, path = in_chunks
    whole = path.read_bytes()
    rng = np.random.default_rng(1)
    outcomes = Counter()
    for _ in range(1500):
        path.write_bytes(damaged(whole, rng))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                read = Recording.read(path)
            except ReadError as error:
                assert str(path) in str(error)
                outcomes["refused"] += 1
                continue
        assert read.channels == run.channels
        assert read.table.tobytes() == run.table[: len(read)].tobytes()
        if caught:  # cut off
            assert read.settings.items() <= run.settings.items()
            outcomes["cut off"] += 1
        else:
            assert_same(run, read)
            outcomes["in the summary's frame"] += 1
    assert outcomes["refused"] > 500 and outcomes["cut off"] > 100


def test_what_is_sound_of_a_damaged_file_can_be_had(in_chunks):
    run, path = in_chunks
    whole = path.read_bytes()
    rng = np.random.default_rng(2)
    rows, saved = [row.tobytes() for row in run.table], 0
    for _ in range(500):
        path.write_bytes(damaged(whole, rng))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RecordingWarning)
            try:
                read = Recording.read(path, salvage=True)
            except ReadError:
                continue
        assert read.channels == run.channels
        assert read.settings.items() <= run.settings.items()
        assert {row.tobytes() for row in read.table} <= set(rows)
        saved += len(read) > 20
    assert saved > 300


@pytest.mark.parametrize(
    ("part", "said", "samples"),
    [
        (b"shoulder", "the names of the signals", 40),
        (b"nested", "settings", 40),
        (b"wall", "settings", 40),
        (b"zstd", r"samples 1 to \d+ ", None),
    ],
)
def test_a_damaged_file_says_which_part_is_lost(part, said, samples, in_chunks):
    run, path = in_chunks
    data = bytearray(path.read_bytes())
    place = data.index(part)
    data[place] ^= 1
    path.write_bytes(data)
    with pytest.raises(ReadError, match=rf"lost are {said}.*salvage=True"):
        Recording.read(path)
    with pytest.warns(RecordingWarning, match=f"lost are {said}"):
        rest = Recording.read(path, salvage=True)
    assert rest.channels == run.channels  # the summary repeats the names
    assert rest.table.tobytes() == run.table[-len(rest) :].tobytes()
    assert len(rest) == samples or 20 < len(rest) < 40
    assert ("nested" in rest.settings) == (part != b"nested")
    assert ("wall" in rest.settings) == (part != b"wall")


def test_a_lost_checkpoint_costs_its_part(in_chunks):
    run, path = in_chunks
    data = bytearray(path.read_bytes())
    second = [point for point in checkpoints(bytes(data)) if point.samples][1]
    data[second.end + 20] ^= 1
    path.write_bytes(data)
    first, last = second.first + 1, second.first + second.samples
    with pytest.raises(ReadError, match=f"samples {first} to {last} "):
        Recording.read(path)
    with pytest.warns(RecordingWarning):
        rest = Recording.read(path, salvage=True)
    assert rest.table.tobytes() == np.delete(run.table, slice(first - 1, last), 0).tobytes()


def unprotected(path):
    """A file as another program would leave it, without checkpoints."""
    data = path.read_bytes()
    for point in reversed(list(checkpoints(data))):
        data = data[: point.end] + data[point.after :]
    path.write_bytes(data)
    return data


def test_a_chunk_that_claims_to_be_huge(tmp_path):
    path = noisy(30).write(tmp_path / "run.mcap")
    data = bytearray(unprotected(path))
    size = data.index(b"zstd") - 16
    data[size : size + 8] = struct.pack("<Q", 1 << 40)
    path.write_bytes(data)
    with pytest.raises(ReadError, match="a chunk of"):
        Recording.read(path)


def test_a_small_file_cannot_fill_the_memory(tmp_path):
    import zstandard
    from mcap.data_stream import RecordBuilder
    from mcap.records import Chunk

    path = noisy(1).write(tmp_path / "run.mcap")
    bomb = zstandard.ZstdCompressor().compress(bytes(1 << 30))
    builder = RecordBuilder()
    Chunk("zstd", bomb, 0, 0, zlib.crc32(b""), 16).write(builder)
    data = unprotected(path)
    path.write_bytes(data[: data.index(b"zstd") - CHUNK_HEAD] + builder.end())
    tracemalloc.start()
    with pytest.raises(ReadError, match="damaged"):
        Recording.read(path)
    assert tracemalloc.get_traced_memory()[1] < 1 << 24
    tracemalloc.stop()


@pytest.mark.parametrize("name", ["run.csv", "run", "no/run.mcap"])
def test_places_that_cannot_be_written(name, tmp_path):
    with pytest.raises((InvalidInput, WriteError)):
        noisy().write(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_chunk_longer_than_any_memory_is_damage(tmp_path):
    """Its length is a number of 64 bits, and Python reads no more than 63 of them."""
    body = struct.pack("<QQQIIQ", 0, 0, 0, 0, 0, 2**64 - 1)
    path = tmp_path / "run.mcap"
    path.write_bytes(mcap_write.MAGIC + struct.pack("<BQ", 6, len(body)) + body)
    with pytest.raises(ReadError, match=r"run\.mcap: the record at byte 8 is damaged"):
        Recording.read(path)


def test_units_of_labels_are_kept_and_files_without_them_are_read(tmp_path):
    t = np.arange(3.0)
    mixed = Signal("q", "rad or m", ("x", "hip"), np.ones((3, 2)), ("m", "rad"))
    run = Recording(t, [mixed, Signal("v", "rad/s", ("hip",), np.ones((3, 1)))])
    again = Recording.read(run.write(tmp_path / "run.mcap"))
    assert again == run
    assert again.signal("q").channel.column_units == ("m", "rad")
    assert again.signal("v").channel.column_units == ("rad/s",)
    assert again.every(2).signal("q").units == ("m", "rad")
    [old] = signals_from('[{"name": "q", "unit": "rad or m", "labels": ["x", "hip"]}]')
    assert old.units == () and old.column_units == ("rad or m", "rad or m")


def test_as_many_units_as_labels():
    with pytest.raises(InvalidInput, match="1 units and 2 labels"):
        Signal("q", "", ("x", "y"), np.ones((3, 2)), ("m",))
