"""What the package promises by name."""

import subprocess
import sys

import pytest

import phalanx as px
from phalanx import equations, mechanism

# heavy or optional: only what uses them may load them
LAZY = (
    "mujoco",
    "pinocchio",
    "matplotlib",
    "viser",
    "scipy",
    "dask",
    "mpi4py",
    "zarr",
    "gymnasium",
)


@pytest.mark.parametrize("name", px.__all__)
def test_public_names_exist_and_are_documented(name):
    thing = getattr(px, name)
    assert (thing.__doc__ or "").strip(), f"phalanx.{name} has no docstring"


@pytest.mark.parametrize("module", [px, equations, mechanism, px.library], ids=lambda m: m.__name__)
def test_lists_of_names_are_sorted_and_true(module):
    assert len(set(module.__all__)) == len(module.__all__)
    missing = [name for name in module.__all__ if not hasattr(module, name)]
    assert missing == []


@pytest.mark.parametrize("name", [n for n in dir(px.Dynamics) if not n.startswith("_")])
def test_what_dynamics_offers_is_documented(name):
    assert (getattr(px.Dynamics, name).__doc__ or "").strip()


def test_importing_phalanx_loads_no_extra():
    code = f"import sys, phalanx; print([m for m in {LAZY!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
