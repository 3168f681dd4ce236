"""What a notebook shows: run by a real kernel, with what it sends to the page looked at."""

import base64
import io
import re

import numpy as np
import pytest

import phalanx as px
from phalanx.base import notebook
from phalanx.simulation.record.signal import Signal

CELLS = {
    "machine": 'import numpy as np, phalanx as px\npuma = px.load("puma560")\npuma',
    "run": "px.simulate(puma, np.full(6, 0.3), duration=0.02)",
    "plot": 'px.simulate(puma, np.full(6, 0.3), duration=0.02).plot("q")',
    "runs": "px.rollout(puma, np.zeros((20, 6)), np.zeros(6), steps=5)",
    "viewer": "viewer = px.Viewer(puma, port=0)\nviewer",
    "closed": "viewer.close()\nviewer",
    "joint": "puma.joints[0]",
}


@pytest.fixture(scope="module")
def outputs():
    """What each cell sends to the page: kind of content to content."""
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    pytest.importorskip("viser")
    book = nbformat.v4.new_notebook()
    book.cells = [nbformat.v4.new_code_cell(code) for code in CELLS.values()]
    nbclient.NotebookClient(book, timeout=None, kernel_name="python3").execute()
    shown = {}
    for name, cell in zip(CELLS, book.cells, strict=True):
        # nothing but the last line's value: no greetings of servers
        (result,) = cell.outputs
        assert result["output_type"] == "execute_result", result
        shown[name] = result["data"]
    return shown


def pictures(html):
    """Sizes of all pictures in a page, and how many colours each has."""
    image = pytest.importorskip("PIL.Image")
    found = []
    for code in re.findall(r'src="data:image/png;base64,([^"]+)"', html):
        pixels = np.asarray(image.open(io.BytesIO(base64.b64decode(code))).convert("RGB"))
        found.append((pixels.shape[:2], len(np.unique(pixels.reshape(-1, 3), axis=0))))
    return found


def test_a_machine_is_its_tree_and_its_picture(outputs):
    html = outputs["machine"]["text/html"]
    for body in px.library.puma560().bodies:
        assert body.name in html
    ((_, colours),) = pictures(html)
    assert colours > 50
    assert outputs["machine"]["text/plain"].startswith("<Mechanism 'puma560'")


@pytest.mark.parametrize("cell", ["run", "runs"])
def test_runs_are_their_plots(outputs, cell):
    ((_, colours),) = pictures(outputs[cell]["text/html"])
    assert colours > 50


def test_the_viewer_is_a_frame_until_it_is_closed(outputs):
    assert re.search(r'<iframe src="http://127\.0\.0\.1:\d+"', outputs["viewer"]["text/html"])
    assert "text/html" not in outputs["closed"]
    assert outputs["closed"]["text/plain"] == "<Viewer of 'puma560' closed>"


def test_parts_are_one_line(outputs):
    assert "text/html" not in outputs["joint"]
    assert outputs["joint"]["text/plain"].count("\n") == 0


@pytest.mark.parametrize("name", ["cat215b", "four_bar"])
def test_machines_of_all_looks_can_be_shown(name):
    html = px.load(name)._repr_html_()
    assert html is not None and len(pictures(html)) == 1


def test_a_long_machine_does_not_fill_the_page():
    html = px.load("chain:20000")._repr_html_()
    assert len(html) < 20_000 and "px.Viewer" in html


def test_a_name_is_text_and_no_html():
    machine = px.mechanism.Mechanism("<b>bold</b>", [px.Body("<script>")])
    html = machine._repr_html_()
    assert "<b>" not in html and "<script>" not in html and "&lt;script&gt;" in html


def test_a_picture_that_fails_leaves_the_tree(monkeypatch):
    from phalanx.view import notebook as pages

    def fail(mechanism):
        raise RuntimeError("no fonts")

    monkeypatch.setattr(pages, "draw", fail)
    html = px.load("puma560")._repr_html_()
    assert "link_3" in html and "not drawn: no fonts" in html


def test_without_who_draws_there_is_text(monkeypatch):
    monkeypatch.setitem(notebook._drawn_by, "Mechanism", "phalanx.nobody:draws")
    assert px.load("puma560")._repr_html_() is None
    monkeypatch.delitem(notebook._drawn_by, "Mechanism")
    assert px.load("puma560")._repr_html_() is None


def test_what_is_empty_is_text():
    assert px.Recording([], [Signal("q", "rad", (), [])])._repr_html_() is None
    end = px.rollout(px.library.chain(1), np.zeros(1), np.zeros(1), steps=2, record=())
    assert end._repr_html_() is None


def test_a_plot_is_a_picture_without_pyplot(outputs):
    ((_, colours),) = pictures(f'src="data:image/png;base64,{outputs["plot"]["image/png"]}"')
    assert colours > 50
