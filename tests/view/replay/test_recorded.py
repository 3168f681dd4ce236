from __future__ import annotations

import numpy as np
import pytest

import phalanx as px
from phalanx.simulation.record.recording import Recording
from phalanx.simulation.record.signal import Signal
from phalanx.view.plots.draw import body_poses
from phalanx.view.replay.recorded import seen_in

CHAIN = px.library.chain(5, "spherical")


def places(names, poses):
    """A recording of one sample, as a run that keeps some bodies makes it."""
    from scipy.spatial.transform import Rotation

    p = np.concatenate([X.translation for X in poses])[None]
    x = np.concatenate([Rotation.from_matrix(X.rotation).as_quat() for X in poses])[None]
    labels = lambda parts: tuple(f"{name}.{part}" for name in names for part in parts.split())  # noqa: E731
    signals = [Signal("position", "m", labels("x y z"), p)]
    signals += [Signal("orientation", "", labels("qx qy qz qw"), x)]
    return Recording([0.0], signals)


def test_a_recording_of_all_positions_shows_the_machine():
    q = Signal("q", "", tuple(map(str, range(CHAIN.nq))), np.zeros((1, CHAIN.nq)))
    recording = Recording([0.0], [q])
    assert seen_in(CHAIN, recording) == (CHAIN, recording)


def test_of_recorded_bodies_each_is_drawn_where_it_was():
    q = CHAIN.random_positions(seed=1)
    poses = body_poses(CHAIN, q)
    chosen = [0, 2, 5]
    names = [CHAIN.bodies[i].name for i in chosen]
    machine, recording = seen_in(CHAIN, places(names, [poses[i] for i in chosen]))
    drawn = body_poses(machine, recording["q"][0])
    assert [body.name for body in machine.bodies[1:]] == names
    for i, pose, body in zip(chosen, drawn[1:], machine.bodies[1:], strict=True):
        np.testing.assert_allclose(pose.matrix, poses[i].matrix, atol=1e-9)
        assert len(body.visuals) == len(CHAIN.bodies[i].visuals)


def test_a_recorded_frame_carries_the_shape_of_its_body():
    puma = px.library.puma560()
    offset = px.Pose.from_rpy((0.1, 0.2, 0.3), (0.4, 0.5, 0.6))
    last = puma.bodies[-1]
    from dataclasses import replace

    framed = replace(puma, frames=[*puma.frames, px.Frame("grip", last.name, offset)])
    X = body_poses(framed, framed.random_positions(seed=2))[-1]
    machine, recording = seen_in(framed, places(["grip"], [X @ offset]))
    at = body_poses(machine, recording["q"][0])[1]
    for before, after in zip(last.visuals, machine.bodies[1].visuals, strict=True):
        np.testing.assert_allclose((at @ after.pose).matrix, (X @ before.pose).matrix, atol=1e-9)


def test_what_shows_nothing_is_refused():
    with pytest.raises(px.UnknownName, match="no signal 'q'"):
        seen_in(CHAIN, Recording([0.0], [Signal("energy", "J", (), np.zeros(1))]))
    with pytest.raises(px.UnknownName, match="'link_9'"):
        seen_in(CHAIN, places(["link_9"], [px.Pose()]))
