from __future__ import annotations

import os

import numpy as np
import pytest

import phalanx as px
from phalanx.base import memory
from phalanx.base.errors import InvalidInput
from phalanx.cli import states
from phalanx.cli.random_states import ClosedStates

MODEL = "double_pendulum"


@pytest.fixture(scope="module")
def dynamics():
    return px.Dynamics(px.library.double_pendulum())


def test_one_typed_state(run, dynamics):
    text = run("evaluate", MODEL, "gravity", "--q", "0.1,0.2").stdout
    numbers = np.array(text.splitlines()[1].strip("[]").split(), dtype=float)
    np.testing.assert_allclose(numbers, dynamics.gravity(np.array([0.1, 0.2])), atol=1e-6)


def test_typed_as_json_and_the_rest_zero(run, dynamics, tmp_path):
    words = ("--q", "[0.1, 0.2]", "--a", "[1, 2]", "--output", "tau.npy")
    run("evaluate", MODEL, "inverse-dynamics", *words)
    expected = dynamics.inverse_dynamics([0.1, 0.2], [0.0, 0.0], [1.0, 2.0])
    np.testing.assert_array_equal(np.load(tmp_path / "tau.npy")[0], expected)


def test_between_two_typed_positions(run, tmp_path):
    ends = ("--q0", "0,1", "--q1", "1,3")
    assert "[1. 2.]" in run("evaluate", MODEL, "difference", *ends).stdout
    assert "[0.25 1.5 ]" in run("evaluate", MODEL, "interpolate", *ends, "--s", "0.25").stdout
    missing = run("evaluate", MODEL, "difference", *ends[:2], code=2)
    assert "--q1 is missing" in missing.stderr
    foreign = run("evaluate", MODEL, "difference", *ends, "--q", "0,0", code=2)
    assert "this quantity takes --q0, --q1" in foreign.stderr


def test_between_positions_of_a_file(run, dynamics, tmp_path):
    """How much of the way is one number a sample, which has no axis of its own."""
    q0, q1, s = np.random.default_rng(0).standard_normal((3, 4, 2))
    np.savez(tmp_path / "ends.npz", q0=q0, q1=q1, s=s[:, :1])
    run("evaluate", MODEL, "interpolate", "--input", "ends.npz", "--output", "q.npy")
    expected = dynamics.interpolate(q0, q1, s[:, 0])
    np.testing.assert_array_equal(np.load(tmp_path / "q.npy"), expected)


def test_random_ends_are_positions(run, tmp_path):
    run("evaluate", MODEL, "difference", "--samples", "100", "--output", "d.npy")
    assert np.abs(np.load(tmp_path / "d.npy")).max() <= 2 * np.pi


def test_many_random_states(run):
    result = run("evaluate", MODEL, "inverse-dynamics", "--samples", "1e5", "--threads", "1")
    assert "first of 100,000 samples" in result.stdout
    assert "100,000 evaluations in" in result.stderr
    assert "one thread" in result.stderr


def test_the_seed_decides(run):
    def text(*words):
        return run("evaluate", MODEL, "bias", *words).stdout

    assert text("--seed", "1") == text("--seed", "1") != text("--seed", "2")


def test_chunks_change_nothing(run, tmp_path, monkeypatch):
    whole = run("evaluate", MODEL, "bias", "--samples", "1100", "--output", "whole.npy")
    monkeypatch.setattr("phalanx.cli.evaluate.CHUNK_BYTES", 7 * 6 * 8)
    parts = run("evaluate", MODEL, "bias", "--samples", "1100", "--output", "parts.npy")
    assert whole.stdout == parts.stdout
    np.testing.assert_array_equal(np.load(tmp_path / "whole.npy"), np.load(tmp_path / "parts.npy"))


def test_float32(run, tmp_path):
    run("evaluate", MODEL, "mass-matrix", "--dtype", "float32", "--output", "M.npz")
    assert np.load(tmp_path / "M.npz")["M"].dtype == np.float32


def test_a_frame(run, dynamics, tmp_path):
    frame = dynamics.mechanism.bodies[-1].name
    run("evaluate", MODEL, "jacobian", "--frame", frame, "--q", "0.3,0.4", "--output", "J.npz")
    expected = dynamics.jacobian(np.array([0.3, 0.4]), frame=frame)
    np.testing.assert_array_equal(np.load(tmp_path / "J.npz")["J"][0], expected)


