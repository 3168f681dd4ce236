"""Machines of the library with loops, at consistent states in motion."""

from functools import lru_cache

import numpy as np

import phalanx as px
from evaluate import Numbers
from phalanx.equations.loops.assembly.assemble import assemble

NAMES = (
    "four_bar",
    "slider_crank",
    "five_bar",
    "bucket_linkage",
    "planar_3rrr",
    "delta",
    "stewart",
)


@lru_cache(maxsize=16)
def numbers(name):
    return Numbers(px.library.by_name(name))


@lru_cache(maxsize=64)
def moving(name, seed=0):
    """Positions, velocities and joint forces; some freedom everywhere."""
    n = numbers(name)
    rng = np.random.default_rng(seed)
    start = assemble(n.mechanism).q
    guess = n.move(start, 0.08 * rng.standard_normal(n.mechanism.nv))
    x = assemble(n.mechanism, guess, rng.standard_normal(n.mechanism.nv))
    return x.q, x.v, 10 * rng.standard_normal(n.mechanism.nv)
