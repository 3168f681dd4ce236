"""Loops of numbers that are a little off are closed as assembled, or the machine is refused."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import phalanx as px
from equations.loops.perturbed import (
    random_direction,
    shaken,
    too_short,
    with_frame_moved,
    with_joint_tilted,
)
from equations.loops.random_loops import CLOSURES, closed_machines, world_poses
from phalanx.equations.loops.assembly.assemble import assemble
from phalanx.equations.loops.assembly.closed_loops import closed_loops
from phalanx.equations.loops.assembly.frame_offset import closing_offset
from phalanx.equations.loops.assembly.independent import independent_rows
from phalanx.equations.loops.assembly.rank import LEAST_KEPT, MOST_DROPPED
from phalanx.equations.loops.assembly.rounding import OPEN_BY_ROUNDING
from phalanx.equations.loops.assembly.search import Search
from phalanx.equations.model_of import model_of
from phalanx.equations.tree.build import model_as_written
from phalanx.mechanism import (
    Frame,
    Loop,
    Planar,
    PlanarPin,
    Pose,
    library,
)
from phalanx.mechanism.pose import rotation_about
from phalanx.mechanism.read import ModelWarning

OUT_OF_PLANE = np.array([0.0, 1.0, 0.0])
IN_PLANE = np.array([0.6, 0.0, 0.8])
SMALL = (1e-11, 1e-8, 1e-6)

# chosen where the machines are written exactly; changes of these change every compiled machine
ROWS = {
    "four_bar": (0, 2),
    "slider_crank": (0, 2),
    "five_bar": (0, 1),
    "bucket_linkage": (0, 2, 5, 7),
    "cat215b_cylinders": (0, 1),
    "planar_3rrr": tuple(range(6)),
    "delta": tuple(range(18)),
    "stewart": tuple(range(18)),
}


def accelerations(mechanism):
    """Of a four-bar with its crank at 1 rad and 2 rad/s, and the forces in its pin."""
    x = assemble(mechanism, [1.0, 0.0, 0.0], [2.0, 0.0, 0.0], held=["crank"])
    return px.Dynamics(mechanism).loop_forces(x.q, x.v, np.array([0.3, 0.0, 0.0]))


@pytest.fixture(scope="module")
def exact():
    return accelerations(library.four_bar())


@pytest.mark.parametrize("name", ROWS)
def test_machines_that_close_exactly_are_left_as_they_are(name):
    mechanism = library.by_name(name)
    closed = closed_loops(mechanism)
    assert not closed.moved and not model_of(mechanism).frame_offsets and not closed.has_slack
    assert independent_rows(mechanism) == ROWS[name]
    assert closed.rank.kept > 10 * LEAST_KEPT and closed.rank.dropped < 1e-14
    np.testing.assert_allclose(closed.first.q, mechanism.neutral(), atol=1e-12)


@pytest.mark.parametrize("miss", SMALL)
def test_a_pin_that_misses_the_plane_is_pressed_in(miss, exact):
    """The two equations that count are those of the exact machine, and so are all forces."""
    machine = with_frame_moved(library.four_bar(), miss * OUT_OF_PLANE)
    with pytest.warns(
        ModelWarning, match=f"second frame of 'pin' was moved by {miss:.2g} m"
    ) as told:
        found = accelerations(machine)
    assert len(told) == 1 and told[0].filename == __file__
    assert independent_rows(machine) == ROWS["four_bar"]
    assert closed_loops(machine).moved["pin"].distance == pytest.approx(miss, rel=1e-3)
    for part, wanted in zip(found, exact, strict=True):
        np.testing.assert_allclose(part, wanted, rtol=0, atol=1e-9 + miss)
    assert np.abs(found[1]).max() > 1  # the pin carries something


@pytest.mark.parametrize("miss", SMALL)
def test_a_pin_that_is_off_in_the_plane_closes_elsewhere(miss, exact):
    """Bars of other lengths: nothing is moved, and accelerations differ by as little."""
    machine = with_frame_moved(library.four_bar(), miss * IN_PLANE)
    found = accelerations(machine)
    assert not closed_loops(machine).moved
    for part, wanted in zip(found, exact, strict=True):
        np.testing.assert_allclose(part, wanted, rtol=0, atol=1e-9 + 1e3 * miss)


@pytest.mark.parametrize("tilt", [1e-10, 1e-8, 1e-6, 4e-6])
@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 0, 1)])
def test_axes_that_are_parallel_but_for_rounding(tilt, axis, exact):
    """Three equations miss in every other posture; they are left out, as in exact numbers."""
    machine = with_joint_tilted(library.four_bar(), "rocker", axis, tilt)
    with pytest.warns(ModelWarning, match="closed as assembled: the second frame of 'pin'"):
        closed = closed_loops(machine)
    assert independent_rows(machine) == ROWS["four_bar"]
    assert 0 < closed.rank.dropped < MOST_DROPPED
    for crank in np.linspace(-3, 3, 7):
        x = assemble(machine, [crank, 0.0, 0.0], held=["crank"])
        assert x.q[0] == crank and (x.mobility, x.redundant) == (1, 3)
        # what counts is closed; the rest is open by the tilt
        assert np.abs(closed.plain.openings(x.q)).max() < 3 * tilt
    for part, wanted in zip(accelerations(machine), exact, strict=True):
        np.testing.assert_allclose(part, wanted, rtol=0, atol=1e-9 + 1e3 * tilt)


def closed_at_zero(tilt):
    """A four-bar with a tilted joint whose pin was drilled with all joints at zero."""
    machine = with_joint_tilted(library.four_bar(), "rocker", (1, 0, 0), tilt)
    X = world_poses(machine, machine.neutral())
    seat = X["rocker"].inverse() @ X["coupler_end"]
    ends = [f if f.name != "rocker_end" else Frame(f.name, f.body, seat) for f in machine.frames]
    return replace(machine, frames=ends)


def test_a_machine_that_closes_exactly_where_it_stands_still_turns():
    """One posture closes to the last digit; a rank of that alone would leave no freedom."""
    machine = closed_at_zero(3e-6)
    x = assemble(machine, [1.0, 0.0, 0.0], held=["crank"])
    assert not closed_loops(machine).moved and closed_loops(machine).has_slack
    assert (x.mobility, x.redundant, x.q[0]) == (1, 3, 1.0)


def test_equations_between_kept_and_dropped_are_an_error():
    machine = closed_at_zero(4e-4)
    with pytest.raises(px.InvalidModel, match="neither independent nor redundant") as caught:
        px.Dynamics(machine).kernel("forward_dynamics")
    value = float(str(caught.value).split("equations of ")[1].split()[0].rstrip(","))
    assert MOST_DROPPED < value < LEAST_KEPT
    with pytest.raises(px.InvalidModel, match="neither independent nor redundant"):
        assemble(machine)


# -- what is more than rounding ------------------------------------------------------------------


def test_bars_that_are_too_short_say_by_how_much():
    with pytest.raises(px.OpenLoop, match=r"'pin' by 0\.05") as caught:
        independent_rows(too_short(0.05))
    assert caught.value.residual == pytest.approx(0.05, abs=1e-6)
    assert "1.4e-05 m and 1e-05 rad" in str(caught.value)  # the ground is 1.35 m long


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
def test_what_rounding_explains_grows_with_the_machine(size):
    machine = library.four_bar((0.7 * size, 0.2 * size, 0.6 * size, 0.5 * size))
    near, far = (with_frame_moved(machine, x * size * OUT_OF_PLANE) for x in (6e-6, 8e-6))
    with pytest.warns(ModelWarning, match=f"moved by {6e-6 * size:.2g} m"):
        assert independent_rows(near) == ROWS["four_bar"]
    with pytest.raises(px.OpenLoop, match=f"'pin' by {8e-6 * size:.3g}"):
        independent_rows(far)


def test_an_axis_that_is_off_by_more_than_rounding():
    tilted = replace(
        library.four_bar(),
        frames=[
            replace(f, pose=Pose(rotation_about((1, 0, 0), 2e-5), f.pose.translation))
            if f.name == "rocker_end"
            else f
            for f in library.four_bar().frames
        ],
    )
    with pytest.raises(px.OpenLoop, match="'pin' by 2e-05"):
        independent_rows(tilted)


def test_where_the_machine_stands_does_not_count():
    """A four-bar a thousand metres from the origin takes no more than one at the origin."""
    m = with_frame_moved(library.four_bar(), 1e-4 * OUT_OF_PLANE)
    far = [
        replace(j, pose=Pose(j.pose.rotation, j.pose.translation + 1000.0))
        if j.parent == "ground"
        else j
        for j in m.joints
    ]
    with pytest.raises(px.OpenLoop, match=r"'pin' by 0\.0001"):
        independent_rows(replace(m, joints=far))


# -- postures that are singular wherever they close ----------------------------------------------


def stretched():
    """A four-bar whose bars just reach across: it closes in one posture, and there it is soft."""
    return replace(too_short(0.0), name="stretched")


def test_a_machine_that_closes_in_a_singular_posture_only():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)  # rounding decides whether it just reaches
        machine = stretched()
        with pytest.raises(px.InvalidModel, match="close in singular postures only"):
            px.Dynamics(machine).kernel("forward_dynamics")
        assert assemble(machine).mobility == 2


def test_a_loop_that_holds_nothing_leaves_the_tree():
    """What slides on a plane and moves in it anyway: all three equations hold by themselves."""
    m = library.four_bar()
    machine = replace(m, loops=[Loop("rest", "coupler_end", "rocker_end", Planar(OUT_OF_PLANE))])
    assert independent_rows(machine) == ()
    q, v, tau = np.array([0.3, -0.2, 0.4]), np.ones(3), np.array([0.1, 0.2, 0.3])
    tree = px.Dynamics(replace(m, loops=[])).forward_dynamics(q, v, tau)
    np.testing.assert_allclose(px.Dynamics(machine).forward_dynamics(q, v, tau), tree, rtol=1e-12)


# -- laws ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", CLOSURES)
def test_a_moved_frame_closes_its_loop_where_it_was_open(kind):
    @settings(max_examples=4, deadline=None)
    @given(closed_machines(kind, max_loops=1), st.integers(0, 2**32 - 1))
    def law(x, seed):
        rng = np.random.default_rng(seed)
        R, shift = rotation_about(random_direction(rng), 1e-4), 1e-4 * rng.standard_normal(3)
        frames = [
            replace(f, pose=f.pose @ Pose(R, shift)) if f.name.endswith("_b") else f
            for f in x.mechanism.frames
        ]
        model = model_as_written(replace(x.mechanism, frames=frames))
        (loop,) = model.mechanism.loops
        found = closing_offset(model, loop, x.q)
        repaired = replace(model, frame_offsets={loop.name: found.transform})
        assert np.abs(Search(repaired).openings(x.q)).max(initial=0.0) < 1e-12
        assert found.distance < 1.01 * np.linalg.norm(shift) + 1e-12
        assert found.angle < 1.01e-4

    law()


@settings(max_examples=12, deadline=None)
@given(
    st.sampled_from(["four_bar", "slider_crank", "five_bar", "bucket_linkage", "planar_3rrr"]),
    st.integers(4, 14),
    st.integers(0, 2**32 - 1),
)
def test_no_loop_is_ever_left_out(name, digits, seed):
    """However far numbers are off: as many equations as the exact machine has, or an error."""
    machine = shaken(library.by_name(name), 10.0**-digits, np.random.default_rng(seed))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        try:
            rows = independent_rows(machine)
        except (px.OpenLoop, px.InvalidModel):
            assert digits < 6
            return
        assert len(rows) >= len(ROWS[name]) > 0
        if digits >= 6:
            assert len(rows) == len(ROWS[name])
            q = assemble(machine, 0.05 * np.ones(machine.nq)).q
            closed = closed_loops(machine)
            assert np.abs(closed.plain.openings(q)).max() < OPEN_BY_ROUNDING * max(
                size.length for size in closed.sizes.values()
            )


def test_a_rod_and_a_slide_are_as_large_as_they_are_long():
    """Sizes come from what a loop runs through: a rod's length, and no body it has in common."""
    m = replace(
        library.four_bar(),
        loops=[
            Loop("rod", "coupler_end", "rocker_end", px.FixedDistance(3.0)),
            Loop("pin", "coupler_end", "rocker_end", PlanarPin(OUT_OF_PLANE)),
        ],
    )
    from phalanx.equations.loops.assembly.loop_sizes import loop_sizes

    sizes = loop_sizes(m)
    assert sizes["rod"].length == 3.0 and sizes["pin"].length == pytest.approx(0.7)
    assert sizes["pin"].joints == {"crank", "coupler", "rocker"}
