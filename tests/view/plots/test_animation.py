from __future__ import annotations

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

import phalanx as px
from phalanx.cli import app
from phalanx.view.plots.animation import animate


@pytest.fixture(scope="module")
def run():
    return px.simulate(px.library.double_pendulum(), [1.0, 0.5], duration=0.4)


@pytest.mark.parametrize("suffix", [".gif", ".webp"])
def test_an_animation_lasts_as_long_as_the_run(run, suffix, tmp_path):
    path = animate(
        px.library.double_pendulum(), run, tmp_path / f"run{suffix}", pictures_a_second=10.0
    )
    with Image.open(path) as film:
        assert film.n_frames == 5  # at 0, 0.1, ... 0.4 s
        lasting = 0.0
        for number in range(film.n_frames):
            film.seek(number)
            film.load()
            lasting += film.info["duration"]
        assert lasting == pytest.approx(500, abs=10)


def test_what_moves_is_seen_to_move_in_a_view_that_stays(run, tmp_path):
    machine = px.library.double_pendulum()
    with Image.open(animate(machine, run, tmp_path / "run.gif", pictures_a_second=5.0)) as film:
        pictures = []
        for number in range(film.n_frames):
            film.seek(number)
            pictures.append(np.asarray(film.convert("RGB"), dtype=float))
    changed = np.abs(pictures[0] - pictures[-1]).max(axis=2) > 60
    assert changed.any()
    # walls and grid are where they were
    assert changed.mean() < 0.2


def test_half_the_speed_takes_twice_as_many_pictures(run, tmp_path):
    counts = {}
    for speed in (1.0, 0.5):
        path = tmp_path / f"{speed}.gif"
        animate(px.library.double_pendulum(), run, path, pictures_a_second=10.0, speed=speed)
        with Image.open(path) as film:
            counts[speed] = film.n_frames
    assert counts == {1.0: 5, 0.5: 9}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"path": "run.mp4"}, "run.mp4; expected .gif, .webp"),
        ({"speed": 0.0}, "speed"),
        ({"pictures_a_second": float("nan")}, "pictures_a_second"),
        ({"speed": 1e-6}, "speed="),
    ],
)
def test_what_cannot_be_drawn_is_said(run, options, message, tmp_path):
    path = tmp_path / options.pop("path", "run.gif")
    with pytest.raises(px.PhalanxError, match=message):
        animate(px.library.double_pendulum(), run, path, **options)
    assert not path.exists()


def test_a_command_draws_and_keeps_what_is_there(tmp_path):
    path = tmp_path / "run.gif"
    words = ["simulate", "double_pendulum", "--q0", "1,0", "--duration", "0.2"]
    done = CliRunner().invoke(app, [*words, "--animation", str(path)])
    assert done.exit_code == 0, done.output
    before = path.read_bytes()
    again = CliRunner().invoke(app, [*words, "--animation", str(path)])
    assert again.exit_code == 2
    assert "--force" in again.output
    assert path.read_bytes() == before
