"""Closed machines by motions of their centres of mass, against multipliers and a closed form."""

import numpy as np
import pytest

import phalanx as px
from equations.loops.machines import NAMES, moving, numbers
from evaluate import Numbers, close
from phalanx.equations import loops


@pytest.mark.parametrize("name", NAMES)
def test_library(name):
    q, v, tau = moving(name)
    n = numbers(name)
    close(n(loops.orthogonal_complement, q, v, tau), n(loops.multipliers, q, v, tau), 1e-9, name)


def test_the_joint_that_determines_the_others_does_not_matter():
    q, v, tau = moving("four_bar")
    n = numbers("four_bar")
    wanted = n(loops.multipliers, q, v, tau)
    for joint in ("crank", "coupler", "rocker"):
        close(n(loops.orthogonal_complement, q, v, tau, independent=(joint,)), wanted, 1e-9, joint)


def test_a_tree_is_a_machine_without_loops():
    arm = px.library.puma600()
    n, rng = Numbers(arm), np.random.default_rng(3)
    q = arm.random_positions(seed=3)
    v, tau = rng.standard_normal((2, 6))
    close(n(loops.orthogonal_complement, q, v, tau), n.forward(q, v, tau), 1e-9)
