"""Aliases of types, as NumPy writes its own for interpreters that know ``type X = ...``."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from phalanx.base.arguments import annotations
from phalanx.base.arguments.annotations import check_of
from phalanx.base.arguments.kinds import Wrong

typing_extensions = pytest.importorskip("typing_extensions")
Numbers = typing_extensions.TypeAliasType("Numbers", NDArray[np.float64] | complex)


def test_an_alias_is_what_it_stands_for():
    check, words = check_of(typing_extensions.TypeAliasType("Name", str))
    assert words == "a text"
    with pytest.raises(Wrong):
        check(1.0)


def test_an_array_that_is_an_alias_is_no_wildcard(monkeypatch):
    monkeypatch.setattr(annotations, "ArrayLike", Numbers)
    check, _ = check_of(str | None)
    with pytest.raises(Wrong):
        check(1.0)
    assert check(None) is None
    either, words = check_of(Numbers | str)
    assert "an array of numbers" in words and "a text" in words
    assert either("x") == "x"
