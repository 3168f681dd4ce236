from pathlib import Path

import numpy as np
import pytest

from phalanx.base.errors import InvalidInput, InvalidModel, UnknownName
from phalanx.mechanism import (
    Body,
    Fixed,
    Frame,
    Joint,
    Loop,
    Mechanism,
    Mimic,
    Pose,
    Revolute,
    Spherical,
    attach,
    library,
    lock,
    merge_fixed,
    release_mimics,
    subtree,
    with_floating_base,
)
from phalanx.mechanism.pose import rotation_about
from phalanx.mechanism.read import load


def gripper() -> Mechanism:
    """Two fingers, one following the other, on a turning hand that is fixed to the base."""
    rod = np.diag([0.01, 0.01, 0.001])
    turned = Pose(rotation_about((1, 0, 0), 0.7), np.array([0.1, 0.2, 0.3]))
    return Mechanism(
        "gripper",
        [Body(name, 1.0 + i, np.array([0, 0.1, 0.2 * i]), rod) for i, name in enumerate("bhplr")],
        [
            Joint("wrist", "b", "h", Revolute()),
            Joint("weld", "h", "p", Fixed(), turned),
            Joint("left", "p", "l", Revolute((1, 0, 0)), turned),
            Joint("right", "p", "r", Revolute((1, 0, 0)), turned, mimic=Mimic("left", -1.0, 0.1)),
        ],
        frames=[Frame("fingertip", "l", turned), Frame("palm", "p", turned)],
        loops=[Loop("grip", "fingertip", "palm", Spherical())],
    )


def test_locked_joints_stay_where_they_were_put(poses):
    m = gripper()
    locked = lock(m, {"wrist": 0.4, "left": [0.3]})
    assert locked.nv == 0
    expected = poses(m, {"wrist": np.array([0.4]), "left": np.array([0.3])})
    for name, X in poses(locked).items():
        np.testing.assert_allclose(X, expected[name], atol=1e-10)


def test_lock_at_neutral_by_name():
    assert lock(gripper(), ["wrist"]).nv == 1
    assert lock(gripper(), "wrist").nv == 1


@pytest.mark.parametrize("position", [[0.1, 0.2], np.nan, np.inf])
def test_lock_refuses_positions_that_do_not_fit(position):
    with pytest.raises(InvalidInput, match="wrist"):
        lock(gripper(), {"wrist": position})


def test_lock_refuses_unknown_joints():
    with pytest.raises(UnknownName, match="Did you mean 'wrist'"):
        lock(gripper(), ["wirst"])


def test_merging_keeps_mass_centre_and_places(poses, mass_and_centre):
    m = gripper()
    merged = merge_fixed(m)
    assert [body.name for body in merged.bodies] == ["b", "h", "l", "r"]
    assert merged.nv == m.nv
    (mass, centre), (mass_merged, centre_merged) = mass_and_centre(m), mass_and_centre(merged)
    assert mass == pytest.approx(mass_merged)
    np.testing.assert_allclose(centre, centre_merged, atol=1e-12)
    before, after = poses(m, {"wrist": [0.5]}), poses(merged, {"wrist": [0.5]})
    assert before.keys() == after.keys()
    for name, X in before.items():
        np.testing.assert_allclose(X, after[name], atol=1e-10)


def test_merging_marks_what_it_lumps_from_unphysical_bodies():
    odd = Body("odd", 1.0, inertia=np.diag([1.0, 1.0, 9.0]), physical=False)
    m = Mechanism("m", [Body("a", 1.0), odd], [Joint("weld", "a", "odd")])
    assert not merge_fixed(m).bodies[0].physical


def test_locking_and_merging_agree_with_pinocchio(robots: Path):
    pin = pytest.importorskip("pinocchio")
    file = robots / "ur_description" / "urdf" / "ur5_robot.urdf"
    at = {"shoulder_lift_joint": -0.7, "wrist_1_joint": 1.2}
    merged = merge_fixed(lock(load(file), at))

    full = pin.buildModelFromUrdf(str(file))
    ids = [full.getJointId(name) for name in at]
    q = pin.neutral(full)
    for name, i in zip(at, ids, strict=True):
        q[full.joints[i].idx_q] = at[name]
    reduced = pin.buildReducedModel(full, ids, q)
    assert merged.nv == reduced.nv
    for joint in merged.joints:
        theirs = reduced.inertias[reduced.getJointId(joint.name)]
        ours = merged.body(joint.child)
        assert ours.mass == pytest.approx(theirs.mass)
        np.testing.assert_allclose(ours.com, theirs.lever, atol=1e-10)
        np.testing.assert_allclose(ours.inertia, theirs.inertia, atol=1e-10)


def test_a_payload_is_carried(poses, mass_and_centre):
    m = library.puma560()
    loaded = attach(m, "tool", Body("box", 2.0), Pose(translation=np.array([0, 0, 0.1])))
    assert mass_and_centre(loaded)[0] == pytest.approx(mass_and_centre(m)[0] + 2.0)
    expected = poses(m)["tool"] @ Pose(translation=np.array([0, 0, 0.1])).matrix
    np.testing.assert_allclose(poses(loaded)["box"], expected, atol=1e-12)
    with pytest.raises(InvalidModel, match="two bodies named 'base'"):
        attach(m, "tool", library.double_pendulum())
    with pytest.raises(UnknownName, match="frame"):
        attach(m, "tolo", Body("box", 2.0))


def test_a_hand_is_attached_whole():
    both = attach(library.double_pendulum(), "tip", gripper())
    assert both.nv == 4
    assert [loop.name for loop in both.loops] == ["grip"]


def test_subtree_is_what_hangs_on_a_body(poses):
    part = subtree(gripper(), "h")
    assert [body.name for body in part.bodies] == ["h", "p", "l", "r"]
    assert part.nv == 1 and len(part.loops) == 1
    before, after = poses(gripper()), poses(part)
    for name, X in after.items():
        np.testing.assert_allclose(np.linalg.inv(before["h"]) @ before[name], X, atol=1e-10)
    alone = subtree(gripper(), "l")
    assert [frame.name for frame in alone.frames] == ["fingertip"] and not alone.loops
    with pytest.raises(UnknownName):
        subtree(gripper(), "z")


def test_floating_base_frees_the_root():
    free = with_floating_base(gripper())
    assert free.nv == gripper().nv + 6
    assert free.bodies[0].name == "world" and free.body("b").mass == 1.0
    assert with_floating_base(free, "again").bodies[0].name == "universe"


def test_a_floating_base_finds_a_free_name():
    legged = Mechanism(
        "legged", [Body("world"), Body("trunk", 1.0)], [Joint("floating_base", "world", "trunk")]
    )
    floating = with_floating_base(legged)
    assert [body.name for body in floating.bodies] == ["universe", "world", "trunk"]
    assert [joint.name for joint in floating.joints] == ["root_joint", "floating_base"]


def test_released_mimics_move_by_themselves():
    free = release_mimics(gripper())
    assert (gripper().nv, free.nv) == (2, 3)
    assert list(free.q_slices) == ["wrist", "left", "right"]