@pytest.mark.parametrize("suffix", [".npz", ".npy", ".csv"])
def test_states_from_a_file(run, dynamics, tmp_path, suffix):
    rng = np.random.default_rng(0)
    q, v, a = rng.standard_normal((3, 5, 2))
    path = tmp_path / f"states{suffix}"
    if suffix == ".npz":
        np.savez(path, q=q, v=v, a=a)
    elif suffix == ".npy":
        np.save(path, np.hstack([q, v, a]))
    else:
        np.savetxt(
            path, np.hstack([q, v, a]), delimiter=",", header="q0,q1,v0,v1,a0,a1", comments=""
        )
    run("evaluate", MODEL, "inverse-dynamics", "--input", path.name, "--output", "out.csv")
    lines = (tmp_path / "out.csv").read_text().splitlines()
    assert lines[0] == "tau_0,tau_1"
    table = np.loadtxt(lines[1:], delimiter=",")
    np.testing.assert_allclose(table, dynamics.inverse_dynamics(q, v, a), rtol=1e-12)


def test_a_table_without_header(run, tmp_path):
    (tmp_path / "q.csv").write_text("1e-3,2\nnan,3\n")
    assert "holds a NaN" in run("evaluate", MODEL, "gravity", "--input", "q.csv", code=2).stderr
    (tmp_path / "q.csv").write_text("1e-3,2\n1,3\n")
    assert "2 evaluations" in run("evaluate", MODEL, "gravity", "--input", "q.csv").stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nothing", "bias"), "has no model 'nothing'"),
        ((MODEL, "invers-dynamics"), "Did you mean 'inverse-dynamics'?"),
        ((MODEL, "jacobian"), "jacobian needs --frame NAME. Frames: "),
        ((MODEL, "jacobian", "--frame", "nowhere"), "has no frame 'nowhere'"),
        ((MODEL, "bias", "--frame", "base"), "takes no --frame"),
        ((MODEL, "bias", "--samples", "0"), "expected a positive whole number"),
        ((MODEL, "bias", "--samples", "-3"), "expected a positive whole number"),
        ((MODEL, "bias", "--samples", "1.5"), "expected a positive whole number"),
        ((MODEL, "bias", "--samples", "many"), "expected a positive whole number"),
        ((MODEL, "bias", "--samples", "inf"), "expected a positive whole number"),
        ((MODEL, "bias", "--samples", "nan"), "expected a positive whole number"),
        ((MODEL, "regressor", "--samples", "1e12", "--output", "Y.npz"), "leave out --output"),
        ((MODEL, "bias", "--samples", "9", "--q", "0,0"), "give states in one way"),
        ((MODEL, "bias", "--v", "0,0"), "--q is missing"),
        ((MODEL, "bias", "--q", "0"), "has 1 numbers; this model needs 2"),
        ((MODEL, "bias", "--q", "0,x"), "expected numbers such as"),
        ((MODEL, "bias", "--q", "[0, [1]]"), "expected numbers such as"),
        ((MODEL, "bias", "--q", "0,inf"), "holds a NaN or an infinity"),
        ((MODEL, "bias", "--q", "0,0", "--tau", "0,0"), "this quantity takes --q, --v"),
        ((MODEL, "bias", "--input", "states.npz"), "there is no file"),
        ((MODEL, "bias", "--input", "states.mat"), "expected one of .npz"),
        ((MODEL, "bias", "--output", "out.txt"), "its suffix must be one of"),
        ((MODEL, "bias", "--output", "no/out.npz"), "there is no folder"),
        ((MODEL, "inverse-dynamics-derivatives", "--output", "o.npy"), "write an .npz"),
        ((MODEL, "bias", "--threads", "0"), "--threads"),
        ((MODEL, "bias", "--dtype", "int8"), "--dtype"),
        ((MODEL, "bias", "--seed", "-1"), "--seed"),
    ],
)
def test_what_can_be_wrong(run, words, said):
    assert said in run("evaluate", *words, code=2).stderr


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        ({"q": np.zeros((3, 2))}, "has no array 'v'. It has: q"),
        ({"q": np.zeros((3, 5)), "v": np.zeros((3, 2))}, "expected (samples, 2)"),
        ({"q": np.zeros((3, 2)), "v": np.zeros((4, 2))}, "expected equally many"),
        ({"q": np.zeros((0, 2)), "v": np.zeros((0, 2))}, "at least one"),
        ({"q": np.array([[{}, {}]]), "v": np.zeros((1, 2))}, "cannot be read"),  # needs pickle
    ],
)
def test_files_that_do_not_fit(run, tmp_path, arrays, said):
    np.savez(tmp_path / "states.npz", **arrays)
    assert said in run("evaluate", MODEL, "bias", "--input", "states.npz", code=2).stderr


