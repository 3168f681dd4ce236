"""The documentation site: built without a warning and without the network, and complete."""

from __future__ import annotations

import inspect
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"

pytest.importorskip("sphinx")
pytest.importorskip("myst_parser")
pytest.importorskip("furo")
pytestmark = pytest.mark.xdist_group("site")  # built once


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    # a copy, since building writes the reference's pages among its sources
    source = shutil.copytree(DOCS, folder / "docs", ignore=shutil.ignore_patterns("reference"))
    for page in ROOT.glob("*.md"):
        shutil.copy(page, folder)
    shutil.copytree(ROOT / "examples", folder / "examples")  # pages link to them
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-d"]
    done = subprocess.run(
        [*command, str(folder / "cache"), str(source), str(folder / "html")],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return folder / "html"


class _Page(HTMLParser):
    """Links and what a browser loads of a page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.loads, self.anchors = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.anchors |= {given[key] for key in ("id", "name") if given.get(key)}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        elif tag in ("script", "img", "iframe", "source") and "src" in given:
            self.loads.append(given["src"])
        elif tag == "link" and given.get("rel") in ("stylesheet", "icon", "preload"):
            self.loads.append(given["href"])


def test_no_link_is_dead_and_nothing_comes_from_elsewhere(site):
    pages = {path: _Page(path.read_text()) for path in site.rglob("*.html")}
    assert len(pages) > 60
    dead, foreign = [], []
    for path, page in pages.items():
        foreign += [f"{path.name}: {load}" for load in page.loads if "//" in load]
        for link in [*page.links, *page.loads]:
            if re.match(r"[a-z]+:", link) or not link.strip("#"):
                continue
            target, _, anchor = link.partition("#")
            there = (path.parent / target.partition("?")[0]).resolve() if target else path
            if not there.exists() or (anchor and anchor not in pages[there].anchors):
                dead.append(f"{path.relative_to(site)}: {link}")
    assert not dead, dead[:10]
    assert not foreign, foreign[:10]
    for style in site.rglob("*.css"):
        assert not re.search(r"url\(['\"]?(https?:)?//", style.read_text()), style


def test_every_public_name_is_in_the_reference(site):
    sys.path.insert(0, str(DOCS / "_site"))
    try:
        from reference_pages import homes, public_packages, words_about
    finally:
        sys.path.pop(0)
    packages = public_packages()
    assert {"phalanx", "phalanx.multiprocessor", "phalanx.distribute.sweeps"} <= set(packages)
    text = {name: (site / "reference" / f"{name}.html").read_text() for name in packages}
    missing = []
    for (package, name), home in homes(packages).items():
        thing = getattr(import_module(package), name)
        if isinstance(thing, ModuleType):
            continue
        if f'id="{home}"' not in text[home.rpartition(".")[0]]:
            missing.append(home)
        own = inspect.isclass(thing) or inspect.isroutine(thing)
        documented = thing.__doc__ if own else words_about(*home.rsplit(".", 1))
        if not documented:
            missing.append(f"{home}: no words")
    assert not missing, missing


def test_every_page_is_in_the_contents(site):
    index = _Page((site / "index.html").read_text())
    listed = {link.partition("#")[0] for link in index.links}
    pages = {f"{path.stem}.html" for path in DOCS.glob("*.md")} - {"index.html"}
    assert pages <= listed, pages - listed
