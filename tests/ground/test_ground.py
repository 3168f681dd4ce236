"""Laws of the ground: it takes energy, it gives way, and it fills the bucket with what was cut."""

from dataclasses import replace
from math import radians, sin

import numpy as np
import pytest

import phalanx as px
from phalanx.base.errors import InvalidInput, UnknownName
from phalanx.ground import CLAY, LOAM, SAND, Bucket, Ground
from phalanx.ground.earthmoving import wedge_angle
from phalanx.ground.soil import STANDARD_GRAVITY

from .sledge import HOE, LOAD_AT, NAMES, at_contact, sledge
from .test_earthmoving import draft_by_equilibrium

DRY = Ground(SAND, replace(HOE, width=0.8), surface=0.0)
RAKE = radians(40)
FLAT = np.zeros(1)


@pytest.fixture(scope="module")
def contact() -> px.Kernel:
    return at_contact(DRY, sledge())


def state(depth=0.3, rake=RAKE, speed=(0.0, 0.0, 0.0), spin=0.0):
    return np.array([0.0, 0.0, -depth, rake]), np.array([*speed, spin])


def named(kernel: px.Kernel, *given) -> dict[str, np.ndarray]:
    return dict(zip(("tau", "rate", *NAMES), kernel(*given), strict=True))


def random_states(mechanism: px.Mechanism, count: int):
    rng = np.random.default_rng(7)
    q = rng.uniform(-np.pi, np.pi, (count, mechanism.nq))
    v = rng.normal(size=(count, mechanism.nv)) * rng.choice([1e-6, 0.1, 2.0], (count, 1))
    load = rng.uniform(0, 1500, (count, 1))
    return q, v, load, rng.uniform(-3, 3, (count, 1))


@pytest.mark.parametrize("soil", [SAND, LOAM, CLAY], ids=["sand", "loam", "clay"])
def test_the_ground_takes_energy_from_the_machine(soil):
    machine = px.library.cat215b(payload=True)
    kernel = at_contact(Ground(soil), machine)
    q, v, load, surface = random_states(machine, 2000)
    got = named(kernel, q, v, load, surface)
    power = np.einsum("ij,ij->i", got["tau"], v)
    up = np.einsum("ij,ij->i", px.Dynamics(machine).jacobian(q, frame="teeth")[:, 2], v)
    # half of the bearing is a spring that stores energy as the edge sinks; the rest is lost
    stored = -got["bearing"][:, 0] / 2 * up
    assert (power + stored <= 1e-9 * np.abs(power)).all()
    assert (power[up <= 0] <= 0).all()
    assert (got["depth"] > 0).mean() > 0.3 and (power < -1).mean() > 0.2


def test_above_the_surface_there_is_nothing():
    machine = px.library.cat215b(payload=True)
    kernel = at_contact(Ground(), machine)
    q, v, load, _ = random_states(machine, 500)
    height = px.Dynamics(machine).forward_kinematics(q, frame="teeth")[:, 2, 3:]
    for gap in (1e-12, 0.5):
        got = named(kernel, q, v, load, height - gap)
        assert (got["tau"] == 0).all() and (got["filling"] == 0).all()


def test_forces_and_filling_start_from_zero_at_the_surface(contact):
    q, v = state(speed=(1.0, 0.3, -0.5), spin=0.4)
    depth = np.array([1e-9, 1e-6, 1e-3])
    q = np.tile(q, (3, 1))
    q[:, 2] = -depth
    got = named(contact, q, v, [700.0], FLAT)
    for name in ("tau", "filling"):
        slope = np.abs(got[name]).max(axis=1) / depth
        np.testing.assert_allclose(slope, slope[0], rtol=0.05)


def test_a_fast_level_cut_meets_the_draft(contact):
    # far above the slip speed the force is the draft of the equation, against the motion
    fast = named(contact, *state(speed=(1e4, 0, 0)), [0.0], FLAT)
    expected = draft_by_equilibrium(SAND, 0.8, 0.3, RAKE, 0.0, wedge_angle(SAND))
    assert fast["force"][0] == pytest.approx(-expected, rel=1e-8)
    # a load in the bucket presses on the soil in front
    loaded = named(contact, *state(speed=(1e4, 0, 0)), [500.0], FLAT)
    pressure = 500 * STANDARD_GRAVITY / (0.8 * HOE.length)
    expected = draft_by_equilibrium(SAND, 0.8, 0.3, RAKE, pressure, wedge_angle(SAND))
    assert loaded["force"][0] == pytest.approx(-expected, rel=1e-8)


