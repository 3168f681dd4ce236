import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from phalanx.base.errors import InvalidModel
from phalanx.mechanism import Body, Prism

points = hnp.arrays(float, (6, 3), elements=st.floats(-2, 2, width=16))
masses = hnp.arrays(float, 6, elements=st.floats(0.125, 4, width=16))


def rigid(masses: np.ndarray, points: np.ndarray) -> Body:
    com = masses @ points / masses.sum()
    d = points - com
    I = sum(m * (p @ p * np.eye(3) - np.outer(p, p)) for m, p in zip(masses, d, strict=True))
    return Body("cloud", masses.sum(), com, I)


@given(masses, points)
def test_every_cloud_of_points_is_a_body(masses, points):
    assert rigid(masses, points).mass > 0


@pytest.mark.parametrize(
    ("reason", "mass", "inertia"),
    [
        ("negative mass", -1.0, np.eye(3)),
        ("NaN", np.nan, np.eye(3)),
        ("NaN", 1.0, np.full((3, 3), np.nan)),
        ("shape", 1.0, np.ones(3)),
        ("numbers", "heavy", np.eye(3)),
        ("not symmetric", 1.0, np.array([[1, 0.5, 0], [0, 1, 0], [0, 0, 1]])),
        ("negative principal moment", 1.0, np.diag([1.0, 1.0, -0.1])),
        ("triangle inequality", 1.0, np.diag([1.0, 1.0, 2.5])),
        ("inertia but no mass", 0.0, np.eye(3)),
    ],
)
def test_numbers_no_body_has_are_refused_with_the_reason(reason, mass, inertia):
    with pytest.raises(InvalidModel, match=reason) as caught:
        Body("arm", mass, inertia=inertia)
    assert "'arm'" in str(caught.value)


def test_rounded_tables_pass():
    # a flat plate: the largest moment is the sum of the others, up to the last printed digit
    Body("plate", 1.0, inertia=np.diag([0.0333, 0.0333, 0.06663]))


def test_zero_that_was_rounded_is_no_inertia():
    Body("head", 1.0, inertia=np.array([[0, 0, 2e-35], [0, 0, 0], [2e-35, 0, 0]]))


def test_point_mass_needs_no_inertia():
    assert not Body("bob", 1.0).inertia.any()


def test_published_numbers_can_be_kept_as_printed():
    body = Body("lumped", 1.0, inertia=np.diag([0.1, 0.6, 5.3]), physical=False)
    assert body.inertia[2, 2] == 5.3
    with pytest.raises(InvalidModel, match="negative mass"):
        Body("lumped", -1.0, physical=False)


def test_a_body_is_frozen():
    body = Body("arm", 1.0)
    with pytest.raises(AttributeError):
        body.mass = 2.0
    with pytest.raises(ValueError, match="read-only"):
        body.com[0] = 1.0


@pytest.mark.parametrize(
    "outline",
    [
        ((0, 0), (1, 0)),
        ((0, 0), (0, 1), (1, 0)),  # clockwise
        ((0, 0), (2, 0), (1, 0.2), (0, 2)),  # a dent
        ((0, 0), (1, 0), (2, 0), (0, 2)),  # a straight corner
        tuple((np.cos(t), np.sin(t)) for t in np.arange(5) * 4 * np.pi / 5),  # a star
        ((0, 0), (1, 0), (0, np.nan)),
    ],
)
def test_outlines_of_prisms_are_convex(outline):
    with pytest.raises(InvalidModel, match="prism"):
        Prism(outline, 1.0)


def test_a_prism_has_a_width():
    with pytest.raises(InvalidModel, match="width"):
        Prism(((0, 0), (1, 0), (0, 1)), 0.0)


def test_equal_bodies_share_what_was_checked_and_nobody_can_write_to_it():
    one, other = (Body(name, 1.0, np.array([0.1, 0, 0]), np.eye(3)) for name in ("a", "b"))
    assert one.com is other.com and one.inertia is other.inertia
    for array in (one.com, one.inertia):
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.setflags(write=True)


def test_a_fault_that_was_found_before_names_the_body_that_has_it_now():
    for name in ("first", "{who}", "third"):
        with pytest.raises(InvalidModel, match="triangle inequality") as caught:
            Body(name, 1.0, inertia=np.diag([1.0, 1.0, 2.5]))
        assert f"body '{name}'" in str(caught.value)
    # the same moments of a body without mass are another fault, and none where they are not checked
    with pytest.raises(InvalidModel, match="inertia but no mass"):
        Body("bare", 0.0, inertia=np.diag([1.0, 1.0, 2.5]))
    Body("as printed", 1.0, inertia=np.diag([1.0, 1.0, 2.5]), physical=False)


@given(hnp.arrays(float, (3, 3), elements=st.floats(-2, 2, width=16)), hnp.arrays(float, 3))
def test_moments_on_the_diagonal_are_judged_as_those_of_a_turned_body(R, d):
    moments = np.abs(np.nan_to_num(d, posinf=1.0, neginf=1.0)) % 10
    Q, _ = np.linalg.qr(R + 3 * np.eye(3))
    turned = Q @ np.diag(moments) @ Q.T

    def fits(inertia):
        try:
            Body("b", 1.0, inertia=inertia)
        except InvalidModel:
            return False
        return True

    small, middle, large = np.sort(moments)
    if abs(small + middle - 0.999 * large) > 1e-9 * large:  # else rounding decides
        assert fits(np.diag(moments)) == fits(turned) == (small + middle >= 0.999 * large)
