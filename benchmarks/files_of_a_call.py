"""How many files of Phalanx a call runs through until its first step: what there is to read.

    python benchmarks/files_of_a_call.py [--list]

Counts source files in which a function runs between ``px.simulate(...)`` of a double pendulum and
the first question to its controller: in a first call, which traces and compiles, and in a second
with an equal description. A first call counts more files where no object code is on the disk.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

import phalanx as px

ROOT = Path(px.__file__).parent


def files_of_a_call(arm: px.Mechanism) -> set[str]:
    """The files, relative to the package."""
    seen: set[str] = set()

    def notice(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            seen.add(frame.f_code.co_filename)

    def control(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        sys.setprofile(None)
        return np.zeros(arm.nv)

    sys.setprofile(notice)
    try:
        px.simulate(arm, duration=2e-3, control=control)
    finally:
        sys.setprofile(None)
    paths = (Path(name) for name in seen)
    return {str(path.relative_to(ROOT)) for path in paths if path.is_relative_to(ROOT)}


def main() -> None:
    """Count and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--list", action="store_true", help="name the files")
    options = parser.parse_args()
    arm = px.library.double_pendulum()
    px.simulate  # noqa: B018, modules are loaded before anything is counted
    for which in ("first", "second"):
        files = files_of_a_call(arm)
        rooms = {name: sum(f.startswith(name) for f in files) for name in ("equations", "kernel")}
        print(f"{which} call: {len(files)} files, {rooms} among them")
        if options.list:
            print("  " + "\n  ".join(sorted(files)))


if __name__ == "__main__":
    main()
