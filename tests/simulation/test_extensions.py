"""Special machines: offered by their owners, loaded when asked for, and never in doubt."""

import subprocess
import sys

import numpy as np
import pytest

import phalanx as px
from phalanx.base.errors import InvalidInput, ReadError, UnknownName
from phalanx.distribute import PlatformJob
from phalanx.simulation import extensions
from phalanx.simulation.extensions import (
    Extension,
    Findings,
    MotorMotion,
    SpecialMachine,
    TrajectoryKind,
    offer,
)
from phalanx.view.reports.report import standard_figures, summary
from phalanx.view.reports.report_figures import ENERGY

CASE = "duration = 0.01\n[swing]\n"


@pytest.fixture(autouse=True)
def registry(monkeypatch):
    """Offers of a test end with it."""
    monkeypatch.setattr(extensions, "_offered", list(extensions._offered))


def swing(**options):
    return SpecialMachine(px.library.double_pendulum(), settings={"swing": True}, **options)


def reading(**options):
    return Extension(("swing", "rope"), lambda top, step: swing(**options))


def test_a_table_becomes_a_machine(read):
    offer(reading(q0=np.array([1.0, 0.5]), step=5e-3))
    scenario = read(CASE)
    assert (scenario.mechanism.name, scenario.step) == ("double_pendulum", 5e-3)
    assert scenario.settings["swing"] is True
    np.testing.assert_array_equal(scenario.q0, [1.0, 0.5])
    assert read("step = 0.001\n" + CASE).step == 0.001


def test_a_machine_without_control_takes_that_of_the_file(read):
    offer(reading(q0=np.zeros(2)))
    told = CASE + '[control]\nkind = "pd"\ntarget = 0.1\nstiffness = 10\ndamping = 1\n'
    assert read(told).control is not None
    assert read(CASE + "[initial.degrees]\nelbow = 90\n").q0[1] == pytest.approx(np.pi / 2)


def test_angles_may_mean_what_the_machine_says(read):
    offer(reading(posture=lambda angles: np.full(2, angles.number("both"))))
    np.testing.assert_array_equal(read(CASE + "[initial.degrees]\nboth = 3\n").q0, [3.0, 3.0])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('model = "puma560"\n' + CASE, r"model cannot stand beside \[swing\]; leave it"),
        ("floating-base = true\n" + CASE, r"floating-base cannot stand beside \[swing\]"),
        ('drives = "puma560"\n' + CASE, r"drives cannot stand beside \[swing\]"),
        (CASE + '[control]\nkind = "none"\n', r"control cannot stand beside \[swing\]"),
        (CASE + '[excavator]\nmachine = "rotary"\n', r"\[excavator\] and \[swing\] are machines"),
    ],
)
def test_what_cannot_stand_beside_it(read, text, said):
    offer(reading(fields={"control": None}))
    with pytest.raises(ReadError, match=said):
        read(text)


def test_a_table_nobody_owns(read):
    with pytest.raises(UnknownName, match=r"has no key 'excavatr'. Did you mean 'excavator'\?"):
        read("duration = 1.0\n[excavatr]\n")
    with pytest.raises(UnknownName, match="has no key 'swing'"):
        read(CASE)
    offer(reading())
    with pytest.raises(UnknownName, match="Did you mean 'swing'"):
        read("duration = 1.0\n[swings]\n")


def test_offers_that_make_no_sense(read):
    for wrong in ("", "no module", "a..b", 3, None):
        with pytest.raises(InvalidInput, match="expected an Extension, or a module's name"):
            offer(wrong)
    with pytest.raises(UnknownName, match="a special machine has no field 'controls'"):
        swing(fields={"controls": None})
    with pytest.raises(InvalidInput, match="tables swing need a function read"):
        Extension(("swing",))
    for module, said in (("not_there_at_all", "cannot be imported"), ("math", "has no Extension")):
        extensions._offered[:] = [module]
        with pytest.raises(InvalidInput, match=said):
            read(CASE)


