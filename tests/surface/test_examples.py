"""Every example runs, in a folder of its own, and leaves the picture it promises."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from waiting import LONG

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_example(example, tmp_path):
    done = subprocess.run(
        [sys.executable, str(example)],
        cwd=tmp_path,
        env=os.environ | {"MPLBACKEND": "agg"},
        capture_output=True,
        text=True,
        timeout=10 * LONG,
    )
    assert done.returncode == 0, done.stderr
    promised = re.findall(r"``(out/\S+\.png)``", example.read_text())
    assert promised, "an example says which picture it leaves"
    for picture in promised:
        assert (tmp_path / picture).stat().st_size > 5000
        assert picture in done.stdout
