"""What we compute for the tables of Dhanaraj (1990): a value for each row of printed.toml."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import casadi as ca
import numpy as np

import phalanx as px
from assignments import count, read_c, read_listing
from evaluate import Numbers
from papers.dhanaraj import test_accounting as accounting
from papers.dhanaraj import test_case_study as case_study
from papers.dhanaraj import test_friction as friction
from papers.dhanaraj import test_generated_code as generated
from papers.dhanaraj import test_listings as listings
from papers.dhanaraj import test_reference_torques as reference
from papers.dhanaraj import test_replay as replay
from papers.dhanaraj import test_schedules as schedules
from papers.dhanaraj.printed import LAYERS, STANFORD_S, names_in, stanford_by_rule
from phalanx import actuators
from phalanx import equations as eq
from phalanx import multiprocessor as mp
from phalanx.kernel import count_expanded
from phalanx.mechanism.library.puma560 import (
    BEARING_FRICTION_COEFFICIENT,
    BEARING_RADII,
    BREAK_AWAY_TORQUES,
    MAXIMUM_TORQUES,
)
from phalanx.studies import dhanaraj
from phalanx.studies.dhanaraj.accounting import PUBLISHED


def sampling() -> list[list[float]]:
    """Samples a second for natural frequencies of 5 and 10 Hz, by the rule of section 1.1."""
    rates = []
    for frequency in (5.0, 10.0):
        omega = 2 * np.pi * frequency
        law = px.computed_torque(np.zeros(6), stiffness=omega**2, damping=2 * omega)
        near = px.linearize(px.library.puma560(), control=law, forces=())
        rates.append(1 / near.sampling_period())
    return [rates]


def table_1_1() -> list[tuple[int, ...]]:
    """Multiplications, additions, both, at six joints."""
    counts = [(p.multiply(6), p.add(6)) for p in PUBLISHED.values()]
    return [(int(m), int(a), int(m + a)) for m, a in counts]


def table_2_9() -> Iterator[tuple[int, ...]]:
    """Modified and conventional: revolute rows, their sums, then prismatic ones."""
    for joint in ("revolute", "prismatic"):
        pair = [accounting.counted(method, joint) for method in ("modified", "conventional")]
        for row in accounting.ROWS:
            yield (*pair[0][row], *pair[1][row])
        sums = [accounting.total(rows) for rows in pair]
        yield (*sums[0], sum(sums[0]), *sums[1], sum(sums[1]))


def generated_programs() -> Iterator[tuple[int, int]]:
    """Multiplications and additions of the code that is written for four arms."""
    with TemporaryDirectory() as folder:
        for name in ("puma 3", "stanford 3", "puma 6", "stanford 6"):
            make, joints, _ = generated.ARMS[name]
            path, _ = generated.written(make(*joints), "c", Path(folder))
            yield count(read_c(path.read_text()))


def printed_programs() -> Iterator[tuple[int, int]]:
    """The same counted in the listings D.3."""
    by_name = {listing.name: listing for listing in listings.LISTINGS}
    for name in ("puma_3", "stanford_3", "puma_6", "stanford_6"):
        yield count(read_listing(by_name[name].text))


def named_and_expanded() -> list[tuple[int, int]]:
    """Section 2.3.1: g = e f + c a with a = b + c and e = c a + d."""
    b, c, d, f = (ca.SX.sym(name) for name in "bcdf")
    a, e = ca.SX.sym("a"), ca.SX.sym("e")
    steps = ((b + c, (b, c)), (c * a + d, (c, a, d)), (e * f + c * a, (e, f, c, a)))
    named = [px.count_operations(ca.Function("s", list(args), [y])) for y, args in steps]
    written_out = ca.Function("g", [b, c, d, f], [(c * (b + c) + d) * f + c * (b + c)])
    expanded = count_expanded(written_out)
    return [
        (sum(n.multiply for n in named), sum(n.add for n in named)),
        (expanded.multiply, expanded.add),
    ]


def table_3_3() -> Iterator[tuple[int, ...]]:
    """Joint friction, transmission, both, counted in the equations as they are printed."""
    for cost in dhanaraj.table_3_3_as_written().values():
        parts = (cost.joint_friction, cost.transmission, cost.friction)
        yield tuple(n for part in parts for n in (part.multiply, part.add))


def table_3_5() -> Iterator[list[float]]:
    """Transmission friction and input from the printed torque at each joint."""
    for link, (_, _, out, _, _) in enumerate(friction.TABLE_3_5):
        gear = actuators.Transmission(
            actuators.puma560_efficiency(), MAXIMUM_TORQUES[link], BREAK_AWAY_TORQUES[link]
        )
        into = friction.passed(gear, out, friction.DIRECTIONS[link])
        yield [into - out, into]


def breakdown() -> np.ndarray:
    """The columns of table 3.5 at 0.6 s of a line of our own."""
    line = dhanaraj.straight_line(case_study.PERIOD, case_study.START, case_study.END)
    parts = case_study.breakdown(line, 0.0, np.array([0.6]))
    return np.stack([parts[name][0] for name in case_study.PARTS], axis=1)


def subtasks() -> list[Any]:
    """Counts of the task graph of six links, and its longest path."""
    graph = schedules.general()
    names = {which: len(dhanaraj.subtask_names(6, which)) for which in dhanaraj.Accounting}
    table = schedules.as_tabulated(first_matrix_given=True)
    layers = [sum(task.layer == n for task in table.tasks) for n in range(1, 28)]
    bound = mp.lower_bound(graph, mp.uniform_tasks(230))
    per_link = len(dhanaraj.subtask_names(7)) - len(dhanaraj.subtask_names(6))
    return [
        per_link,
        names[dhanaraj.Accounting("schedules")],
        names[dhanaraj.Accounting("text")],
        names[dhanaraj.Accounting("table")],
        [bound, 3 * bound],
        layers,
        max(layers),
    ]


def general_schedules() -> Iterator[tuple[float, ...]]:
    """Levels, speed-up and efficiency by the source's heuristic and its 231 subtasks."""
    graph = schedules.as_tabulated(first_matrix_given=True)
    for p in (*range(2, 10), 13):
        levels = mp.schedule(graph, mp.uniform_tasks(p), mp.layered).makespan
        yield levels, 231 / levels, 100 * 231 / levels / p