def test_a_table_has_one_owner(read):
    offer(reading())
    offer(reading())
    with pytest.raises(InvalidInput, match=r"two extensions claim the table \[swing\]"):
        read(CASE)
    extensions._offered[:] = [Extension(("model",), lambda top, step: swing())]
    with pytest.raises(InvalidInput, match="claims 'model'"):
        read(CASE)


ARC = """duration = 0.01
model = "double_pendulum"
[control]
kind = "inverse-dynamics"
[control.trajectory]
kind = "arc"
period = 2
width = 0.5
"""


def test_a_wanted_motion_of_an_owner(read):
    def arc(table, period, joints):
        return px.planning.cycloid(period, [0.0] * joints, [table.number("width")] * joints)

    with pytest.raises(UnknownName, match=r"no choice 'arc'.*straight-line"):
        read(ARC)
    offer(Extension(trajectories={"arc": TrajectoryKind(("width",), arc)}))
    np.testing.assert_array_equal(read(ARC).q0, [0.0, 0.0])
    with pytest.raises(UnknownName, match="no key 'height'"):
        read(ARC + "height = 1\n")
    offer(Extension(trajectories={"arc": TrajectoryKind((), arc)}))
    with pytest.raises(InvalidInput, match="two extensions have a trajectory 'arc'"):
        read(ARC)


def test_motors_have_the_usual_motion_of_their_machine(read):
    five_bar = px.library.five_bar()
    assert not PlatformJob("five_bar").followed(0.5)[1].any()  # none is known: they keep still
    offer(Extension(motor_motions={five_bar.name: lambda: MotorMotion((0.1, 0.2), 0.5)}))
    start, end = (PlatformJob("five_bar").followed(t)[0] for t in (0.0, 0.5))
    np.testing.assert_allclose(end - start, [0.1, 0.2], atol=1e-15)
    own = PlatformJob("five_bar", motion=MotorMotion((0.3, 0.0), 3.0))
    start, end = (own.followed(t)[0] for t in (0.0, 3.0))
    np.testing.assert_allclose(end - start, [0.3, 0.0], atol=1e-15)


def test_an_offer_counts_once(read):
    extension = reading()
    offer(extension)
    offer(extension)
    assert read(CASE).settings["swing"] is True


def test_reports_say_what_its_owner_finds(read):
    drawn = []
    findings = Findings(
        lambda run: "swing" in run.settings,
        lambda run: {"swings": f"{len(run)} samples"},
        lambda run: drawn.append(run) or {},
        shown=("q", "v", "tau"),
    )
    run = read('duration = 0.01\nmodel = "double_pendulum"\n').run()
    offer(Extension(("swing",), lambda top, step: swing(), findings))
    mine = read(CASE).run()
    assert summary(mine)["swings"] == f"{len(mine)} samples"
    assert "swings" not in summary(run)
    assert set(standard_figures(mine)) == {ENERGY}  # and none of q, v, tau
    assert drawn == [mine]
    assert any("q [rad]" in caption for caption in standard_figures(run))


def test_energy_that_nobody_counts_is_not_balanced(read):
    """In recordings that have no balance of their own."""
    run = read('duration = 0.01\nmodel = "double_pendulum"\n').run()
    others = [signal for signal in run.signals.values() if signal.name != "energy_balance"]
    old = px.Recording(run.time, others)
    assert "energy drift" in summary(old)
    offer(Extension(uncounted=("loss",)))
    assert "energy drift" not in summary(old)
    assert "integration error in energy" in summary(run)


def test_nothing_is_loaded_that_no_file_asks_for():
    code = (
        "import sys, phalanx\n"
        "assert phalanx.read_scenario('puma-pd').mechanism.nv == 6\n"
        "print([m for m in sys.modules if m.startswith(('phalanx.machines', 'phalanx.ground'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
