"""Links without mass that loops hold: the same motion and forces as with next to no mass."""

from dataclasses import replace

import numpy as np
import pytest

import phalanx as px
from equations.loops.four_bar import GUESS, Y, four_bar
from evaluate import Numbers, close
from phalanx.equations.loops import constrained, projection
from phalanx.equations.loops.assembly.assemble import assemble
from phalanx.equations.loops.methods.reduced_inertia import (
    equation_weight,
    joints_without_inertia_in_loops,
)
from phalanx.mechanism import Body, Joint, Mechanism, PlanarPin, Revolute, Spherical
from phalanx.mechanism.inertia import joints_without_inertia

TAU = np.array([0.3, 0.0, 0.0])


def with_light_links(mechanism: Mechanism, names: tuple[str, ...], share: float) -> Mechanism:
    """The machine with a share of the masses of some bodies."""
    bodies = [
        replace(b, mass=share * b.mass, inertia=share * b.inertia) if b.name in names else b
        for b in mechanism.bodies
    ]
    return replace(mechanism, bodies=bodies)


LIGHT = [("rocker",), ("coupler",), ("coupler", "rocker")]


def moving(mechanism: Mechanism):
    return assemble(mechanism, GUESS, np.array([2.0, 0.0, 0.0]))


@pytest.mark.parametrize("closure", [PlanarPin(Y), Spherical()], ids=lambda c: c.kind)
@pytest.mark.parametrize("names", LIGHT, ids="-".join)
def test_massless_links_move_as_nearly_massless_ones(names, closure):
    full = four_bar(closure)
    m = with_light_links(full, names, 0.0)
    assert joints_without_inertia(m) and joints_without_inertia_in_loops(m) == ()
    assert equation_weight(m) > 0 and equation_weight(full) == 0
    x = moving(m)
    a, force = Numbers(m)(constrained, x.q, x.v, TAU)
    # free directions know no M of single joints: another method, with the same numbers
    close(a, Numbers(m)(projection, x.q, x.v, TAU), 1e-9)
    a_light, force_light = Numbers(with_light_links(full, names, 1e-7))(constrained, x.q, x.v, TAU)
    close(a, a_light, 1e-4)
    close(force, force_light, 1e-4)


def test_a_run_of_a_massless_rocker_keeps_its_energy():
    m = with_light_links(four_bar(PlanarPin(Y)), ("rocker",), 0.0)
    x = moving(m)
    d = px.Dynamics(m)
    assert d.singular_joints == ()
    run = px.simulate(m, x.q, x.v, duration=0.5, step=1e-3)
    energy = d.energy(run["q"], run["v"])
    assert np.abs(run["q"][-1] - x.q).max() > 0.1
    close(energy, np.full_like(energy, energy[0]), 1e-6)


def test_what_no_loop_holds_is_named():
    m = four_bar(PlanarPin(Y))
    flap = Joint("flap", "rocker", "leaf", Revolute((1, 0, 0)))
    loose = replace(m, bodies=[*m.bodies, Body("leaf")], joints=[*m.joints, flap])
    assert joints_without_inertia_in_loops(loose) == ("flap",)
    d = px.Dynamics(loose)
    assert d.singular_joints == ("flap",)
    with pytest.raises(px.InvalidModel, match="'flap'"):
        _ = d.forward_dynamics
    with pytest.raises(px.InvalidModel, match="'flap'"):
        px.simulate(loose, np.zeros(4), np.zeros(4), duration=0.1, step=1e-3)
