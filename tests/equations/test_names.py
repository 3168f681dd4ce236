import casadi as ca
import pytest

from phalanx.base.errors import InvalidInput
from phalanx.equations.names import Names


def test_names_are_kept_in_order():
    x = ca.SX.sym("x", 3)
    names = Names()
    names.vector("AV", 3, x)
    names.scalar("C1", ca.cos(x[0]))
    assert list(names.values) == ["AV3X", "AV3Y", "AV3Z", "C1"]
    assert ca.is_equal(names.values["AV3Y"], x[1])


def test_a_name_is_given_once():
    names = Names()
    names.scalar("C1", ca.SX(1))
    with pytest.raises(InvalidInput, match="'C1' is already there"):
        names.scalar("C1", ca.SX(2))
