from __future__ import annotations

import pytest

from phalanx.kernel import Target

from .samples import widths


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory, monkeypatch):
    """No test reads or writes the user's cache."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("PHALANX_CACHE_DIR", str(folder))
    return folder


@pytest.fixture(params=widths(), ids=lambda target: f"{target.vector_bytes}B")
def width(request) -> Target:
    return request.param
