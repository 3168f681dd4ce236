"""Dhanaraj (1990), app. D.3: the four generated programs, evaluated.

Acceptance check 5 of the spec. ``listings/`` holds the statements as the scan gives them; what it
or the print has damaged or left out is put right below. The programs carry three errors of their
generator D.2, which ``studies.dhanaraj.as_listed`` makes on purpose:

- lambda of link 1 is set to diag(0, 0, q'² - q''), so the shoulder offset does not accelerate;
- lambda passes the prismatic joint as R lambda Rᵀ;
- q3 of the Stanford arm shifts link 4 instead of link 3.

Constants of the listings have seven digits, which is what torques agree to.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import phalanx as px
from assignments import Assignment, count, read_listing, run
from evaluate import Numbers
from phalanx.studies.dhanaraj import ALL_DEFECTS, Defect, as_listed

DIGITS = 1e-4  # N·m, N: seven digits of constants, forces up to 230 N


@dataclass(frozen=True)
class Listing:
    """One program: its arm, what the scan spoilt, and what it prints as its operations."""

    name: str
    arm: px.Mechanism
    printed: tuple[int, int]
    counted: tuple[int, int]
    spoilt: dict[str, str]
    missing: str  # statements the print leaves out, before the first that needs them

    @property
    def text(self) -> str:
        lines = (Path(__file__).parent / "listings" / f"{self.name}.txt").read_text().split()
        assert set(self.spoilt) <= set(lines)
        return "\n".join(self.spoilt.get(line, line) for line in lines)

    def torques(self, q, v, a) -> np.ndarray:
        known = {f"{letter}{i}": x for letter, xs in (("V", v), ("A", a), ("Q", q))
                 for i, x in enumerate(xs, start=1)}  # fmt: skip
        for i, angle in enumerate(q, start=1):
            known |= {f"C{i}": np.cos(angle), f"S{i}": np.sin(angle)}
        # an order in which every value is there when it is read
        waiting = read_listing(f"{self.text}\n{self.missing}")
        while waiting:
            ready = [s for s in waiting if _names(s.value) <= set(known)]
            assert ready, f"nothing defines what {waiting[0].target} reads"
            known = run(ready, known)
            waiting = [s for s in waiting if s not in ready]
        return np.array([known[f"T{i}"] for i in range(1, self.arm.nv + 1)])


def _names(expression) -> set[str]:
    return {node.id for node in ast.walk(expression) if isinstance(node, ast.Name)}


THIRD_LINK = "AV3X=AV2X\nAV3Y=AV2Z\nAV3Z=-AV2Y\nKX3=AV3Y*AV3Z\nKY3=AV3X*AV3Z"
LISTINGS = [
    Listing(
        "stanford_3",
        px.library.stanford_listing(3),
        printed=(48, 33),
        counted=(48, 33),
        spoilt={},
        missing=THIRD_LINK,
    ),
    Listing(
        "stanford_6",
        px.library.stanford_listing(6),
        printed=(183, 140),
        counted=(186, 141),
        spoilt={"RZ6=AV5Z*AV5Z": "RZ5=AV5Z*AV5Z"},
        missing=f"{THIRD_LINK}\nRSY4=-(RX4+AV4Z*AV4Z)",
    ),
    Listing(
        "puma_3",
        px.library.puma560_listing(3),
        printed=(80, 55),
        counted=(83, 55),
        spoilt={
            "JF3X=-0.336*RZM3+LA3X)": "JF3X=4.8*LA3X-0.336*RZM3",
            "JF3Y=-0.336*RSY3+LA3Y)": "JF3Y=4.8*LA3Y-0.336*RSY3",
            "JF3Z=-0.336*RXP3+LA3Z)": "JF3Z=4.8*LA3Z-0.336*RXP3",
            "LA3X=C3*LA3PX+S3*LA3FY": "LA3X=C3*LA3PX+S3*LA3PY",
        },
        missing="RSZ2=-(AV2X*AV2X+RY2)\nRXM2=KX2-AA2X\nRYP2=KY2+AA2Y",
    ),
    Listing(
        "puma_6",
        px.library.puma560_listing(6),
        printed=(208, 152),
        counted=(208, 152),
        spoilt={
            "JM3Y=0.0134*((AA3Y-65.18656*KY3)+1.514925*JFP4Z)-JM3Z": (
                "JM3Y=0.0134*((AA3Y-65.18656*KY3)+1.514925*JFP4Z)-JM4Z"
            )
        },
        missing="RZP2=KZ2+AA2Z",
    ),
]
by_name = pytest.mark.parametrize("listing", LISTINGS, ids=lambda listing: listing.name)


def with_defects(listing: Listing, defects: frozenset[Defect], q, v, a) -> np.ndarray:
    """Torques by table 2.4 on the thesis's own frames, with some of its errors."""
    return Numbers(listing.arm)(as_listed, q, v, a, defects=defects)


