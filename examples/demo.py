"""What Phalanx does, in half a minute: compile an arm, check the numbers, measure, draw, dig.

Run by ``make demo``; needs nothing beyond the package. Leaves ``out/demo.png``, and what
``demo_excavator.py`` leaves.
"""

import time
from pathlib import Path

import casadi as ca
import numpy as np
from matplotlib.figure import Figure

import demo_excavator
import phalanx as px
from phalanx import equations
from phalanx.bench.clock import QUICK, take_turns
from phalanx.bench.peers import find_peers
from phalanx.view import draw, save

OUT = Path("out")
CHECKED = 10_000
BATCHES = (1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144)


def by_energy(arm: px.Mechanism) -> px.Kernel:
    """Inverse dynamics a second way: Lagrange's equations, from the energies alone."""
    q, v, a = (ca.SX.sym(name, arm.nv) for name in "qva")
    T = px.expression(equations.kinetic_energy, arm)(q, v)
    U = px.expression(equations.potential_energy, arm)(q)
    p = ca.gradient(T, v)
    tau = ca.jtimes(p, q, v) + ca.jtimes(p, v, a) - ca.gradient(T - U, q)
    return px.compile(ca.Function("lagrange", [q, v, a], [ca.cse(tau)], ["q", "v", "a"], ["tau"]))


def check(arm: px.Mechanism, dynamics: px.Dynamics) -> None:
    """Compare independent ways to the same number."""
    rng = np.random.default_rng(0)
    q = arm.random_positions(CHECKED, rng)
    v, a = rng.standard_normal((2, CHECKED, arm.nv))
    tau = dynamics.inverse_dynamics(q, v, a)
    through_mass = (dynamics.mass_matrix(q) @ a[..., None])[..., 0] + dynamics.bias(q, v)
    recursive = px.Dynamics(arm, forward=px.forward_dynamics.articulated_body)
    ways = {
        "Newton-Euler against mass matrix and bias [N·m]": tau - through_mass,
        "Newton-Euler against Lagrange's equations [N·m]": tau - by_energy(arm)(q, v, a),
        "forward dynamics of its torques [rad/s²]": dynamics.forward_dynamics(q, v, tau) - a,
        "the same by articulated bodies [rad/s²]": recursive.forward_dynamics(q, v, tau) - a,
    }
    print(
        f"\nlargest difference over {CHECKED:,} random states (torques up to {tau.max():.0f} N·m):"
    )
    for way, difference in ways.items():
        worst = np.abs(difference).max()
        print(f"  {way:<50} {worst:.1e}")
        assert worst < 1e-8


def measure(arm: px.Mechanism) -> dict[str, list[tuple[int, float]]]:
    """Evaluations per second by batch size, on one thread, on all, and by Pinocchio."""
    alone, shared = px.Dynamics(arm, threads=1), px.Dynamics(arm)
    peers, _ = find_peers(arm, "tool")
    rng = np.random.default_rng(1)
    curves: dict[str, list[tuple[int, float]]] = {}
    for batch in BATCHES:
        q, v, a = arm.random_positions(batch, rng), *rng.standard_normal((2, batch, arm.nv))
        out = np.zeros_like(v)
        ways = {"one thread": lambda: alone.inverse_dynamics(q, v, a, out=out)}  # noqa: B023
        threads = shared.kernel("inverse_dynamics").threads
        if threads > 1:
            ways[f"{threads} threads"] = lambda: shared.inverse_dynamics(q, v, a, out=out)  # noqa: B023
        for peer in peers:
            many = peer.many("inverse_dynamics", (q, v, a))
            if many is not None:
                ways[f"{peer.name} {peer.version}, one thread"] = many[1]
        for name, timing in take_turns(ways, QUICK).items():
            curves.setdefault(name, []).append((batch, 1e9 * batch / timing.best))
    return curves


def report(curves: dict[str, list[tuple[int, float]]]) -> None:
    """The curves in words."""
    print("\ninverse dynamics, million evaluations per second:")
    print(f"  {'batch':<30}" + "".join(f"{batch:>9,}" for batch, _ in curves["one thread"][::3]))
    for name, points in curves.items():
        print(f"  {name:<30}" + "".join(f"{rate / 1e6:>9.3g}" for _, rate in points[::3]))
    for name in curves:
        if name.startswith("Pinocchio"):
            ours, its = (max(rate for _, rate in curves[n]) for n in ("one thread", name))
            print(f"  one thread against one thread: {ours / its:.0f} times Pinocchio's batch call")


def picture(arm: px.Mechanism, curves: dict[str, list[tuple[int, float]]]) -> Path:
    """The arm beside its curves."""
    figure = Figure(figsize=(11, 5))
    draw(
        arm, [0.5, -0.9, 0.5, 0.3, 0.6, 0.0], figure.add_axes((0, 0.02, 0.4, 0.93), projection="3d")
    )
    axes = figure.add_axes((0.49, 0.12, 0.48, 0.78))
    colours = ("#d9731f", "#a84f0c", "#4c6f94")
    for (name, points), colour in zip(curves.items(), colours, strict=False):
        axes.loglog(*zip(*points, strict=True), "o-", color=colour, markersize=4, label=name)
    axes.set_xlabel("states in one call")
    axes.set_ylabel("evaluations per second")
    axes.set_title(f"inverse dynamics of the {arm.name}", loc="left", fontsize=11)
    axes.grid(color="0.9")
    axes.legend(frameon=False)
    OUT.mkdir(exist_ok=True)
    return save(figure, OUT / "demo.png")


def main() -> None:
    """Run all of it."""
    arm = px.library.puma560()
    print(arm)
    dynamics = px.Dynamics(arm)
    start = time.perf_counter()
    kernel = dynamics.kernel("inverse_dynamics")
    print(
        f"compiled in {time.perf_counter() - start:.2f} s (or fetched from the cache): "
        f"{kernel.operations}, {kernel.target.name} vectors, {kernel.threads} threads"
    )
    check(arm, dynamics)
    curves = measure(arm)
    report(curves)
    print(f"\npicture in {picture(arm, curves)}")
    demo_excavator.main()
    print(
        "\nnext:\n"
        "  .venv/bin/phalanx info puma560              its tree, joints and operation counts\n"
        "  .venv/bin/phalanx bench puma560             every quantity, beside other libraries\n"
        "  .venv/bin/phalanx evaluate puma560 inverse-dynamics --samples 1e6\n"
        "  .venv/bin/python examples/01_inverse_dynamics.py\n"
        "  README.md, and docs/ for how it works"
    )


if __name__ == "__main__":
    main()