def stanford_schedules() -> Iterator[tuple[float, ...]]:
    """Levels by the heuristic, and times of table 4.8 [ms]."""
    for p in range(1, 9):
        levels = mp.schedule(schedules.stanford(), mp.uniform_tasks(p), mp.layered).makespan
        timed = mp.schedule(schedules.stanford(), mp.intel_8086(p), mp.layered).makespan
        yield levels, 1e3 * timed


def other_schedules() -> Iterator[tuple[float, ...]]:
    """Levels of 2 to 9 processors: 120 to 122 with 110 and after it, critical path; the rule."""
    for given in (True, False):
        graph = schedules.as_tabulated(first_matrix_given=given)
        yield schedules.lengths(mp.layered, graph, range(2, 10))
    graph = schedules.as_tabulated(first_matrix_given=False)
    yield schedules.lengths(mp.highest_level_first, graph, range(2, 10))
    by_rule = stanford_by_rule((*STANFORD_S[:4], "y", STANFORD_S[5]))
    yield schedules.lengths(mp.layered, dhanaraj.tabulated(by_rule), range(1, 11))


def stanford_widths() -> list[list[int]]:
    """Subtasks in each layer of table 4.7."""
    graph = schedules.stanford()
    return [[sum(task.layer == n for task in graph.tasks) for n in range(1, 28)]]


def printed_levels() -> list[list[float]]:
    """Times of the printed schedules C.9 to C.15, and of one processor [ms]."""
    times = []
    for number, p in zip(range(9, 16), range(2, 9), strict=True):
        plan = schedules.printed(f"C.{number}")
        timed = mp.Schedule.from_levels(plan.graph, mp.intel_8086(p), schedules._rows(plan))
        times.append(1e3 * timed.makespan)
    one = mp.schedule(schedules.stanford(), mp.intel_8086(1)).makespan
    return [[1e3 * one, *times]]


