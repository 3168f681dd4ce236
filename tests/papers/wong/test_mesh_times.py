"""Wong (1991), §5.5.1: times on one T800 and on the mesh (F54; checks 17 and 23, parallel half)."""

from functools import cache

import pytest

import phalanx as px
from phalanx.actuators.hydraulics.rotary import cat215b_rotary
from phalanx.hardware.mesh import CYCLES, T800, mesh_evaluation
from phalanx.studies.wong.mesh_figure import Payoff, message_ratio, where_a_mesh_pays
from phalanx.studies.wong.mesh_times import (
    BUDGET,
    LOOP,
    MEASURED_PARALLEL,
    MEASURED_TOTAL,
    TABLE_5_4,
    TABLE_5_5,
    MeshTimes,
)


@cache
def times() -> MeshTimes:
    return MeshTimes.of(px.library.cat215b(), cat215b_rotary())


def test_printed_rows_add_to_printed_totals():
    assert sum(row.measured for row in TABLE_5_4.values()) == pytest.approx(7.28, abs=0.021)
    counted = sum(row.counted.time() for row in TABLE_5_4.values())
    assert counted == pytest.approx(929, abs=1.5)  # [us]; the rows give 928
    assert MEASURED_TOTAL / MEASURED_PARALLEL == pytest.approx(5.38, abs=0.005)
    assert MeshTimes.counted_speedup() == pytest.approx(4.63, abs=0.005)


def test_the_loop_of_table_5_5_is_what_a_node_of_row_1_does_for_an_axis():
    """46.5 us by counting: c, rho, J c and m rho x c. Its printed rows add to 49.5."""
    graph = times().evaluation.graph
    names = "c 3,1", "rho 3,1", "J c 3,1", "m rho x c 3,1"
    loop = sum(T800.speed.time(graph.tasks[graph.number(name)]) for name in names)
    assert loop * 1e6 == pytest.approx(LOOP[0])
    assert sum(counted for counted, _ in TABLE_5_5.values()) == pytest.approx(LOOP[0] + 3)
    assert sum(measured for _, measured in TABLE_5_5.values()) == LOOP[1]


def test_an_evaluation_fits_into_its_budget_with_all_messages():
    """Check 23: 2.5 ms an evaluation; between what the source counts and what it measured."""
    assert 200.5e-6 < times().per_evaluation < MEASURED_PARALLEL * 1e-3 < BUDGET
    assert times().step_plan.violations == ()


def test_the_parts_of_the_time_are_all_of_it():
    """F54: computing and messages on the course that ends an evaluation."""
    made = times().exposed()
    plan = times().evaluation_plan
    assert sum(made.values()) == pytest.approx(max(m.arrival for m in plan.messages))
    computing = sum(time for (_, sent), time in made.items() if not sent)
    # without messages the source counts 200.5 us for its busiest node and solver
    assert 100e-6 < computing < 200.5e-6
    free = times().evaluation.plan(CYCLES)
    # the last node ends after 40 cycles; two messages later accelerations are back in row 0
    assert max(placement.end for placement in free.placements) == 40
    assert free.makespan == 42


def test_the_table_has_every_part():
    text = times().table()
    for word in (*TABLE_5_4, "mesh", "speed-up", "moving sums", "messages"):
        assert word in text
    assert "5.38" in text and "4.63" in text


def test_where_a_mesh_pays():
    """Against the best on one processor a mesh gains little, and only with quick messages."""
    payoff = Payoff.of(px.library.cat215b())
    found = [payoff.speedup(ratio) for ratio in (0.0, 10.0, 1000.0)]
    best, own = zip(*found, strict=True)
    assert sorted(best, reverse=True) == list(best) and sorted(own, reverse=True) == list(own)
    assert own[0] > 4.63 > own[2]
    assert 1.0 < best[0] < own[0]
    assert best[2] < 0.1
    assert message_ratio(T800) == pytest.approx(12)
    figure = where_a_mesh_pays([px.library.cat215b()], ratios=(1.0, 10.0))
    assert len(figure.axes[0].lines) == 2 + 1 + 4


def test_variants_differ_in_work_and_messages():
    """F35: passing saves arithmetic, and takes messages."""
    passed = mesh_evaluation(px.library.cat215b(), variant="pass")
    again = times().evaluation
    saved = again.graph.operations.multiply - passed.graph.operations.multiply
    # (6 x, 3 +) for each body i, joint j that moves it, and row k < j
    assert saved == 6 * sum(j for i in range(1, 5) for j in range(1, i + 1))
    assert len(passed.relays) > len(again.relays)
