"""Messages to the trajectory page: description, curves, playback position.

Curves are binary: the length of a head [4 bytes], the head as JSON filled up with spaces to a
multiple of 4, then numbers of 4 bytes: the times, and of each of positions, velocities,
accelerations and torques one row for each joint.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phalanx.planning.paths.machine import is_angle
from phalanx.planning.trajectory.peaks import joint_peaks
from phalanx.planning.trajectory.table import TrajectoryTable
from phalanx.planning.trajectory.violations import LimitViolation
from phalanx.view.trajectory.editor import Editor

POINTS = 500  # of a curve, about as many as a plot has pixels
MOST_VIOLATIONS = 60


def hello(editor: Editor, view_port: int, locked: bool, optimal: bool) -> str:
    """First report to a page: description of machine and page.

    Args:
        editor: What is edited.
        view_port: Where the 3-D view is served.
        locked: Whether changes need a token.
        optimal: Whether the time-optimal timing can be computed here.
    """
    limits = editor.limits
    return _json(
        type="hello",
        machine=editor.mechanism.name,
        joints=limits.joints,
        angles=is_angle(editor.mechanism),
        step=editor.step,
        torque=[_pair(pair) for pair in limits.torque],
        position=[_pair(pair) for pair in limits.position],
        velocity=[_number(value) for value in limits.velocity],
        torque_rate=[_number(value) for value in limits.torque_rate],
        view_port=view_port,
        locked=locked,
        optimal=optimal,
    )


def sheet(editor: Editor, serial: int) -> bytes:
    """All curves of the trajectory as it stands.

    Args:
        editor: What is edited.
        serial: Of the last move that it answers.
    """
    table, violations = editor.table, editor.table.violations
    times, positions = editor.draft.passed.points
    head = _json(
        type="sheet",
        serial=serial,
        joints=len(editor.limits.joints),
        duration=table.rows.duration,
        rows=len(table),
        optimal=editor.draft.timing is not None,
        times=times.tolist(),
        waypoints=positions.tolist(),
        violations=[_violation(editor, one) for one in violations[:MOST_VIOLATIONS]],
        further=max(0, len(violations) - MOST_VIOLATIONS),
        undo=editor.can_undo,
        redo=editor.can_redo,
    ).encode()
    head += b" " * (-len(head) % 4)
    shown = _shown_rows(table, violations)
    curves = [table.times[shown]]
    curves += [part[shown].T for part in (table.q, table.v, table.a, table.torque)]
    numbers = np.concatenate([curve.ravel() for curve in curves]).astype("<f4")
    return len(head).to_bytes(4, "little") + head + numbers.tobytes()


def place(time: float, playing: bool) -> str:
    """Which moment the 3-D view shows."""
    return _json(type="place", time=round(time, 6), playing=playing)


def saved(text: str, name: str) -> str:
    """A file for the person."""
    return _json(type="saved", text=text, name=name)


def _shown_rows(table: TrajectoryTable, violations: tuple[LimitViolation, ...]) -> NDArray[np.intp]:
    """Rows of the curves: evenly spaced, and those where a joint has its peak or is beyond."""
    even = np.linspace(0, len(table) - 1, min(POINTS, len(table))).round()
    peaks = [round((peak.time - table.times[0]) / table.step) for peak in joint_peaks(table)]
    edges = [row for one in violations for row in (one.first, one.row, one.last)]
    return np.unique(np.concatenate([even, peaks, edges])).astype(np.intp)


def _violation(editor: Editor, one: LimitViolation) -> dict[str, Any]:
    table = editor.table
    return {
        "joint": editor.limits.joints.index(one.joint),
        "quantity": one.quantity,
        "from": float(table.times[one.first]),
        "to": float(table.times[one.last]),
        "time": one.time,
        "value": one.value,
        "limit": one.limit,
    }


def _pair(values: Any) -> list[float | None]:
    return [_number(value) for value in values]


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _json(**facts: Any) -> str:
    return json.dumps(facts, separators=(",", ":"), allow_nan=False)