@pytest.mark.parametrize("way", [(0, 1, 0), (0, -1, 0), (0, 0, 1)])
def test_other_ways_meet_a_share_of_it(contact, way):
    into = named(contact, *state(speed=(1e4, 0, 0)), [0.0], FLAT)["force"]
    got = named(contact, *state(speed=1e4 * np.array(way)), [0.0], FLAT)
    rubbing = got["force"] - [0, 0, got["bearing"][0] / 2 if way[2] == 0 else 0.0]
    np.testing.assert_allclose(rubbing, HOE.drag * into[0] * np.array(way), rtol=1e-6, atol=1e-3)
    assert got["filling"] == 0


@pytest.mark.parametrize(("rate", "share"), [(-1e5, 1.0), (0.0, 0.5), (1e5, 0.0)])
def test_bearing_is_whole_downwards_half_at_rest_and_none_upwards(contact, rate, share):
    # an upright floor does not press on what is below
    got = named(contact, *state(rake=np.pi / 2, speed=(0, 0, rate)), [0.0], FLAT)
    bearing = got["force"][2] + got["resistance"][0] * np.sign(rate)
    assert bearing == pytest.approx(share * got["bearing"][0], abs=1e-3)
    assert got["bearing"] > 1e3
    np.testing.assert_allclose(got["force"][:2], 0, atol=1e-3)


def test_a_floor_slides_along_itself_and_does_not_go_through_soil(contact):
    along, inward = (
        np.array([np.cos(RAKE), 0, -np.sin(RAKE)]),
        np.array([np.sin(RAKE), 0, np.cos(RAKE)]),
    )
    for speed, pressed in ((along, 0.0), (-along, 0.0), (inward, 0.0), (-inward, 1.0)):
        got = named(contact, *state(speed=1e5 * speed), [0.0], FLAT)
        rest = got["force"] + got["resistance"] * speed
        rest[2] -= got["bearing"][0] * (1 - np.sign(speed[2])) / 2
        np.testing.assert_allclose(rest, pressed * got["pressing"] * inward, atol=0.5)
    assert got["pressing"] > 1e4


def test_a_lying_floor_carries_with_all_its_area(contact):
    got = named(contact, *state(rake=0.0), [0.0], FLAT)
    sunk = 0.3 / (0.3 + HOE.thickness)
    capacity = got["bearing"][0] / (0.8 * HOE.thickness * sunk)
    assert got["pressing"][0] == pytest.approx(0.8 * HOE.length * capacity * sunk)
    # of an upright one only the part below the surface: close to its depth
    upright = named(contact, *state(depth=0.02, rake=np.pi / 2), [0.0], FLAT)
    assert upright["pressing"][0] < 0.05 * got["pressing"][0]


def test_a_straight_cut_fills_the_bucket_with_what_it_swept(contact):
    # a speed that swells and fades: load = density · width · depth · way
    load, step, way = np.zeros(1), 0.01, 1.1
    for k in range(100):
        rates = [
            named(contact, *state(speed=(way * np.pi / 2 * sin(np.pi * t), 0, 0)), load, FLAT)[
                "rate"
            ]
            for t in (step * k, step * (k + 0.5), step * (k + 1))
        ]
        load = load + step / 6 * (rates[0] + 4 * rates[1] + rates[2])
    assert load[0] == pytest.approx(SAND.density * 0.8 * 0.3 * way, rel=1e-8)
    assert load[0] < DRY.full_load


def test_a_heaped_bucket_takes_no_more(contact):
    full = DRY.full_load
    assert full == pytest.approx(HOE.capacity * SAND.density / SAND.swell)
    s = px.compile(_settled(DRY))
    np.testing.assert_array_equal(s(np.array([[-3.0], [5.0], [full + 9]])), [[0], [5], [full]])
    over = named(contact, *state(), [full + 40], FLAT)
    assert over["rate"][0] == pytest.approx(-40 / DRY.spill_time)


def _settled(ground):
    import casadi as ca

    s = ca.SX.sym("s", 1)
    return ca.Function("settled", [s], [ground.settled(s)], ["s"], ["settled"])


def test_a_tipped_bucket_empties_with_its_time_constant(contact):
    in_air = {"depth": -1.0}
    for load in (1.0, 300.0, DRY.full_load):
        tipped = named(contact, *state(**in_air, rake=radians(35)), [load], FLAT)
        assert tipped["rate"][0] == pytest.approx(-load / DRY.spill_time)
        curled = named(contact, *state(**in_air, rake=radians(-45)), [load], FLAT)
        assert curled["rate"] == 0
    # between both, what the mouth holds stays
    level = named(contact, *state(**in_air, rake=0.0), [DRY.full_load], FLAT)["rate"][0]
    stays = DRY.full_load + level * DRY.spill_time
    assert 0.2 * DRY.full_load < stays < 0.8 * DRY.full_load
    assert named(contact, *state(**in_air, rake=0.0), [stays * 0.999], FLAT)["rate"] == 0


