"""Draws ``machines.png``, the README's picture (needs example-robot-data)."""

import warnings
from pathlib import Path

from matplotlib.figure import Figure

from phalanx.cli.models import find_model
from phalanx.view import draw

POSTURES = {
    "puma560": [0.4, -0.9, 0.5, 0.3, 0.6, 0.0],
    "cat215b": [0.4, 0.9, -1.7, -0.7],
    "robot:talos_full_v2": None,
}
TITLES = ("PUMA 560", "Caterpillar 215B", "Talos, skeleton of its URDF")

warnings.simplefilter("ignore")
figure = Figure(figsize=(12, 4.8))
for k, ((model, q), title) in enumerate(zip(POSTURES.items(), TITLES, strict=True)):
    axes = figure.add_axes((0.005 + 0.33 * k, 0.04, 0.31, 0.9), projection="3d")
    draw(find_model(model), q, axes)
    axes.set_title(title, fontsize=11)
    axes.tick_params(labelsize=7)
figure.savefig(Path(__file__).with_suffix(".png"), dpi=100, facecolor="white")
