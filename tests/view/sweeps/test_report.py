from __future__ import annotations

import re

import numpy as np

from phalanx.distribute.sweeps.columns import column
from phalanx.view.sweeps.report import SweepFacts, extremes, sweep_page

COMMAND = "phalanx sweep replay out.zarr --case {case}"


def test_the_page_has_best_worst_and_failed_cases_with_their_commands(data):
    known = SweepFacts(
        "springs", "", {"engine": "here"}, {7: "left finite <b>numbers</b>"}, COMMAND
    )
    text = sweep_page(data, known, figures={})
    cost = data["cost"].values
    order = [k for k in np.argsort(cost).tolist() if k != 7]
    cases = [int(k) for k in re.findall(r"sweep replay out.zarr --case (\d+)<", text)]
    assert cases == [*order[:5], *order[:-6:-1], 7]
    assert "left finite &lt;b&gt;numbers&lt;/b&gt;" in text


def test_the_page_stands_alone(data):
    text = sweep_page(data, SweepFacts("springs"))
    assert text.count("data:image/svg+xml;base64,") == 4
    assert not re.search(r'(src|href)="(?!data:|#)', text)
    assert "<script" not in text


def test_more_may_be_better(data):
    text = sweep_page(data, SweepFacts("x", replay=COMMAND, is_less_better=False), figures={})
    assert "Best has the greatest cost." in text
    best = int(np.nanargmax(data["cost"].values))
    assert re.search(r"--case (\d+)<", text)[1] == str(best)


def test_extremes_leave_failed_cases_out(data):
    least, greatest = extremes(column(data, "cost"), 60)
    assert least == greatest[::-1] and 7 not in least
