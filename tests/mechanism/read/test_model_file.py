import sys

import pytest

from phalanx.base.errors import MissingExtra, ReadError
from phalanx.mechanism.read import ModelWarning, load

PENDULUM = """
<robot name="pendulum">
  <link name="base"/>
  <link name="rod">
    <inertial><mass value="1"/><origin xyz="0 0 -1"/>
      <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>
  </link>
  <link name="tip"/>
  <joint name="pivot" type="continuous">
    <parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>
  </joint>
  <joint name="end" type="fixed"><parent link="rod"/><child link="tip"/></joint>
</robot>
"""


@pytest.mark.parametrize("suffix", [".urdf", ".URDF", ".xml"])
def test_urdf_is_known_by_suffix_or_root_element(tmp_path, suffix):
    file = tmp_path / f"pendulum{suffix}"
    file.write_text(PENDULUM)
    assert load(str(file)).nv == 1


def test_base_floats_and_fixed_joints_merge_on_request(tmp_path):
    file = tmp_path / "pendulum.urdf"
    file.write_text(PENDULUM)
    assert len(load(file, merge_fixed=True).bodies) == 2
    with pytest.warns(ModelWarning, match="move without a mass.*: base"):
        assert load(file, floating_base=True).nv == 7


def test_warnings_point_at_the_caller(tmp_path):
    file = tmp_path / "pendulum.urdf"
    file.write_text(PENDULUM)
    with pytest.warns(ModelWarning) as caught:
        load(file, floating_base=True)
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("gone.urdf", "no file"),
        ("arm.step", r"'\.step'; supported are URDF .* MJCF"),
        ("arm", "supported"),
        ("arm.urdf.xacro", r"expand it first: xacro"),
    ],
)
def test_files_that_cannot_be_models(tmp_path, name, reason):
    if "gone" not in name:
        (tmp_path / name).write_text(PENDULUM)
    with pytest.raises(ReadError, match=reason) as caught:
        load(tmp_path / name)
    assert name in str(caught.value)


def test_a_folder_is_not_a_model(tmp_path):
    with pytest.raises(ReadError, match="folder"):
        load(tmp_path)


def test_mjcf_without_mujoco_says_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "mujoco", None)
    file = tmp_path / "arm.xml"
    file.write_text("<mujoco/>")
    with pytest.raises(MissingExtra, match=r"\[mjcf\]"):
        load(file)
