import pytest

import phalanx as px
from phalanx.mechanism import joint as joints
from phalanx.mechanism.joint import position_units, velocity_units

MOTIONS = [
    made
    for made in (
        joints.Fixed(),
        joints.Revolute(),
        joints.Continuous(),
        joints.Prismatic(),
        joints.Screw(pitch=0.1),
        joints.Cylindrical(),
        joints.Universal(),
        joints.Spherical(),
        joints.Planar(),
        joints.Floating(),
    )
]


@pytest.mark.parametrize("motion", MOTIONS, ids=lambda motion: motion.kind)
def test_every_coordinate_has_a_unit(motion):
    joint = px.Joint("j", "a", "b", motion)
    assert len(position_units(joint)) == motion.nq and len(velocity_units(joint)) == motion.nv
    assert set(velocity_units(joint)) <= {"rad", "m"}
    has_quaternion = motion.nq != motion.nv
    assert position_units(joint).count("") == 4 * has_quaternion


def test_lengths_are_where_they_are_in_v():
    units = {motion.kind: velocity_units(px.Joint("j", "a", "b", motion)) for motion in MOTIONS}
    assert units["planar"] == ("m", "m", "rad") and units["cylindrical"] == ("rad", "m")
    assert units["floating"] == ("m",) * 3 + ("rad",) * 3
    assert units["prismatic"] == ("m",) and units["screw"] == ("rad",)
