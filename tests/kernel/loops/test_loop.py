"""A compiled loop equals a loop in NumPy, for every batch, layout, type and number of threads."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import casadi as ca
import numpy as np
import pytest

from kernel.samples import by_casadi, chain
from phalanx.base.errors import InvalidInput
from phalanx.kernel import compile
from phalanx.kernel.loops import loop, native_step
from phalanx.kernel.loops.loop import compile_loop

BATCHES = [1, 2, 3, 4, 5, 7, 8, 9, 31, 33, 100]
STEPS = [1, 2, 7]
EVERY = [1, 2, 3, 20]
# values stay below 3 and the step contracts, so the rounding of a few steps does not grow
TOLERANCE = {"float64": 1e-14, "float32": 5e-6}
SHAPES = {"t": (), "t_next": ()}
OPTIONS = {"streamed": ["u"], "recorded": ["seen", "x_next"], "shapes": SHAPES}


def step() -> ca.Function:
    """A contraction with three carried values, one of them a plain number."""
    x, y, t = ca.SX.sym("x", 2), ca.SX.sym("y", 3), ca.SX.sym("t")
    p, u = ca.SX.sym("p", 3), ca.SX.sym("u", 2)
    x_next = 0.5 * ca.sin(x + u) + 0.1 * y[:2] * p[:2]
    y_next = 0.4 * y[[1, 2, 0]] + 0.2 * ca.cos(p * t) + 0.1 * ca.vertcat(x, x[0] * x[1])
    seen = x * u + y[2]
    return ca.Function(
        "walk",
        [x, y, t, p, u],
        [x_next, y_next, t + 0.25, seen],
        ["x", "y", "t", "p", "u"],
        ["x_next", "y_next", "t_next", "seen"],
    )


def by_numpy(steps, x, y, t, p, u, every=1):
    """The same, sample by sample along the last axis; u is (..., steps, 2)."""
    batch = np.broadcast_shapes(x.shape[:-1], y.shape[:-1], np.shape(t), p.shape[:-1], u.shape[:-2])
    x, y, p = (np.broadcast_to(a, (*batch, a.shape[-1])) for a in (x, y, p))
    t, u = np.broadcast_to(t, batch), np.broadcast_to(u, (*batch, *u.shape[-2:]))
    seen, way = [], []
    for k in range(steps):
        now = u[..., k, :]
        watched = x * now + y[..., 2:]
        product = x[..., :1] * x[..., 1:]
        x, y = (
            0.5 * np.sin(x + now) + 0.1 * y[..., :2] * p[..., :2],
            0.4 * np.roll(y, -1, -1)
            + 0.2 * np.cos(p * t[..., None])
            + 0.1 * np.concatenate([x, product], -1),
        )
        t = t + 0.25
        if (k + 1) % every == 0:
            seen.append(watched)
            way.append(x)
    empty = np.zeros((*batch, 0, 2))
    return (x, y, t), (
        np.stack(seen, -2) if seen else empty,
        np.stack(way, -2) if way else empty,
    )


def values(batch: tuple[int, ...], steps: int, seed: int = 0, dtype="float64"):
    rng = np.random.default_rng(seed)
    return [
        np.asarray(rng.uniform(-1, 1, shape), dtype)
        for shape in ((*batch, 2), (*batch, 3), batch, (*batch, 3), (*batch, steps, 2))
    ]


def agree(result, wanted, dtype="float64"):
    (final, recorded), (states, records) = result, wanted
    for got, want in zip((*final, *recorded), (*states, *records), strict=True):
        assert got.shape == want.shape and got.dtype == dtype
        if want.size:
            assert np.abs(got - want).max() < TOLERANCE[dtype]


@pytest.fixture(scope="module")
def walk():
    """Compiled once; one thread."""
    return compile_loop(step(), 3, threads=1, cache=False, **OPTIONS)


@pytest.mark.parametrize("batch", BATCHES)
def test_batches_steps_and_recordings(walk, batch):
    for steps in STEPS:
        given = values((batch,), steps)
        for every in EVERY:
            agree(walk(steps, *given, every=every), by_numpy(steps, *given, every=every))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_widths_and_types(width, dtype):
    kernel = compile_loop(step(), 3, dtype=dtype, target=width, cache=False, **OPTIONS)
    for batch in (1, 7, 33):
        given = values((batch,), 7, dtype=dtype)
        agree(kernel(7, *given, every=3), by_numpy(7, *given, every=3), dtype)


def test_results_have_names(walk):
    final, recorded = walk(2, *values((3,), 2))
    assert final._fields == ("x_next", "y_next", "t_next")
    assert recorded._fields == ("seen", "x_next")
    assert np.array_equal(recorded.x_next[:, -1], final.x_next)


def test_one_run_has_no_batch_axis(walk):
    given = values((), 7)
    result = walk(7, *given)
    assert result.final.x_next.shape == (2,) and result.final.t_next.shape == ()
    agree(result, by_numpy(7, *given))


def test_a_run_does_not_depend_on_its_neighbours(walk):
    given = values((100,), 7)
    whole = walk(7, *given)
    for rows in (slice(0, 1), slice(5, 38), slice(99, 100)):
        part = walk(7, *(a[rows] for a in given))
        for a, b in zip(
            (*whole.final, *whole.recorded), (*part.final, *part.recorded), strict=True
        ):
            assert np.array_equal(a[rows], b)


def test_inputs_are_not_changed(walk):
    given = values((9,), 7)
    before = [a.copy() for a in given]
    walk(7, *given)
    assert all(np.array_equal(a, b) for a, b in zip(given, before, strict=True))


def layouts(u: np.ndarray) -> dict[str, np.ndarray]:
    """The same (runs, steps, 2) numbers in memory in other ways."""
    runs, steps, n = u.shape
    wide = np.zeros((runs, 2 * steps, n + 3))
    wide[:, ::2, 1:-2] = u
    packed = np.zeros((runs, steps), np.dtype([("tag", "i4"), ("u", "f8", (n,))]))
    packed["u"] = u
    time_unaligned = np.zeros(8 * runs * n + steps * (8 * runs * n + 4), np.uint8)
    odd = np.ndarray((runs, steps, n), float, time_unaligned, 0, (8 * n, 8 * runs * n + 4, 8))
    odd[...] = u
    return {
        "steps first": np.ascontiguousarray(u.transpose(1, 0, 2)).transpose(1, 0, 2),
        "elements first": np.ascontiguousarray(u.transpose(2, 0, 1)).transpose(1, 2, 0),
        "elements slowest, runs fastest": np.asfortranarray(u),
        "part of a larger table": wide[:, ::2, 1:-2],
        "backwards in time": np.ascontiguousarray(u[:, ::-1])[:, ::-1],
        "backwards in runs": np.ascontiguousarray(u[::-1])[::-1],
        "fields of a structure": packed["u"],
        "steps at odd addresses": odd,
        "integers": np.round(u * 3).astype(np.int16),
        "read-only": np.frombuffer(u.tobytes()).reshape(u.shape),
    }


@pytest.mark.parametrize("layout", layouts(np.zeros((2, 2, 2))))
def test_memory_layouts_of_streams(walk, layout):
    for runs in (1, 9, 33):
        *given, u = values((runs,), 7)
        u = layouts(u)[layout]
        agree(walk(7, *given, u), by_numpy(7, *given, np.asarray(u, float)))


def test_broadcasting(walk):
    x, y, t, p, u = values((5, 7), 3)
    for given in (
        (x, y, t, p, u[0, 0]),  # one stream for all runs
        (x, y, t, p, u[0]),  # one a column of runs: must be spread out
        (x, y, t, p, u[:, :1]),
        (x, y[0], t[0, 0], p[0, 0], u),
        (x[0, 0], y[0, 0], t[0, 0], p[0, 0], u),
        (x[0, 0], y[0, 0], t[:, :1], p[0, :], u[0, 0]),
        (x, y, 0.5, p, np.broadcast_to(u[0, 0], (5, 7, 3, 2))),
        (x.transpose(1, 0, 2).copy().transpose(1, 0, 2), y, t, p, u),
    ):
        arrays = [np.asarray(a) for a in given]
        result = walk(3, *given)
        assert result.final.x_next.shape == (5, 7, 2)
        agree(result, by_numpy(3, *arrays))


def test_streams_of_plain_numbers():
    x, u = ca.SX.sym("x"), ca.SX.sym("u")
    f = ca.Function("sum", [x, u], [x + u], ["x", "u"], ["x_next"])
    shapes = {"x": (), "u": (), "x_next": ()}
    kernel = compile_loop(
        f, 1, streamed=["u"], recorded=["x_next"], shapes=shapes, threads=1, cache=False
    )
    u = np.arange(1.0, 31).reshape(6, 5)
    final, recorded = kernel(5, np.zeros(6), u)
    assert np.array_equal(recorded.x_next, u.cumsum(1))  # whole numbers: exact
    assert np.array_equal(final.x_next, u.sum(1))
    final, recorded = kernel(6, np.zeros(5), u.T)
    assert np.array_equal(recorded.x_next, u.T.cumsum(1))


def test_matrices_are_carried_and_streamed():
    X, U = ca.SX.sym("X", 2, 3), ca.SX.sym("U", 3, 3)
    f = ca.Function("product", [X, U], [X @ U], ["X", "U"], ["X_next"])
    kernel = compile_loop(f, 1, streamed=["U"], recorded=["X_next"], threads=1, cache=False)
    rng = np.random.default_rng(0)
    X0, Us = rng.standard_normal((9, 2, 3)), rng.standard_normal((9, 4, 3, 3))
    wanted, rows = X0, []
    for k in range(4):
        wanted = wanted @ Us[:, k]
        rows.append(wanted)
    for stream in (Us, np.ascontiguousarray(Us.transpose(0, 1, 3, 2)).transpose(0, 1, 3, 2)):
        final, recorded = kernel(4, X0, stream)
        # sums of three products, four times, of numbers up to about 100
        assert np.abs(final.X_next - wanted).max() < 1e-13 * np.abs(wanted).max()
        assert np.abs(recorded.X_next - np.stack(rows, 1)).max() < 1e-13 * np.abs(wanted).max()


@pytest.mark.parametrize("batch", [33, 100, 1000])
def test_threads_change_no_bit(batch, monkeypatch):
    monkeypatch.setattr("phalanx.kernel.call.threads._WORK_WORTH_A_THREAD", 100)
    one, two = (compile_loop(step(), 3, threads=n, **OPTIONS) for n in (1, 2))
    shared = []
    original = loop.Workload.run
    monkeypatch.setattr(
        loop.Workload,
        "run",
        lambda self, *args: shared.append(self.threads) or original(self, *args),
    )
    given = values((batch,), 7)
    a, b = one(7, *given, every=2), two(7, *given, every=2)
    assert shared == [1, 2]
    for x, y in zip((*a.final, *a.recorded), (*b.final, *b.recorded), strict=True):
        assert x.tobytes() == y.tobytes()


def test_a_long_step_in_several_pieces(monkeypatch, caplog):
    f = chain(60)
    whole = compile_loop(f, 1, recorded=["y"], cache=False)
    monkeypatch.setattr("phalanx.kernel.build._LARGEST_PIECE", 40)
    monkeypatch.setattr("phalanx.kernel.build._LARGEST_WHOLE", 40)
    with caplog.at_level("INFO", logger="phalanx.kernel"):
        pieces = compile_loop(f, 1, recorded=["y"], cache=False)
    assert "pieces" in caplog.text
    x = np.random.default_rng(1).uniform(-1, 1, (33, 4))
    a, b = whole(5, x), pieces(5, x)
    rows, now = [], x
    for _ in range(5):
        now = by_casadi(f, now)
        rows.append(now)
    # the chain contracts, so differences of rounding stay differences of rounding
    assert np.abs(a.recorded.y - np.stack(rows, 1)).max() < 1e-13
    assert np.abs(b.recorded.y - np.stack(rows, 1)).max() < 1e-13
    assert np.array_equal(b.recorded.y[:, -1], b.final.y)


def test_scratch_memory_beyond_the_stack():
    """Many carried numbers: the state of a block does not fit on the stack."""
    n = 700  # 700 rows in and out, 32 samples of 8 byte: 360 kB
    x = ca.SX.sym("x", n)
    f = ca.Function("wide", [x], [ca.vertcat(x[1:], x[0]) + 1], ["x"], ["x_next"])
    kernel = compile_loop(f, 1, recorded=["x_next"], threads=1, cache=False)
    start = np.arange(40.0 * n).reshape(40, n)
    final, recorded = kernel(3, start, every=2)
    assert np.array_equal(final.x_next, np.roll(start, -3, 1) + 3)
    assert np.array_equal(recorded.x_next[:, 0], np.roll(start, -2, 1) + 2)


def test_carried_values_may_change_places():
    """Outputs that are plain copies of other inputs: all are read before any is written."""
    a, b, c = (ca.SX.sym(name) for name in "abc")
    f = ca.Function("turn", [a, b, c], [b, c, a], ["a", "b", "c"], ["x", "y", "z"])
    final, _ = compile_loop(f, 3, cache=False)(4, [[1.0]], [[2.0]], [[3.0]])
    assert [float(v[0, 0]) for v in final] == [2, 3, 1]


def test_nothing_recorded_and_nothing_streamed():
    x = ca.SX.sym("x", 2)
    f = ca.Function("half", [x], [x / 2], ["x"], ["x_next"])
    kernel = compile_loop(f, 1, cache=False)
    final, recorded = kernel(10, [[1024.0, 2048.0]], every=3)
    assert final.x_next.tolist() == [[1, 2]]
    assert recorded == ()


def test_nothing_carried():
    """Every step is a sample of its own."""
    x = ca.SX.sym("x", 2)
    f = ca.Function("square", [x], [x * x], ["x"], ["y"])
    kernel = compile_loop(f, 0, streamed=["x"], recorded=["y"], cache=False)
    final, recorded = kernel(3, np.arange(30.0).reshape(5, 3, 2))
    assert final == () and np.array_equal(recorded.y, np.arange(30.0).reshape(5, 3, 2) ** 2)


def test_an_empty_batch(walk):
    final, recorded = walk(7, *values((0,), 7), every=2)
    assert final.x_next.shape == (0, 2) and final.t_next.shape == (0,)
    assert recorded.seen.shape == (0, 3, 2)
    final, recorded = walk(7, *values((4, 0), 7))
    assert recorded.x_next.shape == (4, 0, 7, 2)


@pytest.mark.parametrize("bad", [np.nan, np.inf, 5e-324])
def test_a_bad_run_touches_no_other(walk, bad):
    x, y, t, p, u = values((33,), 7)
    good = walk(7, x, y, t, p, u)
    x[13] = bad
    u[20, 3] = bad
    mixed = walk(7, x, y, t, p, u)
    others = np.delete(np.arange(33), [13, 20])
    for a, b in zip((*good.final, *good.recorded), (*mixed.final, *mixed.recorded), strict=True):
        assert np.array_equal(a[others], b[others])
    if not np.isfinite(bad):
        assert np.isnan(mixed.final.x_next[[13, 20]]).all()
        assert np.isfinite(mixed.recorded.x_next[20, :3]).all()  # until the bad step comes


def test_wrong_arguments(walk):
    x, y, t, p, u = values((4,), 3)
    for given, message in (
        ((x, y, t, p), "takes .x, y, t, p, u., got 4"),
        ((x[:, :1], y, t, p, u), "'x' of walk has shape .4, 1."),
        ((x, y, t, p, u[:, :2]), "'u' of walk has shape .4, 2, 2.; expected .*3, 2"),
        ((x, y, t, p, u[..., 0]), "'u' of walk"),
        ((x, y[:3], t, p, u), "do not broadcast"),
        ((x, y, t, p, u.astype(complex)), "dtype complex"),
        ((x, y, "now", p, u), "'t' of walk"),
    ):
        with pytest.raises(InvalidInput, match=message):
            walk(3, *given)


@pytest.mark.parametrize(
    ("steps", "every"), [(0, 1), (-1, 1), (3, 0), (3, -2), (2.5, 1), (3, 1.5), ("3", 1)]
)
def test_wrong_counts(walk, steps, every):
    with pytest.raises(InvalidInput, match="steps="):
        walk(steps, *values((4,), 3), every=every)


@pytest.mark.parametrize(
    ("carried", "options", "message"),
    [
        (3, {"streamed": ["v"]}, "has no 'v' among p, u"),
        (3, {"streamed": ["x"]}, "has no 'x' among p, u"),  # carried: it has its value already
        (3, {"recorded": ["x"]}, "has no 'x' among x_next"),
        (3, {"recorded": ["seen", "seen"]}, "seen"),
        (3, {"streamed": ["u", "u"]}, "u"),
        (4, {}, "shapes must be equal"),
        (5, {}, "carried=5; 'walk' has 5 inputs and 4 outputs"),
        (-1, {}, "carried=-1"),
        (3, {"dtype": "int64"}, "float64 or float32"),
        (3, {"threads": 0}, "threads=0"),
        (3, {"shapes": {"q": ()}}, "shapes names q"),
    ],
)
def test_wrong_descriptions(carried, options, message):
    with pytest.raises(InvalidInput, match=message):
        compile_loop(step(), carried, **options)


@pytest.fixture
def builds(monkeypatch):
    """Counts how often code is generated."""
    counted = []
    original = native_step.build_entry
    monkeypatch.setattr(native_step, "build_entry", lambda *a: counted.append(1) or original(*a))
    return counted


def test_the_cache(builds, own_cache):
    given = values((9,), 7)
    first = compile_loop(step(), 3, **OPTIONS)
    again = compile_loop(step(), 3, **OPTIONS)
    assert len(builds) == 1 and first.operations == again.operations
    assert np.array_equal(first(7, *given).final.x_next, again(7, *given).final.x_next)
    for other in ({"streamed": []}, {"recorded": ["seen"]}, {"dtype": "float32"}):
        compile_loop(step(), 3, **OPTIONS | other)
    assert len(builds) == 4
    assert len(list(own_cache.glob("*.kernel"))) == 4


def test_more_carried_than_there_is():
    x = ca.SX.sym("x", 2)
    f = ca.Function("half", [x], [x / 2], ["x"], ["x_next"])
    with pytest.raises(InvalidInput, match="carried=2"):
        compile_loop(f, 2)  # would read a table beyond its end


@pytest.mark.parametrize("kernel_first", [True, False])
def test_a_loop_and_a_kernel_of_one_function_do_not_meet_in_the_cache(kernel_first):
    f = chain(3)
    x = np.linspace(-1, 1, 36).reshape(9, 4)
    if kernel_first:
        kernel, looped = compile(f), compile_loop(f, 1)
    else:
        looped, kernel = compile_loop(f, 1), compile(f)
    assert np.array_equal(kernel(kernel(x)), looped(2, x).final.y)


def test_names_that_python_keeps_for_itself():
    x = ca.SX.sym("x")
    f = ca.Function("f", [x], [x + 1], ["x"], ["class"])
    final, recorded = compile_loop(f, 1, recorded=["class"], cache=False)(2, [1.0])
    assert final[0].tolist() == [3] and recorded[0].tolist() == [[2], [3]]


def test_code_from_the_cache_runs_in_another_process(own_cache):
    x = np.linspace(-1, 1, 36).reshape(9, 4)
    mine = compile_loop(chain(3), 1)(4, x).final.y
    code = (
        "import numpy as np, sys\n"
        "from tests.kernel.samples import chain\n"
        "from phalanx.kernel.loops import loop, native_step\n"
        "native_step.build_entry = None\n"  # must come from the cache
        "x = np.linspace(-1, 1, 36).reshape(9, 4)\n"
        "sys.stdout.write(loop.compile_loop(chain(3), 1)(4, x).final.y.tobytes().hex())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        check=True,
        timeout=50,
    )
    assert done.stdout == mine.tobytes().hex()
