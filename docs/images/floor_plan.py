"""Draws ``floor_plan.png`` of ``docs/architecture.md``: two calls and the folders they pass."""

from pathlib import Path

import matplotlib.pyplot as plt
from matplotlib.patches import FancyBboxPatch

HERE = Path(__file__).parent
WIDTH, HEIGHT = 1.7, 0.72

# folder: (column, row, what it does)
FOLDERS = {
    "mechanism": (0, 1, "what the\nmachine is"),
    "equations": (1.25, 2, "what is\ntrue of it"),
    "actuators": (1.25, 0, "friction, drives,\nhydraulics"),
    "kernel": (2.5, 1, "compiles any\nexpression"),
    "dynamics": (3.75, 2, "answers about\none instant"),
    "simulation": (3.75, 0, "integrates\nover time"),
    "planning": (5, 2, "postures, paths,\ntrajectories"),
    "view": (5, 0, "pictures, pages,\nreports"),
    "multiprocessor": (2.5, 3, "tasks, schedules,\nmany processors"),
    "hardware": (3.75, 3, "arrays, mesh,\nchip on paper"),
    "distribute": (5, 1, "processes,\nranks, sweeps"),
}
BOTH, CALL, RUN, OTHER = "0.15", "tab:blue", "tab:orange", "0.65"
ARROWS = (
    ("mechanism", "equations", BOTH),
    ("equations", "kernel", BOTH),
    ("actuators", "kernel", RUN),
    ("kernel", "dynamics", CALL),
    ("kernel", "simulation", RUN),
    ("simulation", "view", RUN),
    ("dynamics", "planning", OTHER),
    ("simulation", "distribute", OTHER),
    ("equations", "multiprocessor", OTHER),
    ("multiprocessor", "hardware", OTHER),
)
LEGEND = {
    BOTH: "both calls: the machine, its equations, their machine code",
    CALL: "tau = d.inverse_dynamics(q, v, a)",
    RUN: "run = px.simulate(arm), with all that acts on it",
    OTHER: "other uses of the same equations",
}


def width(colour: str) -> float:
    """Of a line."""
    return 1.2 if colour == OTHER else 2.4


def centre(name: str) -> tuple[float, float]:
    """Of a folder's box."""
    column, row, _ = FOLDERS[name]
    return 1.75 * column, 1.25 * row


def edge(name: str, towards: str) -> tuple[float, float]:
    """Where the line to another box leaves a box."""
    (x, y), (u, w) = centre(name), centre(towards)
    dx, dy = u - x, w - y
    scale = min(
        (WIDTH / 2 + 0.06) / abs(dx) if dx else 9.0, (HEIGHT / 2 + 0.06) / abs(dy) if dy else 9.0
    )
    return x + scale * dx, y + scale * dy


figure, axis = plt.subplots(figsize=(9.5, 4.9), layout="constrained")
for name, (_, _, task) in FOLDERS.items():
    x, y = centre(name)
    axis.add_patch(
        FancyBboxPatch(
            (x - WIDTH / 2, y - HEIGHT / 2),
            WIDTH,
            HEIGHT,
            boxstyle="round,pad=0.02,rounding_size=0.08",
            facecolor="0.96",
            edgecolor="0.45",
        )
    )
    axis.text(x, y + 0.2, f"{name}/", ha="center", va="center", fontsize=10, weight="bold")
    axis.text(x, y - 0.12, task, ha="center", va="center", fontsize=8, linespacing=1.05)
for begin, end, colour in ARROWS:
    axis.annotate(
        "",
        edge(end, begin),
        edge(begin, end),
        arrowprops={"arrowstyle": "-|>", "color": colour, "linewidth": width(colour)},
    )
for colour, text in LEGEND.items():
    axis.plot([], [], color=colour, linewidth=width(colour), label=text)
axis.legend(loc="upper left", bbox_to_anchor=(0, 1.04), frameon=False, fontsize=9, handlelength=1.6)
axis.set_xlim(-1.1, 9.9)
axis.set_ylim(-0.5, 4.9)
axis.set_aspect("equal")
axis.axis("off")
figure.savefig(HERE / "floor_plan.png", dpi=110)
