from __future__ import annotations

import numpy as np
import pytest

xarray = pytest.importorskip("xarray")


@pytest.fixture
def data():
    """Masses on springs: what they do is known in closed form; case 7 failed."""
    rng = np.random.default_rng(0)
    mass, damping = rng.uniform(0.8, 1.2, 60), rng.uniform(1, 9, 60)
    time = np.linspace(0, 1, 11)
    q = np.exp(-np.outer(damping / mass, time))
    q[7] = np.nan
    return xarray.Dataset(
        {
            "cost": ("case", (q**2).mean(axis=1), {"units": "m² s"}),
            "q": (("case", "time", "joint"), q[..., None], {"units": "m"}),
            "final_q": (("case", "joint"), q[:, -1:], {"units": "m"}),
        },
        coords={
            "case": np.arange(60),
            "time": time,
            "joint": ["slide"],
            "cart.mass": ("case", mass, {"units": "kg"}),
            "damping": ("case", damping, {"units": "N s/m"}),
        },
    )
