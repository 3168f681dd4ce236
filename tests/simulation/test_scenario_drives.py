"""Drives in scenario files: what they become, and how mistakes are named."""

import pytest

import phalanx as px
from phalanx.actuators import Drive, EfficiencyCurve, Journal, Thrust, Transmission, puma560_drives
from phalanx.simulation.setup.forces.drive_friction import DriveFriction, Stiction
from phalanx.simulation.setup.forces.joint_forces import Damping

HEAD = 'model = "puma560_arm"\nduration = 0.1\n'
LINE = """
[control.trajectory]
kind = "straight-line"
period = 2.0
start = [0.3, 0.1, 0.1]
end = [0.3, 0.4, 0.4]
"""


def scenario(tmp_path, text: str):
    path = tmp_path / "case.toml"
    path.write_text(HEAD + text)
    return px.read_scenario(path)


def test_a_named_set(tmp_path):
    assert scenario(tmp_path, 'drives = "puma560"').forces == (
        Damping(),
        DriveFriction(puma560_drives()),
        px.Stops(),
        px.EffortLimits(),
        px.ModelFluid(),
    )


def test_a_table_for_each_joint(tmp_path):
    text = """
    [forces]
    slip = 0.2
    [drives.joint_2]
    journal = { friction = 0.1, radius = 0.2, span = 0.3 }
    thrust = { friction = 0.4, radius = 0.5 }
    rated = 50.0
    break-away = 2.0
    load = [0.0, 1.0]
    efficiency = [0.4, 0.8]
    between = "linear"
    viscous = 0.6
    coulomb = 0.7
    backward-coulomb = 0.5
    """
    curve = EfficiencyCurve([0.0, 1.0], [0.4, 0.8], "linear")
    drive = Drive(
        [Journal(0.1, 0.2, 0.3), Thrust(0.4, 0.5)], Transmission(curve, 50.0, 2.0), 0.6, 0.7, 0.5
    )
    assert scenario(tmp_path, text).forces[1] == DriveFriction({"joint_2": drive}, slip=0.2)


def test_stiction_of_drives_or_of_the_joints_themselves(tmp_path):
    stuck = scenario(tmp_path, 'drives = "puma560"\n[forces]\nstiction = true')
    assert stuck.forces[1] == Stiction(puma560_drives())
    assert scenario(tmp_path, "[forces]\nstiction = true").forces[1] == Stiction(None)


def test_control_that_knows_of_friction_asks_for_more(tmp_path):
    # at rest the loads are the same; torques differ as soon as the arm moves
    def torque(text: str) -> float:
        run = scenario(
            tmp_path,
            'step = 0.05\ndrives = "puma560"\n[forces]\nfriction = false\n'
            f'[control]\nkind = "inverse-dynamics"\n{text}{LINE}',
        ).run()
        return float(run["tau"][-1, 0])

    assert torque("friction = true") > torque("") + 6.3  # the break-away torque at least


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ('drives = "puma561"', px.UnknownName, "Did you mean 'puma560'"),
        ("drives = 3", px.ReadError, "drives = 3; expected a table"),
        ("[drives.joint_9]", px.ReadError, "no joint 'joint_9'"),
        ("[drives.joint_1]\nvicous = 1", px.UnknownName, "Did you mean 'viscous'"),
        ("[drives.joint_1]\nviscous = -1", px.ReadError, r"\[drives.joint_1\]: the viscous"),
        ("[drives.joint_1]\nload = [0, 1]", px.ReadError, "no key 'rated'"),
        (
            "[drives.joint_1]\nrated = 1\nload = [0, 1]\nefficiency = [0.8, 0.4]",
            px.ReadError,
            "must increase",
        ),
        (
            "[drives.joint_1]\nlinear = { friction = 0.1, span = 0.1 }",
            px.ReadError,
            "use Journal or Thrust",
        ),
        ("[drives.joint_1]\njournal = { friction = 0.1 }", px.ReadError, "no key 'radius'"),
        ("[forces]\nstiction = true\nslip = 0.1", px.ReadError, "do not slip"),
        (
            f'[control]\nkind = "inverse-dynamics"\nfriction = true\n{LINE}',
            px.ReadError,
            "whose friction is known",
        ),
        (
            f'[control]\nkind = "inverse-dynamics"\nslip = 0.1\n{LINE}',
            px.ReadError,
            "no slip without friction",
        ),
    ],
)
def test_mistakes(tmp_path, text, error, message):
    with pytest.raises(error, match=message):
        scenario(tmp_path, text)
