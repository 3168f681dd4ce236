"""Sweeps end when they are asked to, and cases when their time is over."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import phalanx as px
from distribute.sweeps.machines import ARM, rollout, same, square, squares
from phalanx import sweeps
from phalanx.distribute.sweeps.chunk_size import measured_chunk
from phalanx.distribute.sweeps.engines import Dask, InProcess, OnExecutor, Processes
from phalanx.distribute.sweeps.study import Study
from waiting import LONG, eventually


def hangs(case) -> dict[str, object]:
    """Case 3 never ends."""
    if case.number == 3:
        threading.Event().wait()
    return square(case)


class Unspeakable(Exception):
    """An error whose text raises."""

    def __str__(self) -> str:
        raise RuntimeError("no words")


def unspeakable(case) -> dict[str, object]:
    if case["x"] > 0.5:
        raise Unspeakable
    return {"y": case["x"]}


SCRIPT = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
import phalanx as px
from distribute.sweeps.stand_ins import hangs_deaf
from phalanx.distribute.sweeps.engines import processes
def impatient(worker):
    raise KeyboardInterrupt
if sys.argv[1:]:
    processes._Worker.bury = impatient  # Ctrl-C again, while workers are waited for
if __name__ == "__main__":
    run = px.sweeps.Call(hangs_deaf, {"y": ()})
    try:
        px.sweep(run, [{"x": 1.0}], chunk=1, engine=px.sweeps.Processes(1))
    except KeyboardInterrupt:
        print("stopped", flush=True)
"""