def test_a_buried_mouth_keeps_its_soil(contact):
    assert named(contact, *state(rake=radians(60)), [800.0], FLAT)["rate"] == 0


def test_soil_that_enters_is_accelerated_where_it_lies(contact):
    speed, spin = np.array([0.7, 0.2, -0.1]), 0.3
    got = named(contact, *state(speed=speed, spin=spin), [200.0], FLAT)
    lever = (
        np.array([[np.cos(RAKE), 0, np.sin(RAKE)], [0, 1, 0], [-np.sin(RAKE), 0, np.cos(RAKE)]])
        @ LOAD_AT
    )
    axis = np.array([0, 1.0, 0])
    momentum = -got["filling"][0] * (speed + np.cross(spin * axis, lever))
    # the edge sits on the hinge: its force has no moment there
    np.testing.assert_allclose(got["tau"][:3], got["force"] + momentum, rtol=1e-12)
    assert got["tau"][3] == pytest.approx(axis @ np.cross(lever, momentum), rel=1e-10)
    assert got["filling"][0] == pytest.approx(SAND.density * 0.8 * 0.3 * 0.7)


def test_soil_that_leaves_pushes_nothing(contact):
    q, v = state(depth=-1.0, rake=radians(60), speed=(1.0, 2.0, 0.5), spin=1.0)
    got = named(contact, q, v, [600.0], FLAT)
    assert got["leaving"] > 0 and (got["tau"] == 0).all()


def test_swinging_changes_nothing_for_the_soil():
    machine = px.library.cat215b(payload=True)
    kernel = at_contact(Ground(), machine)
    q, v, load, surface = random_states(machine, 200)
    turned = q + np.array([1.234, 0, 0, 0])
    for name, there in named(kernel, turned, v, load, surface).items():
        if name != "force":
            here = named(kernel, q, v, load, surface)[name]
            np.testing.assert_allclose(there, here, rtol=1e-9, atol=1e-8 * (1 + np.abs(here).max()))


def test_the_soil_costs_fewer_operations_than_the_kinematics():
    machine = px.library.cat215b(payload=True)
    assert at_contact(Ground(), machine).operations.total < 400


def test_names_sizes_and_defaults():
    ground, machine = Ground(surface=-1.5), px.library.cat215b(payload=True)
    (quantity,) = ground.quantities(machine)
    assert (quantity.name, quantity.unit, quantity.size) == ("soil_load", "kg", 1)
    assert ground.parameters == ("payload.mass",)
    assert ground.inputs == {"surface": 1} and ground.defaults == {"surface": [-1.5]}
    assert ground.initial(machine, np.zeros((5, 4))).shape == (5, 1)
    with pytest.raises(UnknownName, match="payload"):
        ground.quantities(px.library.cat215b())
    with pytest.raises(UnknownName, match="tooth"):
        replace(ground, edge="tooth").quantities(machine)
    heavy = px.attach(px.library.cat215b(), "bucket", px.Body("payload", 1.0, np.ones(3)))
    with pytest.raises(InvalidInput, match="centre of mass"):
        ground.quantities(heavy)


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: replace(LOAM, unit_weight=0.0), "unit_weight"),
        (lambda: replace(LOAM, cohesion=-1.0), "cohesion"),
        (lambda: replace(LOAM, friction=float("nan")), "friction"),
        (lambda: replace(LOAM, friction=1.2), "friction"),
        (lambda: replace(LOAM, metal_friction=0.5), "metal_friction"),
        (lambda: replace(LOAM, adhesion=1e6), "adhesion"),
        (lambda: replace(LOAM, swell=0.9), "swell"),
        (lambda: replace(LOAM, repose=0.0), "repose"),
        (lambda: replace(LOAM, surcharge="much"), "surcharge"),
        (lambda: Bucket(width=-1), "width"),
        (lambda: Bucket(drag=1.5), "drag"),
        (lambda: Bucket(forward=(1, 1, 0)), "forward"),
        (lambda: Bucket(forward=(1, 0, 0)), "square"),
        (lambda: Bucket(inward=(1, 0)), "inward"),
        (lambda: Bucket(empties=1.0), "empties"),
        (lambda: Ground(slip=0), "slip"),
        (lambda: Ground(spill_time=float("inf")), "spill_time"),
        (lambda: Ground(surface=float("nan")), "surface"),
        (lambda: Ground("loam"), "soil"),
    ],
)
def test_bad_numbers_are_refused_by_name(make, word):
    with pytest.raises(InvalidInput, match=word):
        make()