def claims() -> list[Any]:
    """Sentences of the text that follow from its own numbers."""
    luh_lin = dhanaraj.PRINTED_TIMES["Luh, Lin 1982"]
    flops = sum(table_1_1()[0][:2])
    return [
        luh_lin[1] / luh_lin[6],
        100 * (1 - len(names_in(LAYERS["4.7"])) / len(dhanaraj.subtask_names(6, "text"))),
        1e3 * flops * mp.intel_8086(1).time(mp.Task("any")) / 3,
        len(stanford_by_rule()),
    ]


def reference_torques() -> Iterator[np.ndarray]:
    """Of the four arms, two of them at rest, two with the errors of the listings."""
    for machine, state, _ in (parameters.values for parameters in reference.REFERENCE):
        yield px.Dynamics(machine()).inverse_dynamics(*state)
    yield px.Dynamics(px.library.puma560_listing()).gravity(np.zeros(6))
    yield [px.Dynamics(px.library.puma560()).gravity(np.zeros(6))[1]]
    state = (reference.Q, reference.V, reference.A)
    yield Numbers(px.library.puma560_listing())(dhanaraj.as_listed, *state)
    yield Numbers(px.library.stanford_listing())(dhanaraj.as_listed, *reference.STANFORD)


def reactions() -> Iterator[list[float]]:
    """Force and moment in each joint of the three-joint arm."""
    f, n = friction.numbers(
        px.expression(eq.reactions, px.library.puma560_arm()), friction.Q, friction.V, friction.A
    )
    for force, moment in zip(f, n, strict=True):
        yield [*force, *moment]


def joint_friction() -> Iterator[np.ndarray]:
    """With the pairing of forces and moments as printed, and that of statics."""
    for journal in (dhanaraj.PrintedJournal, actuators.Journal):
        drives = {
            f"joint_{k}": actuators.Drive(
                [journal(BEARING_FRICTION_COEFFICIENT, radius, friction.SPAN)]
            )
            for k, radius in enumerate(BEARING_RADII, start=1)
        }
        yield np.abs(friction.torques(drives)["tau_joint_friction"])


def simulation() -> list[Any]:
    """Programs D.1.3 and D.4: posture of the start, payload, error of the replay."""
    q = np.array(replay.ARM.joints(ca.DM([0.4, 0.1, 0.1]), shoulder=-1, elbow=1)).ravel()
    q[0] += 2 * np.pi
    payload = Numbers(px.library.puma560_arm(payload=10.0)).mass_matrix(np.zeros(3))[2, 2]
    arm, line = px.library.puma560_arm(), dhanaraj.straight_line(2.0, replay.START, replay.END)
    loaded, state = Numbers(replay.programs_arm(10.0)), np.array([0.3, 0.4, 0.5])
    M, printed = loaded.mass_matrix(state), replay.printed_mass_matrix(state)
    return [
        q,
        payload,
        1e8 * replay.replay_error(arm, line, px.RungeKutta4()),
        100 * float(np.abs(M - printed).max() / np.abs(M).max()),
    ]


def without_friction() -> list[float]:
    """Largest change of a reaction by friction in the drives [N or N·m]."""
    arm, drives = px.library.puma560_arm(), actuators.puma560_drives()
    motor = friction.torques(drives)["tau_motor"]
    rubbing = px.expression(
        actuators.driven, arm, drives=drives, direction=actuators.Sign(), iterations=12
    )
    moved = friction.numbers(rubbing, friction.Q, friction.V, motor)[0].ravel()
    loads = px.expression(eq.reactions, arm)
    with_friction = friction.numbers(loads, friction.Q, friction.V, moved)
    without = friction.numbers(loads, friction.Q, friction.V, friction.A)
    return [max(float(np.abs(x - y).max()) for x, y in zip(with_friction, without, strict=True))]
