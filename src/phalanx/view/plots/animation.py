"""Animation of a run as a GIF or WebP file."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from phalanx.base.arguments import positive
from phalanx.base.errors import InvalidInput, WriteError
from phalanx.base.files import home_path
from phalanx.mechanism import Mechanism
from phalanx.mechanism.pose import Array
from phalanx.simulation.record.recording import Recording
from phalanx.simulation.run.progress import ProgressBar
from phalanx.view.plots.draw import frame_view, paint, painted
from phalanx.view.replay.recorded import seen_in

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

SUFFIXES = (".gif", ".webp")
MOST_PICTURES = 2000  # a picture takes a tenth of a second to draw, and more to look at


def animate(
    mechanism: Mechanism,
    run: Recording,
    path: str | os.PathLike[str],
    *,
    pictures_a_second: float = 15.0,
    speed: float = 1.0,
) -> Path:
    """Write a run as an animation, in the time in which it happened.

    Args:
        mechanism: The machine.
        run: What it did.
        path: A file that ends in ``.gif`` or ``.webp``.
        pictures_a_second: How often it is drawn; GIF files have at most 50.
        speed: Machine time over the time that the animation takes.

    Returns:
        The path.

    Raises:
        InvalidInput: When the suffix is another, or there are too many pictures.
    """
    target = home_path(path)
    if target.suffix.lower() not in SUFFIXES:
        raise InvalidInput(f"cannot animate into {target.name}; expected {', '.join(SUFFIXES)}.")
    positive("pictures_a_second", pictures_a_second)
    positive("speed", speed)
    mechanism, run = seen_in(mechanism, run)
    moments = _moments(run.time, pictures_a_second, speed)
    q = run.signal("q").table[np.searchsorted(run.time, moments).clip(0, len(run) - 1)]
    _write(target, _pictures(mechanism, q, moments), 1000.0 / pictures_a_second)
    return target


def _moments(time: Array, rate: float, speed: float) -> Array:
    """Times of the pictures [s]."""
    begin, end = float(time[0]), float(time[-1])
    count = int((end - begin) * rate / speed) + 1
    if count > MOST_PICTURES:
        raise InvalidInput(
            f"{count:,} pictures of a run of {end - begin:g} s; at most {MOST_PICTURES:,} are "
            f"drawn. Take fewer a second, or speed={2 * speed * count / MOST_PICTURES:.2g}."
        )
    return begin + np.arange(count, dtype=np.float64) * (speed / rate)


def _pictures(mechanism: Mechanism, q: Array, moments: Array) -> list[Picture]:
    """Each posture drawn in one frame of view, which takes in all of them."""
    from matplotlib.figure import Figure
    from PIL import Image

    postures = [painted(mechanism, row) for row in q]
    everything = [polygon for polygons, _ in postures for polygon in polygons]
    figure = Figure(figsize=(5.6, 5.6))
    axes = figure.add_subplot(projection="3d")
    figure.subplots_adjust(left=0.0, right=0.95, bottom=0.02, top=1.0)
    frame_view(axes, everything)
    clock = axes.text2D(0.02, 0.96, "", transform=axes.transAxes)
    pictures: list[Picture] = []
    with ProgressBar("drawing", float(len(moments))) as progress:
        for sides, moment in zip(postures, moments, strict=True):
            for old in list(axes.collections):
                old.remove()
            paint(axes, sides)
            clock.set_text(f"t = {moment:.2f} s")
            page = io.BytesIO()
            figure.savefig(page, dpi=90, facecolor="white")
            pictures.append(Image.open(page).convert("RGB"))
            progress.reach(len(pictures))
    return pictures


def _write(target: Path, pictures: list[Picture], milliseconds: float) -> None:
    first, *others = pictures
    try:
        first.save(
            target, save_all=True, append_images=others, duration=milliseconds, loop=0, quality=85
        )
    except OSError as error:
        raise WriteError(f"cannot write {target}: {error.strerror or error}.") from error
