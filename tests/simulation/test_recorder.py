from __future__ import annotations

import threading

import numpy as np
import pytest

import phalanx as px
from phalanx.base.errors import InvalidInput, WriteError
from phalanx.simulation.record.mcap_read import RecordingWarning
from phalanx.simulation.record.recorder import Recorder
from phalanx.simulation.record.recording import Recording
from phalanx.simulation.record.signal import Channel
from waiting import eventually

from .runs import CHANNELS, SETTINGS, assert_same, noisy

PAIR = (Channel("q", "rad", ("a", "b")), Channel("energy", "J"))


def feed(recorder, run):
    for row in zip(run.time, *(signal.values for signal in run.signals.values()), strict=True):
        recorder.append(*row)


@pytest.mark.parametrize("path", [None, "run.mcap"])
def test_what_comes_in_comes_out(path, tmp_path):
    run = noisy(10_000)
    with Recorder(CHANNELS, SETTINGS, path and tmp_path / path, 0.01) as recorder:
        feed(recorder, run)
    assert_same(run, recorder.recording())
    if path:
        assert_same(run, Recording.read(tmp_path / path))


def test_rows_that_are_one_array_already():
    run = noisy(100)
    with Recorder(CHANNELS, SETTINGS) as recorder:
        for row in run.table:
            recorder.append_row(row)
        row[:] = 0  # it was copied
    assert_same(run, recorder.recording())
    for wrong, message in (
        ([0.0], "closed"),
        ([1.0, 2, 3], "3 numbers"),
        ([1.0, 2, 3, 4, 5], "5 numbers"),
        (np.array([1, 2, 3, 4]), "int64"),
        (np.arange(8, dtype=np.float32), "float32"),
        ([-1.0, 2, 3, 4], "expected at or after"),
        ([np.nan, 2, 3, 4], "nan"),
    ):
        fresh = Recorder(PAIR)
        fresh.append(0.0, np.zeros(2), 0.0)
        if message == "closed":
            fresh.close()
        with pytest.raises(InvalidInput, match=message):
            fresh.append_row(np.asarray(wrong))
        assert len(fresh.recording()) == 1


def test_blocks_and_samples_mix(tmp_path):
    run = noisy(10_000)
    values = [signal.values for signal in run.signals.values()]
    with Recorder(CHANNELS, SETTINGS, tmp_path / "run.mcap", 0.01) as recorder:
        feed(recorder, run.between(0, run.time[99]))
        recorder.extend(run.time[100:9_000], *(x[100:9_000] for x in values))
        recorder.extend([], *(x[:0] for x in values))
        feed(recorder, run.between(run.time[9_000], np.inf))
    assert len(recorder) == 10_000
    assert_same(run, recorder.recording())
    assert_same(run, Recording.read(tmp_path / "run.mcap"))


@pytest.mark.parametrize(
    ("block", "said"),
    [
        (([1.0],), "0 values"),
        (([1.0], np.zeros((1, 3)), [0.0]), "'q' has values of shape"),
        (([1.0, 2.0], np.zeros((1, 2)), [0.0]), "1 samples and time 2"),
        (([0.0], np.zeros((1, 2)), [0.0]), "at or after the last sample's 0.5 s"),
        (([2.0, 1.0], np.zeros((2, 2)), [0.0, 0.0]), "not decrease"),
    ],
)
def test_a_wrong_block_is_refused(block, said):
    recorder = Recorder(PAIR)
    recorder.append(0.5, np.ones(2), 1.0)
    with pytest.raises(InvalidInput, match=said):
        recorder.extend(*block)
    assert len(recorder) == 1


def test_values_are_copied_and_converted():
    q = np.zeros(2)
    recorder = Recorder(PAIR)
    recorder.append(0, q, 1)
    q[:] = 7.0
    recorder.append(1, [1, 2], np.float32(0.5))
    recorder.append(2, np.array([3, 4]), True)  # as many bytes as floats, other bits
    recorder.append(3, np.arange(4.0)[::2], np.array(2.5))
    recorder.append(4, np.array([5, 6], dtype=">f8"), 0)
    expected = [[0, 0], [1, 2], [3, 4], [0, 2], [5, 6]]
    np.testing.assert_array_equal(recorder.recording()["q"], expected)
    np.testing.assert_array_equal(recorder.recording()["energy"], [1, 0.5, 1, 2.5, 0])


@pytest.mark.parametrize(
    ("sample", "said"),
    [
        ((1.0, np.zeros(2)), "1 values; expected one each for q, energy"),
        ((1.0, np.zeros(2), 0.0, 0.0), "3 values"),
        ((1.0, np.zeros(3), 0.0), r"'q' has shape \(3,\); expected \(2,\), one number each for a"),
        ((1.0, 5.0, 0.0), r"'q' has shape \(\)"),
        ((1.0, np.zeros(2), np.zeros(2)), "'energy' has shape"),
        ((1.0, np.zeros(2), "x"), "'energy' is 'x'; expected numbers"),
        ((1.0, ["x", "y"], 0.0), "'q' is"),
        ((0.4, np.zeros(2), 0.0), "at time 0.4 s; expected at or after the last sample's 0.5 s"),
        ((np.nan, np.zeros(2), 0.0), "at time nan"),
        ((np.inf, np.zeros(2), 0.0), "at time inf"),
    ],
)
def test_a_wrong_sample_is_refused_and_leaves_no_trace(sample, said):
    recorder = Recorder(PAIR)
    recorder.append(0.5, np.ones(2), 1.0)
    with pytest.raises(InvalidInput, match=said):
        recorder.append(*sample)
    assert len(recorder) == len(recorder.recording()) == 1
    recorder.append(0.5, np.ones(2), 1.0)


