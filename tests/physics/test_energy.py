"""Power is the rate of energy."""

import numpy as np
from hypothesis import given

from evaluate import Numbers, close
from phalanx import equations as eq
from strategies import moving


@given(moving())
def test_power_of_the_joint_forces_is_the_rate_of_energy(machine):
    mechanism, x = machine
    n = Numbers(mechanism)
    a = x.a
    h = 1e-4

    def energy_at(t: float) -> float:
        return n(eq.energy, n.move(x.q, t * x.v), x.v + t * a)

    # energy is a function of (q, v): its rate needs the flow to first order only
    rate = (8 * (energy_at(h) - energy_at(-h)) - (energy_at(2 * h) - energy_at(-2 * h))) / (12 * h)
    power = x.v @ n.inverse(x.q, x.v, a)
    # energies of some 1e2 J, differences at 1e-4: 1e-10; powers sum terms that may cancel
    scale = np.abs(x.v * n.inverse(x.q, x.v, a)).max()
    close(rate, power, 1e-8 * (1 + scale))


@given(moving())
def test_energy_is_kinetic_plus_potential(machine):
    mechanism, x = machine
    n = Numbers(mechanism)
    parts = n(eq.kinetic_energy, x.q, x.v) + n(eq.potential_energy, x.q)
    close(n(eq.energy, x.q, x.v), parts, 1e-14)


@given(moving())
def test_potential_energy_is_weight_times_height_of_the_centre_of_mass(machine):
    mechanism, x = machine
    n = Numbers(mechanism)
    mass = sum(b.mass for b in mechanism.bodies if n.model.place(b.name).node >= 0)
    close(
        n(eq.potential_energy, x.q),
        -mass * mechanism.gravity @ n(eq.center_of_mass, x.q),
        1e-13,  # the same sum in another order
    )
