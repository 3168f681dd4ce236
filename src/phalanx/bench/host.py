"""Description of the computer that ran a benchmark."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import Any

from phalanx.base.version import __version__
from phalanx.kernel import host_target


def host() -> dict[str, Any]:
    """Describe the computer of a benchmark: processor, vectors, versions, load."""
    model = platform.processor() or platform.machine()
    information = Path("/proc/cpuinfo")
    if information.exists():
        lines = information.read_text().splitlines()
        named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
        model = named[0] if named else model
    return {
        "processor": model,
        "processors": os.cpu_count(),
        "vectors": host_target().name,
        "system": platform.system(),
        "python": platform.python_version(),
        "phalanx": __version__,
        "load": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
    }