def test_a_closed_recorder_takes_nothing(tmp_path):
    recorder = Recorder(PAIR, path=tmp_path / "run.mcap")
    recorder.append(0.0, np.ones(2), 1.0)
    recorder.close()
    recorder.close()
    with pytest.raises(InvalidInput, match="closed"):
        recorder.append(1.0, np.ones(2), 1.0)
    assert len(recorder.recording()) == len(Recording.read(tmp_path / "run.mcap")) == 1


def test_an_error_in_the_run_keeps_what_was_recorded(tmp_path):
    with pytest.raises(ZeroDivisionError), Recorder(PAIR, path=tmp_path / "x.mcap") as recorder:
        recorder.append(0.0, np.ones(2), 1.0)
        recorder.append(1.0, np.ones(2), 1 / 0)
    assert len(recorder.recording()) == 1
    assert_same(recorder.recording(), Recording.read(tmp_path / "x.mcap"))


def test_settings_known_at_the_end(tmp_path):
    with Recorder(PAIR, {"model": "arm", "wall": 0}, tmp_path / "x.mcap") as recorder:
        recorder.note(wall=2.5, real_time_factor=np.float64(4.0))
    expected = {"model": "arm", "wall": 2.5, "real_time_factor": 4.0}
    assert dict(recorder.recording().settings) == expected
    assert dict(Recording.read(tmp_path / "x.mcap").settings) == expected


def test_the_file_can_be_read_while_it_grows(tmp_path):
    with Recorder(PAIR, path=tmp_path / "x.mcap", flush_interval=0.01) as recorder:
        recorder.append(0.0, np.ones(2), 1.0)

        def samples():
            with pytest.warns(RecordingWarning):
                return len(Recording.read(tmp_path / "x.mcap"))

        assert eventually(samples) == 1


def test_a_full_disk_is_told_at_the_end_and_nothing_is_lost(tmp_path, disk):
    run = noisy(5_000)
    recorder = Recorder(CHANNELS, SETTINGS, tmp_path / "x.mcap", flush_interval=3600)
    disk(20_000)
    feed(recorder, run)
    with pytest.raises(
        WriteError, match=r"x\.mcap holds 0 of 5000 samples: File too large"
    ) as told:
        recorder.close()
    assert_same(run, told.value.recording)
    assert_same(run, recorder.recording())
    with pytest.warns(RecordingWarning, match="cut off before its first sample"):
        left = Recording.read(tmp_path / "x.mcap")
    assert left.channels == CHANNELS and dict(left.settings) == SETTINGS


def test_what_was_written_before_the_disk_was_full_is_said_and_can_be_read(tmp_path, disk):
    run = noisy(3_000)
    recorder = Recorder(CHANNELS, SETTINGS, tmp_path / "x.mcap", flush_interval=0.001)
    feed(recorder, run.between(0, run.time[99]))
    eventually(lambda: recorder.written == 100)
    disk((tmp_path / "x.mcap").stat().st_size + 100)
    feed(recorder, run.between(run.time[100], np.inf))
    moment = f"{run.time[99]:.9g}"
    with pytest.raises(WriteError, match=f"holds 100 of 3000 samples, up to t = {moment} s"):
        recorder.close()
    disk()
    with pytest.warns(RecordingWarning, match=f"cut off at t = {moment} s"):
        left = Recording.read(tmp_path / "x.mcap")
    assert left.table.tobytes() == run.table[:100].tobytes()


def test_with_room_again_nothing_is_missing(tmp_path, disk):
    run = noisy(20_000)
    recorder = Recorder(CHANNELS, SETTINGS, tmp_path / "x.mcap", flush_interval=0.001)
    disk(20_000)
    feed(recorder, run.between(0, run.time[9_999]))
    recorder.note(wall=2.0)
    disk()
    eventually(lambda: recorder.written == 10_000)  # while the run goes on
    disk(20_000)
    feed(recorder, run.between(run.time[10_000], np.inf))
    with pytest.raises(WriteError):
        recorder.close()
    disk()
    recorder.close()  # after its end
    whole = Recording.read(tmp_path / "x.mcap")
    assert whole.table.tobytes() == run.table.tobytes()
    assert dict(whole.settings) == {**SETTINGS, "wall": 2.0}


def test_a_full_disk_does_not_hide_the_error_of_the_run(tmp_path, disk):
    with pytest.raises(ZeroDivisionError) as caught, Recorder(PAIR, path=tmp_path / "x.mcap") as r:
        disk(100)
        r.append(0.0, np.ones(2), 1.0)
        _ = 1 / 0
    assert "File too large" in caught.value.__notes__[0]


def test_a_simulation_is_not_lost_with_its_disk(tmp_path, disk):
    disk(4_000)
    with pytest.raises(WriteError, match="of 101 samples") as told:
        px.simulate(px.library.puma560(), duration=0.1, path=tmp_path / "x.mcap")
    disk()
    assert_same(
        told.value.recording, Recording.read(told.value.recording.write(tmp_path / "y.mcap"))
    )
    assert len(told.value.recording) == 101


def test_no_thread_is_left_behind(tmp_path):
    before = threading.active_count()
    with Recorder(PAIR, path=tmp_path / "x.mcap"):
        assert threading.active_count() == before + 1
    assert threading.active_count() == before


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"channels": (*PAIR, PAIR[0])}, "'q' comes twice"),
        ({"settings": {"x": object()}}, "setting 'x'"),
        ({"path": "run.csv"}, "must be .mcap"),
        ({"flush_interval": 0.0}, "above zero"),
    ],
)
def test_options_that_cannot_be(options, said):
    with pytest.raises(InvalidInput, match=said):
        Recorder(**{"channels": PAIR, **options})
