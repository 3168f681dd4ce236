"""The kinds of files: real ones to begin with, how each is read, and what may come of it."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any
from zlib import crc32

import numpy as np

import phalanx as px
from phalanx import multiprocessor as mp
from phalanx.base.robots import robot_files
from phalanx.equations import expression
from phalanx.equations.model_of import model_of
from phalanx.kernel.graph.operations import Operations
from phalanx.mechanism import Mechanism, Pose
from phalanx.mechanism.motion import joint_pose
from phalanx.mechanism.read import load
from phalanx.simulation.record.recording import Recording
from phalanx.simulation.record.signal import Signal

from . import samples
from .mutate import mutated

LARGEST_TRACED = 12  # velocities of a machine whose equations are traced
TRACED = 20  # one machine in so many: tracing takes 0.2 s, reading 0.005


@dataclass(frozen=True)
class Kind:
    """A kind of file.

    Attributes:
        suffix: Of its files.
        seeds: Makes real ones.
        read: Reads one; anything but a PhalanxError that it raises is a finding.
        change: Makes a wrong one of a seed.
    """

    suffix: str
    seeds: Callable[[], Sequence[bytes]]
    read: Callable[[Path], None]
    change: Callable[[bytes, Sequence[bytes], Random], bytes] = mutated


# -- models ----------------------------------------------------------------------------------------


def check_mechanism(mechanism: Mechanism) -> None:
    """A machine that was accepted has finite numbers: places, inertias and equations of motion."""
    q = mechanism.neutral()
    places = [Pose()]
    for k, joint in enumerate(mechanism.joints):
        at = q[mechanism.q_slices[joint.name]] if joint.name in mechanism.q_slices else None
        moved = Pose() if at is None else joint_pose(joint.motion, at)
        places.append(places[mechanism.parents[k + 1]] @ joint.pose @ moved)
    for body, X in zip(mechanism.bodies, places, strict=True):
        centre = X.translation + X.rotation @ body.com
        about_origin = body.inertia + body.mass * (centre @ centre) * np.eye(3)
        assert np.isfinite(about_origin).all(), f"body '{body.name}' about the origin"
    if 0 < mechanism.nv <= LARGEST_TRACED and crc32(repr(mechanism.bodies).encode()) % TRACED == 0:
        check_equations(mechanism)


def check_equations(mechanism: Mechanism) -> None:
    """Joint forces and the mass matrix are finite where all joints are neutral."""
    tree = model_of(mechanism)
    f = expression(px.inverse_dynamics.recursive, tree)
    v = np.full(mechanism.nv, 0.1)
    tau = np.array(f(mechanism.neutral(), v, v))
    assert np.isfinite(tau).all(), f"joint forces {tau.ravel()}"
    M = np.array(expression(px.mass_matrix.composite_body, tree)(mechanism.neutral()))
    assert np.isfinite(M).all(), f"mass matrix {M}"


def read_model(path: Path) -> None:
    """A URDF, MJCF or SDF file."""
    check_mechanism(load(path))


def read_closures(path: Path) -> None:
    """A closures file, for a four-bar linkage."""
    arm = path.with_name("arm.urdf")
    if not arm.exists():
        arm.write_text(samples.FOUR_BAR)
    mechanism = load(arm, closures=path)
    check_mechanism(mechanism)
    for frame in mechanism.frames:
        assert np.isfinite(frame.pose.translation).all() and np.isfinite(frame.pose.rotation).all()


def urdf_seeds() -> list[bytes]:
    """Models by hand, and small published ones where they are installed."""
    names = ("double_pendulum", "quadrotor_base", "TwoDofs", "finger_edu", "ur5_robot", "panda")
    robots = robot_files()
    published = [robots[name].read_bytes() for name in names if name in robots]
    return [samples.FOUR_BAR.encode(), samples.ARM.encode(), *published]


# -- scenarios -------------------------------------------------------------------------------------


def read_scenario(path: Path) -> None:
    """A scenario; its numbers are finite."""
    table = path.with_name("table.csv")
    if not table.exists():
        table.write_text(samples.TABLE)
    scenario = px.read_scenario(path)
    assert np.isfinite([scenario.duration, scenario.step]).all()
    for start in (scenario.q0, scenario.v0):
        assert start is None or np.isfinite(start).all(), f"begins at {start}"


def scenario_seeds() -> list[bytes]:
    """Some that come with the package, those that are read in milliseconds, and some by hand."""
    names = ("dhanaraj-puma560", "falling-chain", "puma-pd", "wong-puma600", "wong-torso")
    scenarios = files("phalanx") / "data" / "scenarios"
    shipped = [(scenarios / f"{name}.toml").read_bytes() for name in names]
    return [*shipped, samples.SCENARIO.encode(), samples.DRIVES.encode()]


def read_table(path: Path) -> None:
    """A table of commands over time."""
    profile = px.Profile.from_csv(path)
    assert np.isfinite(profile.values).all()


PATH_ARM = px.library.double_pendulum()


def path_seeds() -> Sequence[bytes]:
    """A path with names and units, and one with all rates, as it is written."""
    motion = px.planning.demo_waypoints(PATH_ARM).path().sample(0.5)
    table = px.planning.TrajectoryTable.of(PATH_ARM, motion)
    named = "time,elbow [deg],shoulder\n0,10,0.1\n0.5,20,0.2\n2,0,0\n"
    return [named.encode(), table.csv_text().encode()]


def read_path(path: Path) -> None:
    """A path that was accepted has finite positions, and rows."""
    motion = px.planning.read_motion(path, PATH_ARM)
    rows = motion.sample(motion.duration / 7)
    assert all(np.isfinite(part).all() for part in rows.parts)


# -- plans -----------------------------------------------------------------------------------------

GRAPH = mp.TaskGraph.of(
    "diamond",
    {"a": [], "b": ["a"], "c": ["a"], "d": ["b", "c"]},
    [mp.Task("a", Operations(multiply=2, add=1), "omega", "link_1", words=3)],
)
COMPUTERS = (
    mp.SharedMemory(2, synchronization=0.25),
    mp.SharedMemory(2, (mp.Speed(), mp.Speed.each(0.1, sincos=3.0)), "s", "uneven"),
    mp.MessagePassing(2, topology=mp.Topology.bus(2), start_up=1.0, per_word=0.5),
    mp.MessagePassing(2, topology=mp.Topology.line(2), start_up=1.0, overhead=0.5, blocking=True),
    mp.transputer_mesh(2, 2),
    mp.Lanes(4, shuffle=0.5),
    mp.SharedMemory(2, mp.Speed(add=7.0, multiply=5.0, interval=1.0)),
    mp.SharedMemory(
        1, (mp.Operator("unit", {"add": 7.0, "multiply": 5.0}, {"multiply": 1.0}),), "cycles"
    ),
)


@cache
def plan_seeds() -> tuple[bytes, ...]:
    """A plan for each kind of computer."""
    from phalanx.multiprocessor.plans.schedule_file import schedule_to_data

    plans = [mp.schedule(GRAPH, computer) for computer in COMPUTERS]
    return tuple(json.dumps(schedule_to_data(plan), indent=1).encode() for plan in plans)


def read_plan(path: Path) -> None:
    """A plan; its times are finite and what is said about it can be computed."""
    plan = mp.Schedule.load(path, GRAPH)
    assert np.isfinite([time for p in plan.placements for time in (p.start, p.end)]).all()
    assert isinstance(repr(plan), str)
    assert isinstance(plan.violations, tuple | list)


def change_computer(seed: bytes, others: Sequence[bytes], rng: Random) -> bytes:
    """A plan whose computer is changed, and nothing else."""
    data = json.loads(seed)
    computers = [json.dumps(json.loads(other)["computer"]).encode() for other in others]
    changed = mutated(json.dumps(data["computer"], indent=1).encode(), computers, rng)
    data["computer"] = "COMPUTER"
    return json.dumps(data).encode().replace(b'"COMPUTER"', changed)


# -- recordings ------------------------------------------------------------------------------------


def _recording() -> Recording:
    time = np.linspace(0.0, 1.0, 40)
    q = np.stack([np.sin(time), np.cos(time)], axis=1)
    signals = [Signal("q", "rad", ("shoulder", "elbow"), q), Signal("energy", "J", (), time**2)]
    return Recording(time, signals, {"model": "puma560", "gains": [1.0, 2.0], "note": "é"})


@cache
def recording_seeds() -> tuple[bytes, ...]:
    """A recording of ours, and one by another program."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        own = _recording().write(Path(folder) / "run.mcap").read_bytes()
    return own, foreign_recording(SIGNALS, SETTINGS, ROWS)


