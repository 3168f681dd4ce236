"""Read files made wrong, and find those that hang, crash, or end in a foreign exception.

    PYTHONPATH=src:tests python -m fuzz.fuzz --cases 100000 --seed 1
    PYTHONPATH=src:tests python -m fuzz.fuzz --kind urdf --seed 1 --first 4711 --cases 1 --keep out

Cases run in a process of their own: one that crashes or hangs in C code is noted and the next
process goes on behind it. A case is known by kind, seed and number; ``--keep`` writes the files of
those that were found.
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path
from random import Random
from types import FrameType

from phalanx.base.errors import PhalanxError

from .kinds import KINDS, quiet_read, seeds_of

LONGEST = 30  # [s] for a case; then it hangs
STUCK = 90  # [s]; then it hangs in code that Python cannot interrupt


class Hang(BaseException):
    """A case that takes too long; no reader catches it."""


def case(kind: str, seed: int, number: int) -> bytes:
    """The file of a case; number by number the seeds take turns."""
    rng = Random(f"{kind} {seed} {number}")
    seeds = seeds_of(KINDS[kind])
    return KINDS[kind].change(seeds[number % len(seeds)], seeds, rng)


def outcome(kind: str, content: bytes, folder: Path) -> str:
    """How reading a file ends: "read", "refused", or what is wrong."""
    path = folder / f"case{KINDS[kind].suffix}"
    path.write_bytes(content)
    before = signal.signal(signal.SIGALRM, _ring)
    signal.alarm(LONGEST)
    faulthandler.dump_traceback_later(STUCK, exit=True)
    try:
        quiet_read(KINDS[kind], path)
    except PhalanxError as error:
        return "refused" if str(error).strip() else "an error without a message"
    except Hang:
        return f"hangs: {_place()}"
    except AssertionError as error:
        return f"wrong: {error}"
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:200]} {_place()}"
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
        faulthandler.cancel_dump_traceback_later()
    return "read"


def _ring(number: int, frame: FrameType | None) -> None:
    raise Hang


def _place() -> str:
    """The last lines of ours and of others in the traceback."""
    frames = traceback.extract_tb(sys.exc_info()[2])
    own = [frame for frame in frames if "phalanx" in frame.filename]
    shown = {f"{Path(f.filename).name}:{f.lineno} {f.name}": None for f in (*own[-1:], frames[-1])}
    return f"({', '.join(shown)})"


def work(kind: str, seed: int, first: int, last: int) -> None:
    """Run cases and say how each ended, a line of JSON for each."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        for number in range(first, last):
            ended = outcome(kind, case(kind, seed, number), Path(folder))
            print(json.dumps([number, ended]), flush=True)


def run(kind: str, seed: int, first: int, last: int) -> tuple[Counter[str], dict[int, str]]:
    """Cases of a kind, in processes that may die: how often each end came, and the findings."""
    counts: Counter[str] = Counter()
    findings: dict[int, str] = {}
    following = first
    while following < last:
        words = ["--work", kind, str(seed), str(following), str(last)]
        command = [sys.executable, "-m", "fuzz.fuzz", *words]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            for line in process.stdout:
                number, ended = json.loads(line)
                following = number + 1
                if ended in ("read", "refused"):
                    counts[ended] += 1
                else:
                    counts["found"] += 1
                    findings[number] = ended
                    print(f"{kind} {seed} {number}: {ended}", flush=True)
        if following < last:
            findings[following] = f"its process ended with code {process.returncode}"
            print(f"{kind} {seed} {following}: {findings[following]}", flush=True)
            counts["found"] += 1
            following += 1
    return counts, findings


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--cases", type=int, default=1000, help="of each kind")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--kind", choices=list(KINDS), action="append", help="all when not given")
    parser.add_argument("--keep", type=Path, help="folder for the files of findings")
    parser.add_argument("--work", nargs=4, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work:
        kind, *numbers = given.work
        work(kind, *map(int, numbers))
        return
    found = 0
    for kind in given.kind or KINDS:
        begin = time.monotonic()
        counts, findings = run(kind, given.seed, given.first, given.first + given.cases)
        found += len(findings)
        seconds = time.monotonic() - begin
        print(f"{kind}: {dict(counts)} in {seconds:.0f} s", flush=True)
        for number in findings if given.keep else ():
            given.keep.mkdir(parents=True, exist_ok=True)
            file = given.keep / f"{kind}-{given.seed}-{number}{KINDS[kind].suffix}"
            file.write_bytes(case(kind, given.seed, number))
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
