"""The tests that need least time, with the lowest or the newest versions that are allowed.

    python tests/versions.py lowest
    python tests/versions.py newest --python python3.13

Builds a wheel, as a package index would offer it, makes a virtual environment in a temporary
folder, installs the wheel there with the extras that people use, and runs the smoke tests. Peers
and tools of the tests are left out: the package does not need them. ``make lowest`` and
``make newest`` call it.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
EXTRAS = ("mjcf", "view", "parquet", "exact", "mpi", "gym", "trajectory", "cluster")
TOOLS = ("hypothesis", "pytest", "pytest-xdist")
SMOKE = (
    "tests/surface",
    "tests/dynamics/test_dynamics.py",
    "tests/equations/loops/assembly/test_assemble.py",
    "tests/kernel/test_kernel.py",
    "tests/kernel/call/test_direct_call.py",
    "tests/kernel/llvm/test_cache.py",
    "tests/mechanism/read",
    "tests/agree/test_mujoco.py",
    "tests/simulation/run/test_simulate.py",
    "tests/simulation/batch/test_rollout.py",
    "tests/simulation/test_recording.py",
    "tests/simulation/test_recording_mcap.py",
    "tests/multiprocessor/policies/test_exact.py",
    "tests/distribute/programs/platforms/test_launch.py",
    "tests/view/viewer/test_viewer.py",
    "tests/view/web/test_guarded_server.py",
    "tests/view/plots/test_plots.py",
    "tests/view/cockpit/test_cockpit.py",
    "tests/cli/test_app.py",
    "tests/cli/test_info.py",
    "tests/cli/test_evaluate.py",
    "tests/cli/test_export.py",
)


def requirements() -> list[str]:
    """What the package needs, with its extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lists = [project["dependencies"], *(project["optional-dependencies"][x] for x in EXTRAS)]
    return sorted({line for group in lists for line in group})


def lowest(requirement: str) -> str:
    """A requirement as the lowest version that it allows."""
    found = re.fullmatch(r"([\w.-]+)>=([\w.]+)(?:,<[\w.]+)?", requirement)
    if found is None:
        raise SystemExit(f"'{requirement}' in pyproject.toml names no lowest version.")
    # 1.2.* and not 1.2.0, which may never have been released
    return f"{found[1]}=={found[2]}.*" if found[2].count(".") < 2 else f"{found[1]}=={found[2]}"


def built_wheel(python: Path, folder: Path) -> Path:
    """The package as a wheel."""
    make = [python, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, ROOT]
    subprocess.run(make, check=True)
    (wheel,) = folder.glob("phalanx-*.whl")
    return wheel


def first_result(python: Path, folder: Path) -> None:
    """What the site's first page promises, in a folder that knows nothing of the repository."""
    command = ["simulate", "puma-pd", "--animation", "puma.gif", "--report", "out"]
    subprocess.run([python.parent / "phalanx", *command], cwd=folder, check=True)
    for name in ("puma.gif", "out/report.html"):
        assert (folder / name).stat().st_size > 10_000, name


def main() -> None:
    """Install and test."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("which", choices=("lowest", "newest"))
    parser.add_argument("--python", default=sys.executable, help="the interpreter to test with")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="phalanx-versions-") as made:
        folder = Path(made)
        subprocess.run([arguments.python, "-m", "venv", folder / "venv"], check=True)
        python = folder / "venv" / "bin" / "python"
        pip = [python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
        subprocess.run([*pip, "--upgrade", "pip"], check=True)
        bounds = [] if arguments.which == "newest" else [lowest(line) for line in requirements()]
        wheel = built_wheel(python, folder)
        package = f"phalanx[{','.join(EXTRAS)}] @ {wheel.as_uri()}"
        subprocess.run([*pip, *TOOLS, package, *bounds], check=True)
        first_result(python, folder)
        subprocess.run([python, "-m", "pip", "list"], check=True)
        # old packages use what newer ones will no longer have
        words = ["-W", "ignore::DeprecationWarning"] if bounds else []
        ended = subprocess.run([python, "-m", "pytest", "-q", *words, *SMOKE], cwd=ROOT)
    raise SystemExit(ended.returncode)


if __name__ == "__main__":
    main()