@pytest.mark.parametrize("name", ["states.npz", "states.npy", "states.csv"])
def test_files_that_are_something_else(run, tmp_path, name):
    (tmp_path / name).write_bytes(b"this is no table\n")
    assert "cannot be read" in run("evaluate", MODEL, "bias", "--input", name, code=2).stderr


def test_a_table_of_other_width(run, tmp_path):
    np.save(tmp_path / "states.npy", np.zeros((2, 3)))
    result = run("evaluate", MODEL, "bias", "--input", "states.npy", code=2)
    assert "expected (samples, 4): q (2), v (2) side by side" in result.stderr


def test_nothing_is_overwritten(run, tmp_path):
    (tmp_path / "out.npz").write_text("precious")
    assert "--force" in run("evaluate", MODEL, "bias", "--output", "out.npz", code=2).stderr
    assert (tmp_path / "out.npz").read_text() == "precious"
    run("evaluate", MODEL, "bias", "--output", "out.npz", "--force")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission(run, tmp_path):
    (tmp_path / "locked").mkdir(mode=0o500)
    result = run("evaluate", MODEL, "bias", "--output", "locked/out.npz", code=2)
    assert "no permission" in result.stderr


@pytest.mark.parametrize(("text", "count"), [("1", 1), ("1e6", 10**6), ("1_000", 1000)])
def test_sample_count(text, count):
    assert states.sample_count(text) == count


def test_memory_is_asked_for_first(monkeypatch):
    monkeypatch.setattr(memory, "available_memory", lambda: 1000)
    memory.check_memory("results", 700, "")
    with pytest.raises(InvalidInput, match="results need 900 B of memory, and 1 kB are available"):
        memory.check_memory("results", 900, "")


# -- machines with loops -------------------------------------------------------------------------


def test_random_states_close_the_loops_where_that_matters(run, tmp_path):
    run("evaluate", "four_bar", "loop-forces", "--samples", "40", "--output", "r.npz")
    with np.load(tmp_path / "r.npz") as results:
        assert np.isfinite(results["a"]).all() and len(results["a"]) == 40
    m = px.library.four_bar()
    drawn = ClosedStates(m, px.Dynamics(m).kernel("forward_dynamics"), 40, 7)
    whole = next(drawn.chunks(40))
    px.Dynamics(m).check_loops(whole[0], whole[1])
    parts = [np.concatenate(x) for x in zip(*drawn.chunks(9), strict=True)]
    for one, other in zip(whole, parts, strict=True):
        np.testing.assert_array_equal(one, other)


def test_states_that_open_the_loops_are_refused(run, tmp_path):
    said = run("evaluate", "four_bar", "forward-dynamics", "--q", "0,0,1", code=2).stderr
    assert "leave loop 'pin' open by 0.479" in " ".join(said.split())
    np.savez(tmp_path / "s.npz", q=np.zeros((2, 3)), v=[[0, 0, 0], [0, 0, 1]], tau=np.zeros((2, 3)))
    said = run("evaluate", "four_bar", "loop-forces", "--input", "s.npz", code=2).stderr
    assert "velocities of 'four_bar' open loop 'pin'" in " ".join(said.split())
    # the tree has no loops to open
    run("evaluate", "four_bar", "tree-mass-matrix", "--q", "0,0,1")


def test_free_joints_have_options_of_their_own(run, tmp_path):
    words = ("reduced-bias", "--q", "0,0,0", "--v-free", "2", "--output", "c.npy")
    run("evaluate", "four_bar", *words)
    wanted = px.Dynamics(px.library.four_bar()).reduced_bias(np.zeros(3), [2.0])
    np.testing.assert_array_equal(np.load(tmp_path / "c.npy")[0], wanted)
