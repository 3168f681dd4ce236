"""Curves on their way to the page."""

from __future__ import annotations

import json

import numpy as np
import pytest

import phalanx as px
from phalanx.planning import Limits, demo_waypoints
from phalanx.view.trajectory import reports
from phalanx.view.trajectory.editor import Editor

from .sheets import unpack

ARM = px.library.puma560()


@pytest.fixture(scope="module")
def editor():
    limits = Limits.of(ARM, torque=[50.0, 100, 89, 24, 20, np.inf])
    return Editor(ARM, demo_waypoints(ARM), 1e-3, limits)


def test_curves_are_rows_of_the_register(editor):
    head, times, *parts = unpack(reports.sheet(editor, 7))
    table = editor.table
    assert head["serial"] == 7 and head["rows"] == 3001 and head["duration"] == pytest.approx(3.0)
    rows = np.round(times / table.step).astype(int)
    assert 500 <= len(rows) < 600 and rows[0] == 0 and rows[-1] == 3000
    assert (np.diff(rows) > 0).all()
    for part, own in zip(parts, (table.q, table.v, table.a, table.torque), strict=True):
        np.testing.assert_allclose(part.T, own[rows], rtol=1e-6, atol=1e-6)


def test_peaks_are_among_the_points_that_are_drawn(editor):
    _, _, *parts = unpack(reports.sheet(editor, 0))
    np.testing.assert_allclose(
        np.abs(parts[3]).max(axis=1), np.abs(editor.table.torque).max(axis=0), rtol=1e-6
    )


def test_violations_are_where_the_register_sees_them(editor):
    head, *_ = unpack(reports.sheet(editor, 0))
    own = editor.table.violations
    assert len(head["violations"]) == len(own) > 0 and head["further"] == 0
    for told, one in zip(head["violations"], own, strict=True):
        assert editor.limits.joints[told["joint"]] == one.joint
        assert (told["value"], told["limit"], told["time"]) == (one.value, one.limit, one.time)
        assert told["from"] <= told["time"] <= told["to"]


def test_hello_says_what_limits_there_are(editor):
    told = json.loads(reports.hello(editor, 8081, locked=False, optimal=True))
    assert told["joints"] == [f"joint_{k}" for k in range(1, 7)]
    assert told["torque"][0] == [-50.0, 50.0] and told["torque"][5] == [None, None]
    assert told["velocity"] == [None] * 6 and told["angles"] == [True] * 6
