"""Sweeps: thousands of cases from one description, and pictures that decide something.

How well does a controller hold up when masses are wrong? Where does an arm carry its own weight
with ease? Where should a cylinder be pinned? How exact is a platform whose legs are not? Studies
that come with the package answer; Sobol indices say which mass matters. Change ``ENGINE`` to
``px.sweeps.Dask("tcp://…")`` and a cluster does the same, to the last bit.

Leaves ``out/19_robustness.png``, ``out/19_sensitivity.png``, ``out/19_torque_map.png``,
``out/19_cylinder.png`` and ``out/19_tolerances.png``.
"""

import time
from pathlib import Path

import numpy as np

import phalanx as px
from phalanx.view.sweeps import plots

ENGINE = px.sweeps.InProcess()
OUT = Path("out")


def run(name):
    """A study of the package: its dataset."""
    study = px.sweeps.read_study(name)
    began = time.perf_counter()
    result = px.sweep(study.run, study.over, engine=ENGINE, **study.options)
    took = time.perf_counter() - began
    print(f"{name}: {len(study.over):,} cases in {took:.2f} s, {len(result.failures):,} failed")
    return result.to_xarray()


def save(figure, name):
    """Keep a picture."""
    OUT.mkdir(exist_ok=True)
    figure.savefig(OUT / name, dpi=130)
    print(f"picture in {OUT / name}")


def robustness():
    """Two controllers on the nominal model hold a posture; masses are up to 30 % off."""
    data = run("puma-robustness")
    figure = plots.quantiles(data, "q.joint_2", by="control")
    figure.axes[0].axhline(-0.6, color="0.4", linestyle=":")
    save(figure, "19_robustness.png")


def sensitivity():
    """Which of the masses moves the shoulder?"""
    study = px.sweeps.read_study("puma-robustness")
    law = study.run.laws["computed-torque"]
    rollout = px.sweeps.Rollout(px.Setup(study.run.machine, control=law), 1000, q0=study.run.q0)
    links = [f"link_{k}.mass.factor" for k in (2, 3, 4, 5)]
    spreads = {name: px.sweeps.Uniform(0.7, 1.3) for name in links}
    cases = px.sweeps.saltelli_cases(spreads, 256)
    result = px.sweep(rollout, cases, keep=["q_end"], engine=ENGINE)
    told = px.sweeps.sensitivity("where joint 2 ends", cases.names, result["q_end"][:, 1])
    print(", ".join(f"{name} {total:.0%}" for name, (_, total) in told.shares.items()))
    save(plots.bars(told.shares, told.of), "19_sensitivity.png")


def torque_map():
    """The torque that holds an arm, over the places that its tool can reach."""
    data = run("arm-torque-map")
    arm = px.library.puma560()
    q = np.zeros((data.sizes["case"], arm.nq))
    q[:, 1], q[:, 2] = data["q.joint_2"], data["q.joint_3"]
    tool = px.Dynamics(arm).forward_kinematics(q, frame="tool")[:, :3, 3]
    places = {"reach": tool[:, 0], "height": tool[:, 2]}
    metres = {name: ("case", values, {"units": "m"}) for name, values in places.items()}
    figure = plots.scatter(data.assign_coords(metres), "reach", "height", "tau.joint_2")
    figure.axes[0].set_aspect("equal")
    save(figure, "19_torque_map.png")


def cylinder():
    """The weakest pull of an excavator's stick, over where its cylinder is pinned."""
    data = run("excavator-cylinder")
    usual = data.isel(case=np.flatnonzero(data["bore"].values == 0.11))
    save(plots.heat_map(usual, "base_x", "base_y", "weakest_torque"), "19_cylinder.png")


def tolerances():
    """How far a platform is off whose legs are a little too long or too short."""
    data = run("stewart-tolerances")
    shift = np.sort(data["shift"].values) * 1e6
    print(f"95 % of all platforms are within {shift[int(0.95 * len(shift))]:.0f} µm")
    save(plots.scatter(data, "x", "y", "tilt"), "19_tolerances.png")


if __name__ == "__main__":
    robustness()
    sensitivity()
    torque_map()
    cylinder()
    tolerances()
