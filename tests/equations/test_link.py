"""Mass properties about the centre of mass, from moments about a joint and back."""

import casadi as ca
import numpy as np
import pytest

from phalanx.base.errors import InvalidModel
from phalanx.equations.spatial import MassMoments, constant, symmetric
from phalanx.equations.spatial.link import Link


def moments(mass: float, com, inertia) -> MassMoments:
    return MassMoments.of(ca.SX(mass), constant(com), constant(inertia))


def numbers(x: ca.SX) -> list[float]:
    return np.array(ca.DM(x)).ravel().tolist()


@pytest.mark.parametrize(
    ("mass", "com", "inertia"),
    [
        (17.4, (-0.068, 0.006, -0.016), (0.1351, 0.6089, 5.3301)),
        (0.82, (0, 0, -0.019), (0.0021, 0.0021, 0.2013)),
        (0.09, (0, 0, 0.032), (0.00015, 0.00015, 0.00004)),
        (4.25, (0, 0, -0.6447), (2.51, 2.51, 0.0)),
        (0.0, (0, 0, 0), (0, 0, 1.49)),
    ],
)
def test_given_numbers_come_back_as_they_were_given(mass, com, inertia):
    """To the last digit, so that generated code shows the numbers of the data sheet."""
    link = Link.of(moments(mass, com, np.diag(inertia)))
    assert numbers(link.s) == list(com)
    assert numbers(ca.diag(link.I)) == list(inertia)
    assert link.is_diagonal


def test_equal_moments_have_no_difference():
    link = Link.of(moments(4.25, (0.1, 0.2, -0.6447), np.diag((2.51, 2.51, 0.3))))
    xx, yy, zz = 2.51, 2.51, 0.3
    assert numbers(link.differences) == pytest.approx([zz - yy, xx - zz, 0.0], abs=1e-15)
    assert link.differences[2].is_zero()


def test_products_of_inertia_are_kept():
    I = np.array([[0.3, 0.01, -0.02], [0.01, 0.4, 0.03], [-0.02, 0.03, 0.5]])
    link = Link.of(moments(2.0, (0.1, -0.3, 0.2), I))
    assert not link.is_diagonal
    np.testing.assert_allclose(np.array(ca.DM(link.I)), I, rtol=0, atol=1e-15)


def test_symbols_stay():
    m, I = ca.SX.sym("m"), ca.SX.sym("I", 6)
    link = Link.of(MassMoments.of(m, constant((0.1, 0, 0)), symmetric(*(I[k] for k in range(6)))))
    f = ca.Function("f", [m, I], [link.s, link.I])
    s, inertia = f(3.0, [0.3, 0.01, -0.02, 0.4, 0.03, 0.5])
    np.testing.assert_allclose(s, [[0.1], [0], [0]], atol=1e-15)
    np.testing.assert_allclose(
        np.array(inertia)[np.triu_indices(3)], [0.3, 0.01, -0.02, 0.4, 0.03, 0.5]
    )


def test_a_moment_without_a_mass_has_no_centre():
    with pytest.raises(InvalidModel, match="before regrouping"):
        Link.of(MassMoments(ca.SX(0), constant((0.1, 0, 0)), ca.SX.zeros(3, 3)))