def states(listing: Listing):
    rng = np.random.default_rng(4)
    return [rng.uniform(-1, 1, (3, listing.arm.nv)) for _ in range(2)]


@by_name
def test_printed_programs_are_newton_euler_with_three_errors(listing):
    for x in states(listing):
        wanted = with_defects(listing, ALL_DEFECTS, *x)
        np.testing.assert_allclose(listing.torques(*x), wanted, rtol=0, atol=DIGITS)


@by_name
def test_without_the_errors_the_same_steps_are_newton_euler(listing):
    n = Numbers(listing.arm)
    for x in states(listing):
        right = with_defects(listing, frozenset(), *x)
        np.testing.assert_allclose(right, n.inverse(*x), rtol=0, atol=1e-10)


@pytest.mark.parametrize(
    ("name", "defect"),
    [
        *((listing.name, Defect.SHOULDER) for listing in LISTINGS),
        *(("stanford_3", Defect.SLIDE), ("stanford_6", Defect.SLIDE)),
        *(("stanford_3", Defect.OFFSET), ("stanford_6", Defect.OFFSET)),
    ],
)
def test_every_error_matters(name, defect):
    """A program without one of the three would not be the printed one."""
    (listing,) = (listing for listing in LISTINGS if listing.name == name)
    apart = [
        np.abs(with_defects(listing, ALL_DEFECTS - {defect}, *x) - listing.torques(*x)).max()
        for x in states(listing)
    ]
    assert max(apart) > 100 * DIGITS


@by_name
def test_operations_of_the_listings(listing):
    """Counted in the text. Two programs print another number:

    The Stanford program has 186 multiplications, three of which nothing reads, and an addition more
    than it says. The three-joint PUMA's printed count is that of three lines which lack a factor.
    """
    statements = read_listing(listing.text)
    assert count(statements) == listing.counted
    if listing.name == "stanford_6":
        assert count(read(statements, listing))[0] == 183 == listing.printed[0]
    elif listing.name == "puma_3":
        assert listing.counted == (listing.printed[0] + 3, listing.printed[1])
    else:
        assert listing.counted == listing.printed


def read(statements: list[Assignment], listing: Listing) -> list[Assignment]:
    """The statements that some torque depends on."""
    everything = statements + read_listing(listing.missing)
    needed, known = {f"T{i}" for i in range(1, 7)}, set[str]()
    while needed != known:
        known = set(needed)
        needed |= {name for s in everything if s.target in known for name in _names(s.value)}
    return [s for s in statements if s.target in needed]


@pytest.mark.parametrize(
    ("name", "state", "torques"),
    [
        (
            "puma_6",
            (
                (0.1, -0.2, 0.3, -0.4, 0.5, -0.6),
                (0.5, -0.4, 0.3, -0.2, 0.1, 0.6),
                (1.0, -1.0, 0.5, -0.5, 0.25, 2.0),
            ),
            (3.745839, -21.827273, -1.480732, 0.525912, -0.034620, 0.483626),
        ),
        (
            "stanford_6",
            (
                (0.1, -0.2, 0.5, 0.3, 0.4, -0.5),
                (0.3, -0.2, 0.1, 0.4, -0.3, 0.2),
                (0.5, 0.4, -0.3, 0.2, 0.1, -0.6),
            ),
            (0.798176, -2.322016, 60.225307, 0.056366, -0.192470, 0.003626),
        ),
    ],
)
def test_reference_torques_of_the_listings(name, state, torques):
    """Spec, sec. 5: what the programs give; the Stanford arm's second torque has the wrong sign."""
    (listing,) = (listing for listing in LISTINGS if listing.name == name)
    np.testing.assert_allclose(listing.torques(*state), torques, rtol=0, atol=DIGITS)


def test_the_listings_can_be_compiled_like_any_method():
    arm = px.library.puma560_listing()
    x = states(LISTINGS[-1])[0]
    compiled = px.Dynamics(arm, inverse=as_listed).inverse_dynamics(*x)
    np.testing.assert_allclose(compiled, with_defects(LISTINGS[-1], ALL_DEFECTS, *x), atol=1e-10)


@pytest.mark.parametrize(
    "machine",
    [px.library.puma560, px.library.torso, px.library.double_pendulum, px.library.four_bar],
    ids=lambda f: f.__name__,
)
def test_machines_that_the_listings_cannot_be_of(machine):
    """An arm with rotors, a tree, joints about other axes, a closed loop."""
    with pytest.raises(px.InvalidModel, match="no arm of the listings"):
        px.expression(as_listed, machine())


def test_an_error_that_the_listings_do_not_have():
    with pytest.raises(px.InvalidInput, match="shoulder, slide, offset"):
        px.expression(as_listed, px.library.puma560_listing(), defects=["elbow"])