SIGNALS = json.dumps([{"name": "q", "unit": "rad", "labels": ["shoulder", "elbow"]}]).encode()
SETTINGS = json.dumps({"model": "puma560", "step": 0.001}).encode()
ROWS = np.arange(30.0).reshape(10, 3).tobytes()


def foreign_recording(signals: bytes, settings: bytes, rows: bytes) -> bytes:
    """A recording that another program wrote: without checksums over its names."""
    from mcap.writer import Writer

    file = BytesIO()
    writer = Writer(file)
    writer.start()
    schema = writer.register_schema("phalanx/Signals", "ros1msg", b"float64 time")
    names = {"phalanx.signals": signals.decode("utf-8", "replace")}
    channel = writer.register_channel("/signals", "ros1", schema, names)
    facts = {"all": settings.decode("utf-8", "replace")}
    writer.add_metadata("phalanx.settings", facts)
    for k in range(0, len(rows), 24):
        writer.add_message(channel, k, rows[k : k + 24], k)
    writer.finish()
    return file.getvalue()


def change_recording(seed: bytes, others: Sequence[bytes], rng: Random) -> bytes:
    """Bytes of a recording changed, or a sound file with wrong names, settings or rows in it."""
    if rng.random() < 0.5:
        return mutated(seed, others, rng)
    parts = [SIGNALS, SETTINGS, ROWS]
    which = rng.randrange(3)
    parts[which] = mutated(parts[which], parts, rng)
    return foreign_recording(*parts)


