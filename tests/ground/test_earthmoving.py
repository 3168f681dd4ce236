"""The fundamental equation against the wedge's own equilibrium, Rankine and Prandtl."""

from dataclasses import replace
from math import cos, pi, radians, sin, tan

import casadi as ca
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from phalanx.ground import CLAY, LOAM, SAND, Soil
from phalanx.ground.earthmoving import (
    EarthmovingFactors,
    bearing_capacity,
    draft,
    rake_range,
    wedge_angle,
)

SOILS = {"sand": SAND, "loam": LOAM, "clay": CLAY, "sticky": replace(CLAY, adhesion=12e3)}


def value(x: ca.SX) -> float:
    return float(ca.DM(x))


def draft_by_equilibrium(soil, width, depth, rake, surcharge, beta):
    """Balance of forces on the wedge: unknown are those of the blade F and of the soil below R."""
    alpha, delta, phi = rake, soil.metal_friction, soil.friction
    area = depth**2 * (1 / tan(alpha) + 1 / tan(beta)) / 2
    load = soil.unit_weight * area
    load += (soil.surcharge + surcharge) * depth * (1 / tan(alpha) + 1 / tan(beta))
    on_blade = soil.adhesion * depth / sin(alpha) * np.array([cos(alpha), -sin(alpha)])
    on_plane = soil.cohesion * depth / sin(beta) * np.array([-cos(beta), -sin(beta)])
    F = np.array([sin(alpha + delta), cos(alpha + delta)])
    R = np.array([-sin(beta + phi), cos(beta + phi)])
    size, _ = np.linalg.solve(np.column_stack([F, R]), [0, load] - on_blade - on_plane)
    return width * float((size * F + on_blade)[0])


@pytest.mark.parametrize("soil", SOILS.values(), ids=SOILS)
@pytest.mark.parametrize("share", [0.0, 0.3, 0.8, 0.95])
def test_draft_keeps_the_wedge_in_equilibrium(soil, share):
    low, high = rake_range(soil)
    rake = low + share * (high - low)
    expected = draft_by_equilibrium(soil, 0.7, 0.3, rake, 5e3, wedge_angle(soil))
    found = value(draft(soil, 0.7, ca.SX(0.3), ca.SX(sin(rake)), ca.SX(5e3)))
    assert found == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("degrees", [0.0, 15.0, 30.0, 45.0])
def test_a_smooth_upright_blade_meets_rankines_passive_pressure(degrees):
    soil = Soil(17e3, 6e3, radians(degrees), 0.0, surcharge=3e3)
    K, w, d = tan(pi / 4 + radians(degrees) / 2) ** 2, 1.3, 0.4
    rankine = w * (17e3 * d**2 * K / 2 + 2 * 6e3 * d * K**0.5 + 3e3 * d * K)
    assert value(draft(soil, w, ca.SX(d), ca.SX(1), ca.SX(0))) == pytest.approx(
        rankine,
        rel=3e-6,  # the rake stays a microradian below upright
    )


@pytest.mark.parametrize("soil", SOILS.values(), ids=SOILS)
def test_the_fixed_wedge_never_asks_for_less_than_the_weakest_one(soil):
    weight_only = replace(soil, cohesion=0.0, adhesion=0.0)
    for rake in np.linspace(*rake_range(soil), 7):
        wedges = np.linspace(radians(5), radians(80), 2000)
        locked = wedges + soil.friction + soil.metal_friction + rake > pi - radians(2)
        least = min(
            draft_by_equilibrium(weight_only, 1.0, 0.3, rake, 0.0, beta) for beta in wedges[~locked]
        )
        found = value(draft(weight_only, 1.0, ca.SX(0.3), ca.SX(sin(rake)), ca.SX(0)))
        assert least <= found * (1 + 1e-9) < 1.5 * least


def test_the_angle_of_the_wedge_is_the_weakest_one_for_a_smooth_upright_blade():
    soil = Soil(17e3, 0.0, radians(32), 0.0)
    wedges = np.linspace(radians(5), radians(55), 5000)
    drafts = [draft_by_equilibrium(soil, 1.0, 0.3, pi / 2, 0.0, beta) for beta in wedges]
    assert wedges[np.argmin(drafts)] == pytest.approx(wedge_angle(soil), abs=1e-3)


@given(st.floats(0, 50), st.floats(0, 1), st.floats(0, 1), st.floats(-1, 1), st.floats(0, 3))
def test_draft_is_finite_and_not_negative(phi, rough, sticky, rake_sine, depth):
    soil = Soil(15e3, 2e4, radians(phi), rough * radians(phi), adhesion=sticky * 2e4)
    found = value(draft(soil, 1.0, ca.SX(depth), ca.SX(rake_sine), ca.SX(0)))
    assert 0 <= found < 1e8
    assert (found == 0) == (15e3 * depth == 0)


@pytest.mark.parametrize("soil", SOILS.values(), ids=SOILS)
def test_factors_and_their_slopes_stay_finite_at_every_rake(soil):
    rake = ca.SX.sym("rake")
    weight = EarthmovingFactors.of(soil, ca.sin(rake)).weight
    N = ca.Function("N", [rake], [weight, ca.gradient(weight, rake)])
    angles = np.linspace(-pi, pi, 8001)
    values, slopes = (np.array(x)[0] for x in N(ca.DM(angles).T))
    assert np.isfinite(slopes).all() and np.abs(slopes).max() < 50
    assert np.abs(np.diff(values)).max() < 50 * (angles[1] - angles[0])


def test_soil_without_friction_bears_what_prandtl_found():
    soil = Soil(18e3, 40e3, 0.0, 0.0)
    assert value(bearing_capacity(soil, ca.SX(0.5))) == pytest.approx((2 + pi) * 40e3 + 18e3 * 0.5)
    nearly = replace(soil, friction=1e-4)
    assert value(bearing_capacity(nearly, ca.SX(0))) == pytest.approx((2 + pi) * 40e3, rel=1e-3)


def test_bearing_factors_of_30_degrees_are_those_of_the_tables():
    # N_c 30.14, N_q 18.40 for 30°: in every table of bearing capacity
    soil = Soil(1.0, 1.0, radians(30), 0.0)
    at = [value(bearing_capacity(soil, ca.SX(depth))) for depth in (0.0, 1.0)]
    assert at[0] == pytest.approx(30.14, abs=0.005)
    assert at[1] - at[0] == pytest.approx(18.40, abs=0.005)
