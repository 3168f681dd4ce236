from __future__ import annotations

import base64
import re
from html.parser import HTMLParser

import numpy as np

from phalanx.simulation.record.recording import Recording
from phalanx.simulation.record.signal import Signal
from phalanx.view.plots import plots
from phalanx.view.reports.report import standard_figures, summary, write_report
from simulation.runs import noisy, pendulum

VOID = {"meta", "img"}


class Reader(HTMLParser):
    """Tags, and whether they close in order."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.text = [], [], []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def test_the_page_holds_everything(tmp_path):
    path = write_report(pendulum(), tmp_path / "new" / "folder")
    assert path.name == "report.html"
    assert [p.name for p in path.parent.iterdir()] == ["report.html"]
    page = Reader(path.read_text(encoding="utf-8"))
    text = " ".join(page.text)
    for words in ("pendulum", "final time", "2 s", "energy drift", "0.2 J", "12.5 × real time"):
        assert words in text
    images = [attrs["src"] for tag, attrs in page.tags if tag == "img"]
    assert len(images) == 4  # positions, velocities, joint forces, energy
    for source in images:
        assert source.startswith("data:image/svg+xml;base64,")
        assert b"</svg>" in base64.b64decode(source.partition(",")[2])


def test_nothing_comes_from_the_network(tmp_path):
    text = write_report(pendulum(), tmp_path).read_text(encoding="utf-8")
    assert not re.search(r"https?://|//cdn|@import|<script|<link", text)


def test_text_is_escaped(tmp_path):
    evil = "<script>alert(1)</script>\" onload='x'"
    t = np.arange(3.0)
    run = Recording(
        t, [Signal(evil, evil, (evil,), np.zeros((3, 1)))], {"model": evil, evil: [evil]}
    )
    figures = {evil: plots.trajectories(run, evil)}
    page = Reader(write_report(run, tmp_path, figures).read_text(encoding="utf-8"))
    assert {tag for tag, _ in page.tags}.isdisjoint({"script"})
    assert all("onload" not in attrs for _, attrs in page.tags)
    assert "".join(page.text).count("<script>alert(1)</script>") >= 4


def test_given_figures_take_the_place_of_the_usual(tmp_path):
    run = pendulum()
    path = write_report(run, tmp_path, {"phase": plots.phase(run, "hinge")})
    assert path.read_text(encoding="utf-8").count("<img") == 1


def test_numbers_of_the_summary():
    run = pendulum()
    found = summary(run)
    assert found["samples"] == "2001"
    assert found["largest velocity"] == "3 rad/s (v.hinge at 1.571 s)"
    assert found["largest joint force"] == "0.5 N·m (tau.hinge at 1.571 s)"


def test_empty_and_awkward_recordings(tmp_path):
    for run in (noisy(0), noisy(20), Recording([], []), Recording([0.0], [])):
        Reader(write_report(run, tmp_path).read_text(encoding="utf-8"))


def told(**settings):
    """A run of a free body with one hinge, all of whose forces are zero."""
    t = np.linspace(0, 1, 5)
    labels = ("base.x", "base.y", "hip", "knee")
    units = ("m", "m", "rad", "rad")
    q = Signal("q", "rad or m", labels, np.outer(t, np.arange(1, 5)), units)
    tau = Signal("tau", "N·m or N", labels, np.zeros((5, 4)), ("N", "N", "N·m", "N·m"))
    return Recording(t, [q, tau], settings)


def test_a_page_says_what_was_run_and_when(tmp_path):
    run = told(
        scenario="morning-walk",
        model="robot",
        machine="4 bodies, 80 kg",
        begun="2024-02-03T07:05:00+00:00",
        description="A robot walks.",
        control="PD control: tau = 3 (target - q)",
        step=0.001,
        integrator="RungeKutta4()",
        events=["trip at 0.5 s"],
    )
    text = write_report(run, tmp_path).read_text(encoding="utf-8")
    page = Reader(text)
    words = " ".join(page.text)
    assert "<title>morning-walk, 2024-02-03</title>" in text
    for said in (
        "Run on 3 February 2024, 07:05 UTC, 1 s in 5 samples",
        "A robot walks.",
        "robot: 4 bodies, 80 kg",
        "PD control: tau = 3 (target - q)",
        "0.001 s, by RungeKutta4()",
        "trip at 0.5 s",
    ):
        assert said in words
    targets = {attrs["id"] for _, attrs in page.tags if "id" in attrs}
    links = [attrs["href"] for tag, attrs in page.tags if tag == "a"]
    assert links and all(link.removeprefix("#") in targets for link in links)


def test_a_figure_a_unit_with_a_caption_that_says_so(tmp_path):
    figures = standard_figures(told())
    assert list(figures) == [
        "Positions along joints, q [m], over time: base.x, base.y.",
        "Angles of joints, q [rad], over time: hip, knee.",
    ]
    assert [axes.get_ylabel() for f in figures.values() for axes in f.axes] == ["q [m]", "q [rad]"]
    text = write_report(told(), tmp_path).read_text(encoding="utf-8")
    assert "[N] base.x, base.y (zero throughout)" in text


def test_many_joints_are_spread_over_panels():
    t = np.arange(3.0)
    labels = tuple(f"joint_{k}" for k in range(44))
    run = Recording(t, [Signal("q", "rad", labels, np.ones((3, 44)))])
    [(caption, figure)] = standard_figures(run).items()
    assert caption == "Angles of joints, q [rad], over time: joint_0 to joint_43, 44 lines."
    counts = [len(axes.lines) for axes in figure.axes]
    assert sum(counts) == 44 and max(counts) <= 10 and max(counts) - min(counts) <= 1


def test_a_date_that_is_none_is_shown_as_it_is(tmp_path):
    text = write_report(told(begun="<once>"), tmp_path).read_text(encoding="utf-8")
    assert "Run on &lt;once&gt;" in text