def read_recording(path: Path) -> None:
    """A recording, whole or what is left of it."""
    try:
        recording = Recording.read(path)
    except px.PhalanxError:
        recording = Recording.read(path, salvage=True)
    assert np.isfinite(recording.time).all()
    assert isinstance(repr(recording), str)


KINDS: dict[str, Kind] = {
    "urdf": Kind(".urdf", urdf_seeds, read_model),
    "mjcf": Kind(".xml", lambda: [text.encode() for text in samples.MJCF], read_model),
    "sdf": Kind(".sdf", lambda: [text.encode() for text in samples.SDF], read_model),
    "closures": Kind(".yaml", lambda: [text.encode() for text in samples.CLOSURES], read_closures),
    "parallel": Kind(".yaml", lambda: [text.encode() for text in samples.PARALLEL], read_closures),
    "scenario": Kind(".toml", scenario_seeds, read_scenario),
    "table": Kind(".csv", lambda: [samples.TABLE.encode()], read_table),
    "path": Kind(".csv", path_seeds, read_path),
    "schedule": Kind(".json", plan_seeds, read_plan),
    "computer": Kind(".json", plan_seeds, read_plan, change_computer),
    "recording": Kind(".mcap", recording_seeds, read_recording, change_recording),
}


def seeds_of(kind: Kind) -> Sequence[bytes]:
    """The real files of a kind."""
    return _seeds(kind)


@cache
def _seeds(kind: Kind) -> Sequence[bytes]:
    return kind.seeds()


def quiet_read(kind: Kind, path: Path) -> Any:
    """Read a file and leave its warnings unsaid."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        kind.read(path)
