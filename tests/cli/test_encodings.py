"""Standard output in encodings that do not have all characters."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp437"])
@pytest.mark.parametrize(
    "words",
    [["info", "puma560"], ["--help"], ["operations", "puma560"], ["info", "Großer Bagger 掘削機"]],
    ids=["info", "help", "operations", "error"],
)
def test_what_an_encoding_does_not_have_is_replaced(encoding, words):
    done = subprocess.run(
        [sys.executable, "-c", "from phalanx.cli import app; app()", *words],
        capture_output=True,
        timeout=100,
        env=os.environ | {"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"},
    )
    said = (done.stdout + done.stderr).decode(encoding)
    assert "Traceback" not in said
    assert done.returncode == (2 if "Großer" in words[-1] else 0)
    assert len(said) > 20