@pytest.mark.parametrize("again", [(), ("again",)])
def test_ctrl_c_ends_processes_that_hang(tmp_path: Path, again: tuple[str, ...]) -> None:
    """Also such as do not listen when they are asked to end; also when it comes twice."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    (tmp_path / "workers").mkdir()
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(sys.path),
        "PHALANX_TEST_FOLDER": str(tmp_path / "workers"),
    }
    with subprocess.Popen(
        [sys.executable, str(script), *again], env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        folder = tmp_path / "workers"
        try:
            workers = eventually(lambda: list(folder.iterdir()))
            process.send_signal(signal.SIGINT)
            said, _ = process.communicate(timeout=LONG)
        finally:
            process.kill()
    assert (said, process.returncode) == ("stopped\n", 0)
    for worker in workers:
        with pytest.raises(ProcessLookupError):
            os.kill(int(worker.name), 0)


def test_a_case_over_its_time_is_kept_as_failed(tmp_path: Path) -> None:
    run, over = squares(8)
    slow = sweeps.Call(hangs, run.gives)
    found = px.sweep(
        slow, over, to=tmp_path / "out", engine=Processes(2), case_seconds=4.0, chunk=5
    )
    plain = px.sweep(run, over, chunk=8)
    assert found.failures.keys() == plain.failures.keys() | {3}
    assert "longer than its time limit, case_seconds=4" in found.failures[3]
    others = np.arange(8) != 3
    for name in ("y", "noise"):
        assert same(found[name][others], plain[name][others])
        assert np.isnan(found[name][3]).all()


def test_the_chunk_is_not_measured_where_a_case_may_hang() -> None:
    study = Study(sweeps.Call(hangs, squares()[0].gives), squares(100)[1])
    assert measured_chunk(study, Processes(2, case_seconds=2.0)) == 13


def test_cases_that_are_compiled_together_have_the_same_bits_with_a_limit() -> None:
    over = sweeps.Random({"q0": sweeps.Normal([0.0, 0.5], 0.2)}, 6)
    free = px.sweep(rollout(), over, chunk=6)
    limited = px.sweep(rollout(), over, chunk=6, engine=Processes(1), case_seconds=LONG)
    assert same(limited["q_end"], free["q_end"])


def test_engines_that_cannot_end_a_case_say_so() -> None:
    run, over = squares(4)
    with ThreadPoolExecutor(1) as pool:
        for engine in (None, InProcess(), OnExecutor(pool), Dask()):
            with pytest.raises(px.InvalidInput, match=r"no time limit .*engine=Processes"):
                px.sweep(run, over, chunk=2, engine=engine, case_seconds=1.0)
    for wrong in (0.0, -1.0, float("nan")):
        with pytest.raises(px.InvalidInput, match="case_seconds"):
            px.sweep(run, over, chunk=2, engine=Processes(1), case_seconds=wrong)


def test_an_error_without_a_text_fails_its_case_alone() -> None:
    over = sweeps.Table({"x": [0.1, 0.9, 0.3]})
    found = px.sweep(sweeps.Call(unspeakable, {"y": ()}), over, chunk=3)
    assert found["y"][[0, 2]].tolist() == [0.1, 0.3]
    assert found.failures == {1: "Unspeakable: its text cannot be had"}


def test_a_case_that_exits_fails_alone() -> None:
    """The program that asked for the sweep does not end with it, as if all were well."""
    over = sweeps.Table({"x": [0.0, 1.0]})
    run = sweeps.Call(lambda case: sys.exit(0) if case["x"] else {"y": 2.0}, {"y": ()})
    found = px.sweep(run, over, chunk=2)
    assert found["y"][0] == 2.0 and found.failures == {1: "SystemExit: 0"}


@pytest.mark.parametrize("name", ["a\0b", "\0", "tab\tbed", "a/b", "..", "\ud800"])
def test_names_that_no_folder_can_have_are_refused_at_the_door(tmp_path: Path, name: str) -> None:
    run = squares()[0]
    with pytest.raises(px.InvalidInput, match="cannot vary or keep"):
        px.sweep(run, sweeps.Table({name: [0.1, 0.2]}), to=tmp_path / "out", chunk=1)
    with pytest.raises(px.InvalidInput, match="cannot vary or keep"):
        sweeps.Call(square, {name: ()})
    assert not list(tmp_path.iterdir())


def test_a_store_whose_path_holds_a_nul_is_refused() -> None:
    run, over = squares(4)
    with pytest.raises(px.PhalanxError):
        px.sweep(run, over, to="out\0.zarr", chunk=2)


BODY, JOINT = ARM.bodies[-1].name, ARM.moving_joints[-1].name
IMPOSSIBLE = {
    f"{BODY}.mass": (-1.0, "mass that is not negative"),
    f"{BODY}.inertia": ([-0.1, 0, 0, 0.1, 0, 0.1], "negative principal moment"),
    f"{JOINT}.rotor_inertia": (-0.1, "rotor inertia that is not negative"),
}


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_numbers_that_no_machine_has_are_refused_by_name(name: str) -> None:
    value, words = IMPOSSIBLE[name]
    with pytest.raises(px.InvalidInput, match=f"'{name}' .*{words}"):
        px.simulate(
            ARM, np.zeros(ARM.nq), np.zeros(ARM.nv), duration=0.01, parameters={name: value}
        )
    q, v = np.zeros((2, ARM.nq)), np.zeros(ARM.nv)
    batch = np.stack([np.abs(value), value])
    with pytest.raises(px.InvalidInput, match=f"'{name}' .*{words}"):
        px.rollout(ARM, q, v, steps=2, parameters={name: batch})
    px.rollout(ARM, q, v, steps=2, parameters={name: np.abs(batch)})


STOPS = px.Stops(stiffness=10.0, damping=1.0)


@pytest.mark.parametrize(
    ("name", "force"),
    [
        (f"{JOINT}.damping", px.Damping()),
        (f"{JOINT}.friction", px.Friction()),
        ("friction.slip", px.Friction()),
        ("stops.stiffness", STOPS),
        ("stops.damping", STOPS),
    ],
)
def test_numbers_that_no_force_has_are_refused_by_name(name: str, force: object) -> None:
    words = f"'{name}' is -1; expected a {name.partition('.')[2]} that is not negative"
    q, v = np.zeros(ARM.nq), np.zeros(ARM.nv)
    with pytest.raises(px.InvalidInput, match=words):
        px.simulate(ARM, q, v, duration=0.01, forces=[force], parameters={name: -1.0})
    with pytest.raises(px.InvalidInput, match=words):
        px.rollout(ARM, q, v, steps=2, forces=[force], parameters={name: -1.0})
    run = sweeps.Rollout(px.Setup(ARM, forces=[force]), steps=2)
    found = px.sweep(run, sweeps.Table({name: [1.0, -1.0]}), chunk=2)
    assert found.failures.keys() == {1} and "not negative" in found.failures[1]


def test_gains_may_have_any_sign() -> None:
    law = px.proportional_derivative([0.0, 0.0], stiffness=20.0, damping=5.0)
    told = {"control.stiffness": -1.0}
    q, v = np.ones(ARM.nq), np.zeros(ARM.nv)
    assert np.isfinite(px.rollout(ARM, q, v, steps=2, control=law, parameters=told).final_q).all()


@pytest.mark.parametrize("run", [rollout(), sweeps.Evaluation(ARM, "inverse_dynamics")])
def test_a_case_with_a_negative_mass_fails_alone(run) -> None:
    over = sweeps.Table({f"{BODY}.mass": [1.0, -1.0, 2.0, 0.5]})
    found = px.sweep(run, over, chunk=4)
    assert set(found.failures) == {1}
    assert "mass that is not negative" in found.failures[1]
    alone = px.sweep(run, sweeps.Table({f"{BODY}.mass": [1.0, 2.0, 0.5]}), chunk=3)
    name = found.study.keep[0]
    assert same(found[name][[0, 2, 3]], alone[name])
