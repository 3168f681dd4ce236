"""Co-simulation in one process: all methods and modes, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest

import phalanx as px
from phalanx.distribute import (
    Diverged,
    Feedback,
    Mode,
    MotionTask,
    MotorMotion,
    Penalty,
    PlatformJob,
    Projection,
    Recursive,
    run,
    single_processor,
)

WAY = (0.5, -0.3, 0.2)
DURATION, STEP = 0.05, 1e-3


@pytest.fixture(scope="module")
def machine():
    return px.library.planar_3rrr()


@pytest.mark.parametrize("method", [Penalty(), Projection(), Recursive()], ids=lambda m: m.name)
@pytest.mark.parametrize("mode", [Mode.REPLICATED, Mode.STAGES])
def test_exact_modes_give_the_numbers_of_one_processor(machine, method, mode):
    motion = MotorMotion(WAY, 0.2)
    result = run(
        PlatformJob(machine, method=method, mode=mode, duration=DURATION, step=STEP, motion=motion)
    )
    alone, _ = single_processor(PlatformJob(machine, method, mode, DURATION, STEP, motion))
    assert np.ptp(result.recording["q"][:, 0]) > 1e-3
    if mode is Mode.REPLICATED:
        np.testing.assert_array_equal(result.recording.table, alone.table)
    else:
        np.testing.assert_allclose(result.recording.table, alone.table, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("mode", [Mode.REPLICATED, Mode.FROZEN, Mode.STAGES])
def test_messages_are_counted(machine, mode):
    result = run(PlatformJob(machine, mode=mode, duration=0.01, step=STEP))
    exchanges = 4 * 10 if mode is Mode.STAGES else 10
    assert [one.exchanges for one in result.traffic] == 4 * [exchanges]
    assert [one.messages for one in result.traffic] == 4 * [3 * exchanges]
    # a leg sends two positions and two velocities to three others, the platform three of each
    assert [one.words for one in result.traffic] == [12 * exchanges] * 3 + [18 * exchanges]
    assert result.steps == 10


@pytest.mark.parametrize("method", [Projection(), Recursive()], ids=lambda m: m.name)
def test_damping_and_springs_of_joints_act(machine, method):
    """Without feedback a damped machine follows only if the drives feel what its joints do."""
    stiff = [replace(j, damping=5.0, stiffness=40.0) for j in machine.joints[:6]]
    rubbed = replace(machine, joints=(*stiff, *machine.joints[6:]))
    job = PlatformJob(
        rubbed,
        method,
        Mode.REPLICATED,
        DURATION,
        STEP,
        MotorMotion(WAY, 0.2),
        feedback=Feedback(0.0, 0.0),
    )
    recording = run(job).recording
    tau = np.zeros((len(recording), machine.nv))
    tau[:, list(job.machine.motors)] = recording["tau"]
    drives = px.Profile(recording.time, tau, between="linear")
    options = {"duration": DURATION, "step": STEP, "control": drives}
    start = recording["q"][0]
    assert np.abs(recording["q"] - px.simulate(rubbed, start, **options)["q"]).max() < 1e-4
    assert np.abs(recording["q"] - px.simulate(machine, start, **options)["q"]).max() > 1e-3


def test_exact_methods_follow_the_motion_and_keep_loops_closed(machine):
    motion = MotorMotion(WAY, 0.2)
    job = PlatformJob(machine, Projection(), Mode.STAGES, motion=motion)
    motors, trajectory = list(job.machine.motors), job.followed
    for method in (Projection(), Recursive()):
        result = run(
            PlatformJob(machine, method=method, mode="stages", duration=0.2, motion=motion)
        )
        wanted = trajectory(result.recording.time)[0]
        np.testing.assert_allclose(result.recording["q"][:, motors], wanted, rtol=0, atol=1e-7)
        assert result.recording["opening"].max() < 1e-8


def test_legs_of_a_platform_in_space():
    """Six legs and a centre, with a quaternion that all legs integrate alike.

    Nothing but torques of inverse dynamics drives it, so it moves as wanted only if forward
    dynamics is right.
    """
    stewart = px.library.stewart()
    motion = MotorMotion((0.05, 0.02, -0.01, 0.03, 0.04, 0.0), 0.5)
    trajectory = PlatformJob(stewart, motion=motion).followed
    result = run(
        PlatformJob(
            stewart,
            method=Recursive(),
            mode=Mode.STAGES,
            duration=0.02,
            motion=motion,
            feedback=Feedback(0.0, 0.0),
        )
    )
    assert result.processes == ("centre", *(f"barrel_{k}" for k in range(1, 7)))
    wanted = trajectory(result.recording.time)[0]
    motors = [stewart.q_slices[joint.name].start for joint in stewart.actuated_joints]
    assert np.ptp(wanted, axis=0).max() > 1e-5
    # what Runge-Kutta leaves of a motion with w = 2π / 0.5 s: about (w h)⁴ of it
    np.testing.assert_allclose(result.recording["q"][:, motors], wanted, rtol=0, atol=1e-11)
    assert result.recording["opening"].max() < 1e-10
    platform = stewart.q_slices["platform"]
    quaternion = result.recording["q"][:, platform.stop - 4 : platform.stop]
    np.testing.assert_allclose(np.linalg.norm(quaternion, axis=1), 1.0, rtol=0, atol=1e-15)


def test_a_platform_in_space_along_a_motion():
    """Postures, velocities, accelerations and forces of six legs, against the whole machine."""
    stewart = px.library.stewart()
    motion = MotorMotion((0.05, 0.02, -0.01, 0.03, 0.04, 0.0), 0.5)
    job = PlatformJob(stewart, Recursive(), Mode.STAGES, 0.1, 0.02, motion, task=MotionTask.INVERSE)
    found = run(
        PlatformJob(stewart, task=MotionTask.INVERSE, duration=0.1, step=0.02, motion=motion)
    )
    alone, _ = single_processor(job)
    np.testing.assert_allclose(found.recording.table, alone.table, rtol=1e-11, atol=1e-11)
    assert found.processes == job.process_names and len(found.processes) == 7


def test_torques_are_those_of_the_thesis_at_the_start(machine):
    """Reproduction values of the spec, t = 0."""
    result = run(PlatformJob(machine, duration=0.001, step=STEP))
    np.testing.assert_allclose(
        result.recording["tau"][0], [-1.41862, -20.70723, 44.27619], rtol=0, atol=1e-4
    )


def test_the_recording_is_written_as_well(machine, tmp_path):
    path = tmp_path / "run.mcap"
    result = run(PlatformJob(machine, duration=0.01, step=STEP, record=path))
    read = px.Recording.read(path)
    np.testing.assert_array_equal(read.table, result.recording.table)
    assert read.settings["processes"] == ["proximal_1", "proximal_2", "proximal_3", "platform"]


def test_springs_too_stiff_for_the_step_end_with_an_error_and_the_recording(machine, tmp_path):
    path = tmp_path / "run.mcap"
    with pytest.raises(Diverged, match="left finite numbers before t"):
        run(PlatformJob(machine, method=Penalty(1e7), duration=1.0, step=1e-2, record=path))
    assert len(px.Recording.read(path)) > 1


def test_recursive_cannot_be_frozen(machine):
    with pytest.raises(px.InvalidInput, match="take mode 'stages'"):
        run(PlatformJob(machine, method=Recursive(), mode="frozen"))


def test_legs_without_a_platform_are_refused_by_the_recursive_method():
    with pytest.raises(px.InvalidModel, match="not a platform on legs"):
        run(PlatformJob(px.library.five_bar(), method=Recursive(), mode="stages", duration=0.01))


def test_wrong_arguments_are_refused(machine):
    with pytest.raises(px.InvalidInput, match="mode is 'parallel'; expected one of replicated"):
        run(PlatformJob(machine, mode="parallel"))
    with pytest.raises(px.InvalidInput, match="has 3 motors"):
        run(PlatformJob(machine, motion=MotorMotion((0.1, 0.2), 1.0)))
    with pytest.raises(px.InvalidInput, match="must not be negative"):
        Feedback(-1.0)
    with pytest.raises(px.InvalidInput, match="decay=-1"):
        Projection(-1.0)
    with pytest.raises(px.InvalidInput, match="do not close"):
        run(PlatformJob(machine, duration=0.5, motion=MotorMotion((3.0, -3.0, 3.0), 0.5)))
    with pytest.raises(px.InvalidInput, match="whole number of steps"):
        run(PlatformJob(machine, duration=0.1, step=0.03))


def test_as_many_ranks_as_processes(machine):
    with pytest.raises(px.InvalidInput, match=r"4 processes \(centre, proximal_1.* got 3"):
        PlatformJob(machine, Recursive(), Mode.STAGES).on(3)
