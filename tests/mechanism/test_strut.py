"""Struts are checked data and follow edits of their machine."""

import numpy as np
import pytest

from phalanx.base.errors import InvalidModel, UnknownName
from phalanx.mechanism import (
    Body,
    Frame,
    Joint,
    Mechanism,
    Pose,
    Revolute,
    Strut,
    attach,
    merge_fixed,
    subtree,
)


def strut(base="post", rod="tip", **sizes):
    return Strut("jack", base, rod, **({"length": 1.0, "radius": 0.1, "rod_radius": 0.05} | sizes))


def machine(*struts):
    bodies = [Body("post"), Body("arm", 1.0, com=np.ones(3))]
    tip = Frame("tip", "arm", Pose(translation=np.ones(3)))
    return Mechanism(
        "lift", bodies, [Joint("hinge", "post", "arm", Revolute())], [tip], (), struts=struts
    )


@pytest.mark.parametrize(
    "sizes",
    [
        {"length": 0.0},
        {"length": np.inf},
        {"radius": -1.0},
        {"rod_radius": 0.2},
        {"rod_radius": np.nan},
        {"aside": ()},
        {"aside": (np.nan,)},
    ],
)
def test_sizes_that_no_cylinder_has_are_refused(sizes):
    with pytest.raises(InvalidModel, match="strut 'jack'"):
        strut(**sizes)


def test_struts_need_frames_that_exist_and_names_of_their_own():
    with pytest.raises(
        UnknownName, match=r"strut 'jack', has no frame 'tipp'\. Did you mean 'tip'"
    ):
        machine(strut(rod="tipp"))
    with pytest.raises(InvalidModel, match="jack"):
        machine(strut(), strut())


def test_edits_keep_struts_whose_frames_stay():
    lift = machine(strut())
    assert merge_fixed(lift).struts == lift.struts
    assert subtree(lift, "arm").struts == ()
    crane = attach(Mechanism("truck", [Body("bed")]), "bed", lift)
    assert crane.struts == lift.struts
