"""Machines go together from any sensible guess, and say why when they do not."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equations.loops.random_loops import CLOSURES, closed_machines, world_poses
from phalanx.base.errors import InvalidInput, InvalidModel, UnknownName
from phalanx.equations.loops.assembly.assemble import assemble
from phalanx.equations.loops.assembly.checks import check_closed
from phalanx.equations.loops.assembly.closed_loops import closed_loops
from phalanx.equations.loops.assembly.open_loop import OpenLoop
from phalanx.equations.loops.closure.equations import derivative_function
from phalanx.equations.model_of import model_of
from phalanx.mechanism import (
    Body,
    Fixed,
    FixedDistance,
    Floating,
    Frame,
    Joint,
    Loop,
    Mechanism,
    Mimic,
    Pose,
    Prismatic,
    Revolute,
    Spherical,
    library,
    lock,
    with_floating_base,
)

FREEDOMS = {"four_bar": 1, "planar_3rrr": 3, "stewart": 6}


def at(x, y=0.0, z=0.0) -> Pose:
    return Pose(translation=np.array([x, y, z], dtype=float))


def derivative(mechanism, q):
    return np.asarray(derivative_function(model_of(mechanism))(q))


@pytest.mark.parametrize("kind", CLOSURES)
def test_random_machines_go_back_together(kind):
    @settings(max_examples=5, deadline=None)
    @given(closed_machines(kind), st.integers(0, 2**32 - 1))
    def law(x, seed):
        m = x.mechanism
        kick = 0.02 * np.random.default_rng(seed).standard_normal(m.nv)
        found = assemble(
            m,
            closed_loops(m).plain.moved(x.q, kick),
            np.random.default_rng(seed).standard_normal(m.nv),
        )
        assert found.residual < 1e-12 and not closed_loops(m).open_loops(found.q)
        A = derivative(m, found.q)
        assert found.mobility == m.nv - np.linalg.matrix_rank(
            A, 1e-7 * max(np.linalg.norm(A, 2), 1e-300)
        )
        np.testing.assert_allclose(A @ found.v, 0, atol=1e-9)
        # it stays near: no farther than a few times the kick, unless the posture is near singular
        if found.condition < 30 and not found.is_singular:
            for name, X in world_poses(m, found.q).items():
                far = np.abs(X.matrix - world_poses(m, x.q)[name].matrix).max()
                assert far < 60 * np.abs(kick).max() + 1e-12

    law()


@settings(max_examples=10, deadline=None)
@given(closed_machines())
def test_independent_velocities_determine_all_others(x):
    found = assemble(x.mechanism, x.q)
    A = derivative(x.mechanism, found.q)
    assert len(found.independent) == found.mobility
    rest = np.delete(A, found.independent, axis=1)
    assert np.linalg.matrix_rank(rest, 1e-9) == rest.shape[1]


def test_no_frame_is_left_turned_over():
    """The sine of half a turn is zero, too: a weld must not close upside down."""
    m = Mechanism(
        "flag",
        [Body("base"), Body("flag", 1.0, inertia=np.eye(3))],
        [Joint("hinge", "base", "flag", Revolute((0, 0, 1)))],
        loops=[Loop("weld", "base", "flag", Fixed())],
    )
    for angle in (2.0, 3.0, -2.5, np.pi):
        q = assemble(m, [angle]).q[0]
        assert np.cos(q) == pytest.approx(1.0, abs=1e-12)
    assert closed_loops(m).open_loops(np.array([np.pi])).keys() == {"weld"}


def test_a_machine_without_loops_is_closed_as_it_is():
    arm = library.puma560()
    guess = np.linspace(-1, 1, 6)
    x = assemble(arm, guess, np.ones(6))
    np.testing.assert_array_equal(x.q, guess)
    np.testing.assert_array_equal(x.v, np.ones(6))
    assert (x.mobility, x.redundant, x.residual) == (6, 0, 0.0)
    assert x.independent == tuple(range(6)) and not x.is_singular and x.condition == 1.0
    np.testing.assert_array_equal(assemble(arm, guess, np.ones(6), guess).a, guess)


# -- singular postures ---------------------------------------------------------------------------


def folded() -> Mechanism:
    """A parallelogram with its crank along the ground bar: it may open either way."""
    return library.four_bar((0.7, 0.2, 0.7, 0.2), angle=0.0)


def test_a_folded_parallelogram_is_singular():
    x = assemble(folded())
    assert x.is_singular and x.mobility == 2 and x.condition > 1e7
    with pytest.raises(InvalidInput, match="singular"):
        check_closed(folded(), x.q, x.v)
    opened = assemble(folded(), [1.0, -1.0, 1.0])
    assert opened.mobility == 1 and not opened.is_singular


def test_a_parallelogram_keeps_its_bars_parallel():
    m = library.four_bar((0.7, 0.2, 0.7, 0.2), angle=1.0)
    x = assemble(m, [0.8, -0.7, 0.9], held=["crank"])
    np.testing.assert_allclose(x.q, [0.8, -0.8, 0.8], atol=1e-12)


def test_a_stewart_platform_with_equal_plates_is_singular():
    """Upright legs of equal length: the platform swings sideways with all drives locked."""
    m = library.stewart(base_radius=0.4, platform_radius=0.4, spread=np.pi / 6)
    x = assemble(m)
    # the loops determine everything (their rank is full): it is the drives that lose control
    assert x.mobility == 6 and not x.is_singular
    drives = [m.v_slices[f"leg_{i}"].start for i in range(1, 7)]
    passive = np.delete(derivative(m, x.q), drives, axis=1)
    lost = passive.shape[1] - np.linalg.matrix_rank(passive, 1e-9)
    assert lost == 3
    usual = np.delete(derivative(library.stewart(), library.stewart().neutral()), drives, axis=1)
    assert np.linalg.matrix_rank(usual, 1e-9) == usual.shape[1]


def test_a_guess_in_a_singular_posture_is_left():
    """A stretched arm whose end belongs nearer: no first-order step helps."""
    m = two_links(FixedDistance(1.5))
    x = assemble(m, [0.0, 0.0])
    end = world_poses(m, x.q)["end"].translation
    assert np.linalg.norm(end) == pytest.approx(1.5, abs=1e-12)


def two_links(closure, place=(0.0, 0.0, 0.0)) -> Mechanism:
    rod = {"mass": 1.0, "com": np.array([0.5, 0, 0]), "inertia": np.diag([0.01, 0.1, 0.1])}
    return Mechanism(
        "two_links",
        [Body("base"), Body("upper", **rod), Body("lower", **rod)],
        [
            Joint("shoulder", "base", "upper", Revolute()),
            Joint("elbow", "upper", "lower", Revolute(), at(1.0)),
        ],
        [Frame("end", "lower", at(1.0)), Frame("target", "base", at(*place))],
        [Loop("tie", "target", "end", closure)],
    )


def test_a_shaky_structure_counts_its_soft_directions():
    """Stretched out, two links reach the target in one way only, but give way to first order."""
    x = assemble(two_links(Spherical(), (2.0, 0.0, 0.0)), [0.3, -0.4])
    np.testing.assert_allclose(x.q, 0, atol=1e-7)
    assert x.mobility == 1


# -- loops that cannot close ---------------------------------------------------------------------


def test_the_smallest_opening_is_found_and_named():
    with pytest.raises(OpenLoop, match="'tie'") as caught:
        assemble(two_links(Spherical(), (2.5, 0.0, 0.0)))
    # two metres of links against a target at 2.5 m
    assert caught.value.residual == pytest.approx(0.5, abs=1e-6)
    assert caught.value.loops["tie"] == caught.value.residual
    assert caught.value.q.shape == (2,)


def test_contradictory_closures_name_the_loops():
    m = two_links(FixedDistance(1.0))
    far = Frame("far", "base", at(5.0))
    both = replace(
        m,
        frames=[*m.frames, far],
        loops=[*m.loops, Loop("other", "far", "end", FixedDistance(1.0))],
    )
    with pytest.raises(OpenLoop) as caught:
        assemble(both)
    assert set(caught.value.loops) == {"tie", "other"}


def test_a_closure_within_one_body_is_true_or_not():
    m = two_links(FixedDistance(1.0))
    for length, holds in ((1.0, True), (0.9, False)):
        within = replace(m, loops=[Loop("within", "lower", "end", FixedDistance(length))])
        if holds:
            assert assemble(within).mobility == 2
        else:
            with pytest.raises(OpenLoop, match="'within' by"):
                assemble(within)


def test_held_joints_stay_and_may_make_it_impossible():
    m = library.four_bar()
    x = assemble(m, [0.5, 0.0, 0.0], [3.0, 0.0, 0.0], held="crank")
    assert x.q[0] == 0.5 and x.v[0] == 3.0
    np.testing.assert_allclose(derivative(m, x.q) @ x.v, 0, atol=1e-12)
    with pytest.raises(OpenLoop, match="hold fewer joints"):
        assemble(m, [0.5, 0.0, 0.0], held=["crank", "rocker"])
    with pytest.raises(InvalidInput, match=r"held joints \(crank, rocker\) move as given"):
        assemble(m, m.neutral(), [1.0, 0.0, -3.0], held=["crank", "rocker"])
    everything = ["crank", "coupler", "rocker"]
    np.testing.assert_array_equal(assemble(m, held=everything).q, m.neutral())
    with pytest.raises(OpenLoop):
        assemble(m, [0.5, 0.0, 0.0], held=everything)


def test_quaternions_are_scaled_and_stay_of_length_one():
    m = library.delta()
    guess = m.neutral()
    guess[m.q_slices["drive_1"]] = 0.3
    part = m.q_slices["platform"]
    guess[part][3:] *= 5.0
    x = assemble(m, guess, held=["drive_1"])
    assert np.linalg.norm(x.q[part][3:]) == pytest.approx(1.0, abs=1e-14)
    guess[part] = 0.0
    with pytest.raises(InvalidInput, match="quaternion of length zero"):
        assemble(m, guess)


def test_a_mimic_takes_part_in_a_loop():
    m = two_links(Spherical(), (np.sqrt(2.0), 0.0, 0.0))
    lazy = replace(m.joint("elbow"), mimic=Mimic("shoulder", -2.0))
    follows = replace(m, joints=[m.joint("shoulder"), lazy])
    x = assemble(follows, [0.5])
    assert x.q[0] == pytest.approx(np.pi / 4, abs=1e-9) and x.mobility == 0
    with pytest.raises(InvalidInput, match=r"'elbow'.*cannot be held"):
        assemble(follows, [0.5], held=["elbow"])


def test_far_from_neutral_a_posture_is_found_without_a_guess():
    slide = two_links(Spherical(), (-1.2, 0.9, 0.0))
    assert assemble(slide).residual < 1e-12


@pytest.mark.parametrize(
    ("guess", "reason"),
    [
        ([0.0], r"shape \(1,\); expected \(3,\)"),
        ([0.0, np.nan, 0.0], "NaN"),
        ("crank", "must be 3 numbers"),
        ([[0.0, 0.0, 0.0]], r"shape \(1, 3\)"),
    ],
)
def test_guesses_that_are_no_positions(guess, reason):
    with pytest.raises(InvalidInput, match=reason):
        assemble(library.four_bar(), guess)
    with pytest.raises(InvalidInput):
        assemble(library.four_bar(), None, guess)


def test_names_that_do_not_exist():
    with pytest.raises(UnknownName, match="Did you mean 'crank'"):
        assemble(library.four_bar(), held=["cranc"])
    m = library.four_bar()
    with pytest.raises(UnknownName, match="coupler_end"):
        replace(m, loops=[Loop("pin", "coupler_ent", "rocker_end")])


def test_loops_that_hold_nothing_or_themselves():
    with pytest.raises(InvalidModel, match="leaves everything free"):
        Loop("free", "a", "b", Floating())
    with pytest.raises(InvalidModel, match="to itself"):
        Loop("self", "a", "a")
    with pytest.raises(InvalidModel, match="must be that of a joint"):
        Loop("word", "a", "b", "revolute")  # type: ignore[arg-type]


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
def test_watches_and_bridges_close_alike(size):
    """Angles of a machine do not depend on its size, and neither does whether it closes."""
    m = library.slider_crank(0.15 * size, 0.5 * size)
    x = assemble(m, [1.0, 0.0, 0.0], held=["crank"])
    shift = 0.15 * np.cos(1.0) + np.sqrt(0.5**2 - (0.15 * np.sin(1.0)) ** 2) - 0.65
    assert x.q[1] == pytest.approx(-1.0 - np.arcsin(0.3 * np.sin(1.0)), abs=1e-12)
    assert x.q[2] / size == pytest.approx(shift, abs=1e-12)
    assert (x.mobility, x.redundant) == (1, 3)


def test_edits_change_the_freedom_as_they_should():
    drives = {name: [j.name for j in library.by_name(name).actuated_joints] for name in FREEDOMS}
    for name, freedom in FREEDOMS.items():
        machine = library.by_name(name)
        assert assemble(lock(machine, drives[name])).mobility == 0
        assert assemble(with_floating_base(machine)).mobility == freedom + 6
    everything = lock(library.four_bar(), ["crank", "coupler", "rocker"])
    assert assemble(everything).mobility == 0
    with pytest.raises(OpenLoop):
        assemble(lock(library.four_bar(), {"crank": 0.5, "coupler": 0.0, "rocker": 0.0}))


def test_a_sliding_closure_holds_a_line():
    m = two_links(Prismatic((1, 0, 0)), (0.0, 0.5, 0.0))
    x = assemble(m, [1.0, -1.0])
    X = world_poses(m, x.q)["end"]
    assert X.translation[1] == pytest.approx(0.5, abs=1e-12)
    np.testing.assert_allclose(X.rotation, np.eye(3), atol=1e-12)
    assert x.mobility == 0
