"""Subprocess in which MuJoCo compiles MJCF, since its C code cannot be stopped otherwise.

A file of 98 bytes can keep the compiler busy for days, some make it crash, and it writes a log into
the folder it is run in. So it runs in a process of its own, with a limit on time and memory, in a
folder that is removed. The process is kept for the next model, since it takes half a second to
start, and ends by itself when it is not needed for a while.
"""

from __future__ import annotations

import atexit
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any, final

import numpy as np

from phalanx.base.cached import ForkSafeLock
from phalanx.base.errors import MissingExtra, ReadError
from phalanx.mechanism.read.formats import MOST_BODIES

LONGEST = 60.0  # [s]
MEMORY = 4 * 2**30  # [byte]
KEPT = 60.0  # [s] that the process waits for another model
PROGRAM = Path(__file__).with_name("mjcf_compiler.py")


@final
@dataclass(frozen=True)
class Compiled:
    """Model that MuJoCo compiled from a file.

    Attributes:
        model: Arrays of the compiled model by MuJoCo's names for them.
        warnings: What MuJoCo said about it.
    """

    model: Any
    warnings: tuple[str, ...]


def compile_mjcf(path: Path, missing: Sequence[str] = ()) -> Compiled:
    """The compiled model of a file.

    Args:
        path: The file.
        missing: Files that it names and that are not there: what only draws is left out.

    Raises:
        MissingExtra: When MuJoCo is not installed.
        ReadError: When MuJoCo cannot compile it, crashes, or needs too much time or memory, or
            when masses come from a mesh that is missing.
    """
    if find_spec("mujoco") is None:
        raise MissingExtra("reading MJCF", "mjcf")
    wanted = {
        "path": str(path.resolve()),
        "time_limit": LONGEST,
        "bodies": MOST_BODIES,
        "missing": list(missing),
    }
    facts, content = _compiler.ask(json.dumps(wanted).encode() + b"\n")
    if "weightless" in facts:
        raise ReadError(facts["weightless"])
    if "error" in facts:
        raise ReadError(f"MuJoCo says: {' '.join(facts['error'].split())}")
    with np.load(BytesIO(content), allow_pickle=False) as file:
        arrays: dict[str, Any] = {name: file[name] for name in file.files}
    for name in ("names", "paths"):
        arrays[name] = arrays[name].tobytes()
    return Compiled(
        SimpleNamespace(**arrays), tuple(" ".join(text.split()) for text in facts["warnings"])
    )


@final
class _Compiler:
    """The process, started when it is needed."""

    def __init__(self) -> None:
        self._lock = ForkSafeLock()
        self._process: subprocess.Popen[bytes] | None = None
        self._folder = ""
        self._owner = 0

    def ask(self, question: bytes) -> tuple[dict[str, Any], bytes]:
        """An answer; a process that has ended meanwhile is replaced."""
        with self._lock:
            if self._owner != os.getpid():
                self.end()
            if self._process is not None:
                answer = self._asked(question)
                if answer is not None:
                    return answer
                code = self._ended()
                if code != 0:
                    raise ReadError(_last_words(code))
            self._start()
            answer = self._asked(question)
            if answer is None:
                raise ReadError(_last_words(self._ended()))
            return answer

    def _asked(self, question: bytes) -> tuple[dict[str, Any], bytes] | None:
        """The answer; None when the process ends without one."""
        process = self._process
        assert process is not None and process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(question)
            process.stdin.flush()
            line = process.stdout.readline()
            if not line.endswith(b"\n"):
                return None
            facts = json.loads(line)
            content = process.stdout.read(facts.get("size", 0))
            return (facts, content) if len(content) == facts.get("size", 0) else None
        except BrokenPipeError:
            return None
        except BaseException:
            self.end()  # the next request must not get the answer to this one
            raise

    def _start(self) -> None:
        self._folder, self._owner = tempfile.mkdtemp(prefix="phalanx-"), os.getpid()
        threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
        self._process = subprocess.Popen(
            # -P: the folder of the program is no place to import from
            [sys.executable, "-P", str(PROGRAM), str(MEMORY), str(KEPT)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=self._folder,
            env=os.environ | threads | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            start_new_session=True,  # Ctrl-C is for the parent, which then ends this one
        )

    def _ended(self) -> int:
        """How the process ended: with zero when it had waited long enough for a question."""
        assert self._process is not None
        code = self._process.wait()
        self.end()
        return code

    def end(self) -> None:
        """Stop the process and remove its folder."""
        process, self._process = self._process, None
        if process is None:
            return
        if self._owner == os.getpid():  # after a fork, it is the parent's
            process.kill()
            process.wait()
            shutil.rmtree(self._folder, ignore_errors=True)
        for pipe in (process.stdin, process.stdout):
            assert pipe is not None
            try:
                pipe.close()
            except BrokenPipeError:
                pass


def _last_words(code: int) -> str:
    """Why the process ended."""
    if code == -getattr(signal, "SIGALRM", 0) and code:
        return f"MuJoCo took longer than {LONGEST:g} s to compile it."
    how = f"by {signal.Signals(-code).name}" if code < 0 else f"with code {code}"
    return f"MuJoCo's compiler broke on it: its process ended {how}."


_compiler = _Compiler()
atexit.register(_compiler.end)
