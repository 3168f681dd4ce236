"""Run a benchmark of a mechanism: every quantity, every way to call it, every peer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from phalanx.base.errors import InvalidInput
from phalanx.bench.clock import QUICK, THOROUGH
from phalanx.bench.contest import Contest
from phalanx.bench.host import host
from phalanx.bench.peers import Peer, find_peers
from phalanx.bench.report import Report
from phalanx.bench.startup import Startup, startup
from phalanx.dynamics import Dynamics
from phalanx.mechanism import Mechanism, release_mimics

QUICK_QUANTITIES = (
    "inverse_dynamics",
    "forward_dynamics",
    "mass_matrix",
    "inverse_dynamics_derivatives",
)
STARTUP_PROCESSES = 3


@dataclass(frozen=True)
class BenchProgress:
    """Progress: what is being measured, and how many steps of how many are done."""

    what: str
    done: int
    total: int


def bench(
    mechanism: Mechanism,
    *,
    model: str | None = None,
    floating_base: bool = False,
    frame: str | None = None,
    quantities: Sequence[str] | None = None,
    dtype: Literal["float64", "float32"] = "float64",
    threads: int | None = None,
    quick: bool = False,
    peers: bool = True,
    progress: Callable[[BenchProgress], None] = lambda step: None,
) -> Report:
    """Time every quantity of ``mechanism``.

    Mimic joints are set free where peers are compared, since they read them so.

    Args:
        mechanism: The machine.
        model: How the command line names it; with it, startup is measured in fresh processes.
        floating_base: Passed on to those processes.
        frame: For quantities of a frame; the last one by default.
        quantities: Which ones; all by default, the main ones when quick.
        dtype: Of the numbers.
        threads: For large batches; all processors by default.
        quick: Fewer quantities, fewer rounds.
        peers: Whether to measure other libraries too.
        progress: Called before every step.

    Raises:
        WrongNumber: When a peer's number differs.
        InvalidInput: When nothing moves.
    """
    if mechanism.nv == 0:
        raise InvalidInput(f"nothing of '{mechanism.name}' moves; a floating base would let it.")
    remarks: list[str] = []
    others: list[Peer] = []
    if peers and any(joint.mimic for joint in mechanism.joints):
        remarks.append("mimic joints move freely here, as the other libraries read them.")
        mechanism = release_mimics(mechanism)
    frame = frame or mechanism.bodies[-1].name
    if peers:
        others, notes = find_peers(mechanism, frame)
        remarks += notes
    alone = Dynamics(mechanism, threads=1, dtype=dtype)
    shared = Dynamics(mechanism, threads=threads, dtype=dtype)
    names = list(quantities or (QUICK_QUANTITIES if quick else alone.quantities))
    processes = 0 if model is None else (1 if quick else STARTUP_PROCESSES)
    effort = QUICK if quick else THOROUGH
    total = len(names) + 2 * processes

    rows = []
    for done, name in enumerate(names):
        progress(BenchProgress(name.replace("_", " "), done, total))
        of_frame = frame if alone.quantities[name].of_frame else None
        rows.append(Contest(alone, shared, name, of_frame, effort).row(others))
    started: Startup | None = None
    if model is not None:
        steps: Iterator[Startup | None] = startup(model, floating_base, processes)
        for done, result in enumerate(steps, start=len(names)):
            progress(BenchProgress("first call in a new process", min(done, total), total))
            started = result
    return Report(
        model=mechanism.name,
        nq=mechanism.nq,
        nv=mechanism.nv,
        machine=host(),
        threads=shared.kernel(
            names[0], frame if alone.quantities[names[0]].of_frame else None
        ).threads,
        dtype=dtype,
        peers={peer.name: peer.version for peer in others},
        remarks=remarks,
        rows=rows,
        startup=started,
    )
