"""Wong (1991), §3.2-3.6 and §4.7: operations counted, tables regenerated, parallel rivals.

Acceptance checks 7, 8 and 17 of the spec (specs/wong-1991.md), gaps G9, G10 and G12.
"""

import numpy as np
import pytest

import phalanx as px
from evaluate import Numbers
from phalanx.studies.wong.general_chain import general_chain
from phalanx.studies.wong.parallel import (
    EXCAVATOR_PARALLEL,
    EXCAVATOR_SERIAL,
    Cost,
    ProcessorNetwork,
    Rival,
    amin_javaheri,
    best_up_to,
    doubling_hops,
    excavator_speedup,
    force_cost,
    hwang_by_steps,
    hwang_messages,
    inertia_cost,
    longest_path_cost,
    solver_cost,
    whole_cost,
)
from phalanx.studies.wong.phases import (
    as_the_source_counts,
    body_phases,
    inertia_phases,
    solver_operations,
)
from phalanx.studies.wong.plot import parallel_times, serial_times
from phalanx.studies.wong.published import (
    TABLE_3_1,
    TABLES,
    CountedPart,
    Misprint,
    misprints,
    regenerated,
)
from phalanx.studies.wong.today import counts_today, regrouped_complement

CHAINS = range(3, 13)


def pair(operations) -> tuple[int, int]:
    return operations.multiply, operations.add


# -- check 7 -------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", CHAINS)
def test_7_counted_phases_of_the_inertia_matrix_are_the_sources_polynomials(n):
    phases = inertia_phases(n)
    pairs = n * (n - 1) // 2
    assert pair(phases["A"]) == (4 * n, 0)
    assert pair(phases["c"]) == (8 * (pairs - (n - 1)), 5 * (pairs - (n - 1)))
    assert pair(phases["rho"]) == (8 * pairs, 11 * pairs)
    assert pair(phases["J c"]) == (9 * pairs, 6 * pairs)
    assert pair(phases["m (rho x c)"]) == (9 * pairs, 3 * pairs)
    products = n * (n + 1) * (n + 2) // 6 - n
    assert pair(phases["product"]) == (6 * products - pairs, 5 * products - pairs)
    published = TABLE_3_1[CountedPart.INERTIA]["Proposed"]
    assert as_the_source_counts(phases) == (published.multiply(n), published.add(n))


def test_7_the_excavator_has_286_multiplications_and_209_additions():
    assert as_the_source_counts(inertia_phases(4)) == (286, 209)


@pytest.mark.parametrize("n", CHAINS)
def test_the_source_forgets_to_add_up_the_products(n):
    # M_ik is a sum over the bodies beyond both joints: n(n² - 1)/6 additions that no phase has
    assert pair(inertia_phases(n)["sum over bodies"]) == (0, n * (n * n - 1) // 6)


def test_phases_of_the_force_vector():
    # §3.3.1; of every body but the first, as the source counts them
    phases = {name: pair(count) for name, count in body_phases().items()}
    assert phases == {
        "w": (8, 6),
        "w'": (10, 7),
        "W": (6, 9),
        "p''": (26, 23),
        "m p''": (3, 0),
        "dL/dt": (24, 18),
    }


def test_the_first_body_needs_less_than_the_source_allows_it():
    first = {name: pair(count) for name, count in body_phases(first=True).items()}
    assert first["W"] == (1, 0)
    # 12 and 9 printed: gravity lies along z, and so does w
    assert first["p''"] == (5, 2)
    # 15 and 10 printed
    assert first["dL/dt"] == (4, 0)


@pytest.mark.parametrize("n", CHAINS)
def test_the_printed_items_of_the_force_vector_do_not_add_up_to_its_formula(n):
    # gap G9: the items sum to 3n² + 77n - 46 and 3n² + 63n - 44
    others = [pair(count) for count in body_phases().values()]
    stated_first = {"W": (1, 0), "p''": (12, 9), "m p''": (3, 0), "dL/dt": (15, 10)}
    multiply = (n - 1) * sum(m for m, _ in others) + sum(m for m, _ in stated_first.values())
    add = (n - 1) * sum(a for _, a in others) + sum(a for _, a in stated_first.values())
    items = multiply + 3 * n * n, add + 3 * n * n
    assert items == (3 * n * n + 77 * n - 46, 3 * n * n + 63 * n - 44)
    assert items != TABLE_3_1[CountedPart.FORCE]["Proposed"](n)


@pytest.mark.parametrize("n", CHAINS)
def test_the_printed_solver_is_a_cholesky_without_square_roots(n):
    # Lᵀ D L along the tree, reciprocals of the pivots left out: the source's polynomial, exactly
    published = TABLE_3_1[CountedPart.SOLVER]["Proposed"]
    counts = solver_operations(n)
    free = counts["along_the_tree"]
    assert (free.multiply + free.divide, free.add) == (published.multiply(n), published.add(n))
    rooted = counts["cholesky"]
    assert rooted.sqrt == n
    # with roots the diagonal is divided by twice
    assert (rooted.multiply + rooted.divide, rooted.add) == (
        published.multiply(n) + n,
        published.add(n),
    )


def test_total_is_the_sum_of_its_parts():
    for method in ("Proposed", "Walker"):
        parts = [
            TABLE_3_1[part][method]
            for part in (CountedPart.FORCE, CountedPart.INERTIA, CountedPart.SOLVER)
        ]
        for n in CHAINS:
            total = TABLE_3_1[CountedPart.TOTAL][method]
            assert sum(part.multiply(n) for part in parts) == total.multiply(n)
            assert sum(part.add(n) for part in parts) == total.add(n)


# -- check 8 -------------------------------------------------------------------------------------

WALKER_PRINTED = (631, 907, 1208, 1537, 1893, 2279, 2694, 3141, 3619, 4131)
WALKER_TRUE = (654, 947, 1271, 1627, 2016, 2439, 2897, 3391, 3922, 4491)


def test_8_tables_are_their_formulas_but_for_the_known_misprints():
    assert misprints() == [
        Misprint("3.2", "Proposed", 7, "add", 851, 859),
        Misprint("3.2", "Walker", 5, "multiply", 555, 553),
        Misprint("3.2", "Fijany", 6, "multiply", 664, 674),
        Misprint("3.3", "Angeles", 6, "multiply", 536, 531),
        *(
            Misprint("3.5", "Walker", n, "multiply", wrong, true)
            for n, wrong, true in zip(CHAINS, WALKER_PRINTED, WALKER_TRUE, strict=True)
        ),
    ]


def test_8_walkers_column_has_eleven_squares_instead_of_thirteen_and_a_half():
    for n, wrong, true in zip(CHAINS, WALKER_PRINTED, WALKER_TRUE, strict=True):
        assert int(true - (27 / 2 - 11) * n * n) == pytest.approx(wrong, abs=1)


def test_8_all_184_entries_are_compared():
    entries = sum(2 * len(row) for _, printed in TABLES.values() for row in printed.values())
    assert entries == 2 * (6 * 4 + 4 * 7 + 4 * 10)
    again = [regenerated(table) for table in TABLES]
    assert sum(2 * len(row) for table in again for row in table.values()) == entries


# -- check 17 ------------------------------------------------------------------------------------


def test_17_the_mesh_is_quickest_up_to_twelve_and_fourteen_joints():
    # the source reads 13 and 15 off its figures
    assert best_up_to(inertia_cost) == 12
    assert best_up_to(whole_cost) == 14


def test_17_with_its_own_force_vector_the_mesh_is_quickest_up_to_thirteen():
    # gap G16: on the mesh forces take longer than the matrix that should hide them
    for n in range(2, 21):
        force, inertia = force_cost(Rival.WONG, n), inertia_cost(Rival.WONG, n)
        assert force is not None and force.time() > inertia.time()
    assert best_up_to(longest_path_cost) == 13


def test_17_times_beside_the_crossover():
    assert [inertia_cost(rival, 4).time() for rival in Rival] == [292.5, 158.5, 294.0, 274.0]
    assert [whole_cost(rival, 14).time() for rival in Rival] == [594.5, 573.5, 592.5, 583.5]
    assert whole_cost(Rival.WONG, 15).time() == 612.5
    assert whole_cost(Rival.HWANG, 15).time() == 602.5


# table 4.8, typed a second time: multiplications and additions, each (constant, n, levels, half n)
TABLE_4_8 = {
    ("force", Rival.LEE): ((87, 0, 0, 0), (65, 0, 15, 0)),
    ("force", Rival.WONG): ((27, 24, 0, 0), (25, 19, 0, 0)),
    ("inertia", Rival.LEE): ((116, 0, 31, 9), (92, 3, 28, 5)),
    ("inertia", Rival.WONG): ((24, 22, 0, 0), (5, 22, 0, 0)),
    ("inertia", Rival.FIJANY): ((102, 0, 48, 0), (66, 0, 63, 0)),
    ("inertia", Rival.HWANG): ((109, 6, 27, 0), (92, 5, 31, 0)),
    ("solver", Rival.LEE): ((-5, 7, 0, 0), (-5, 7, 0, 0)),
    ("solver", Rival.WONG): ((1, 4, 0, 0), (0, 4, 0, 0)),
    ("solver", Rival.FIJANY): ((-5, 7, 0, 0), (-5, 7, 0, 0)),
    ("solver", Rival.HWANG): ((-5, 7, 0, 0), (-5, 7, 0, 0)),
    # the last column, which adds the solver to the inertia matrix
    ("whole", Rival.LEE): ((111, 7, 31, 9), (87, 10, 28, 5)),
    ("whole", Rival.WONG): ((25, 26, 0, 0), (5, 26, 0, 0)),
    ("whole", Rival.HWANG): ((104, 13, 27, 0), (87, 12, 31, 0)),
}
COSTS = {"force": force_cost, "inertia": inertia_cost, "solver": solver_cost, "whole": whole_cost}


@pytest.mark.parametrize(("part", "rival"), TABLE_4_8, ids=lambda x: str(x))
def test_17_every_polynomial_of_the_table_of_rivals(part, rival):
    for n in (1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17):
        levels, half = int(np.ceil(np.log2(n))), int(np.ceil((n + 1) / 2))
        multiply, add = (int(np.dot(row, (1, n, levels, half))) for row in TABLE_4_8[part, rival])
        assert COSTS[part](rival, n) == Cost(multiply, add)


def test_17_a_cost_has_the_prices_of_its_processor():
    assert Cost(3, 4).time() == 3 * 1.0 + 4 * 0.5
    assert Cost(3, 4).time(2.0, 0.25) == 7.0
    assert Cost(3, 4).times(5) + Cost(1, 2) == Cost(16, 22)


def test_17_forces_of_the_others_are_in_no_table():
    assert force_cost(Rival.FIJANY, 4) is None and force_cost(Rival.HWANG, 4) is None


def test_17_speed_up_of_the_excavator_by_counting():
    assert Cost(674, 508) == EXCAVATOR_SERIAL
    assert EXCAVATOR_PARALLEL.time() == 200.5
    assert excavator_speedup() == pytest.approx(4.63, abs=0.005)


def test_the_excavators_parallel_count_needs_a_division_a_cell():
    # gap G10: 143 multiplications only if the solver's n divisions count; Table 4.8 has one
    n = 4
    rest = EXCAVATOR_PARALLEL.multiply - inertia_cost(Rival.WONG, n).multiply - 11  # actuator
    assert rest == 5 * n != solver_cost(Rival.WONG, n).multiply
    assert EXCAVATOR_PARALLEL.add == inertia_cost(Rival.WONG, n).add + 4 * n + 6


@pytest.mark.parametrize("n", CHAINS)
def test_hwangs_steps_have_three_additions_fewer_than_their_sum(n):
    # gap G12
    steps, total = hwang_by_steps(n), inertia_cost(Rival.HWANG, n)
    assert (steps.multiply, steps.add + 3) == (total.multiply, total.add)


def test_the_crossover_hardly_depends_on_the_cost_of_an_addition():
    found = {
        add: (best_up_to(inertia_cost, add=add), best_up_to(whole_cost, add=add))
        for add in (0.0, 0.5, 1.0)
    }
    assert found == {0.0: (12, 13), 0.5: (12, 14), 1.0: (12, 14)}


def test_what_recursive_doubling_sends():
    # §4.7: sum of i, 2 log n, sum of 2^(i-1); for eight bodies a mesh needs 7 hops, a cube 6
    assert [doubling_hops(8, network) for network in ProcessorNetwork] == [6, 6, 7]
    assert [doubling_hops(64, network) for network in ProcessorNetwork] == [21, 12, 63]
    assert hwang_messages(8) == 32 * 3 + 3 + 6 * 7


def test_lee_and_amin_javaheri_for_eight_joints():
    # the source says 473 for Lee's; its formula gives 479
    lee = inertia_cost(Rival.LEE, 8)
    assert lee.multiply + lee.add == 479
    assert amin_javaheri(8) == 512


def test_rivals_of_no_joints():
    with pytest.raises(px.InvalidInput, match="at least one joint"):
        inertia_cost(Rival.LEE, 0)
    with pytest.raises(px.InvalidInput, match="joints=0"):
        inertia_phases(0)


def test_figures_draw_every_method():
    assert len(serial_times().axes[0].lines) == 4
    for solver, last in ((False, 12), (True, 14)):
        lines = parallel_times(solver=solver).axes[0].lines
        times = {line.get_label()[0]: dict(zip(*line.get_data(), strict=True)) for line in lines}
        assert set(times) == {"L", "W", "F", "H"}
        assert min(times, key=lambda rival: times[rival][last]) == "W"
        assert min(times, key=lambda rival: times[rival][last + 1]) != "W"


# -- today ---------------------------------------------------------------------------------------


def test_regrouped_masses_halve_the_complement():
    arm = px.library.puma600()
    counts = counts_today(arm)["inertia matrix"]
    complement = counts["orthogonal complement"]
    assert complement["regrouped"].total < 0.6 * complement["chosen"].total
    assert complement["chosen"].total < as_total(inertia_phases(6))
    # and composite bodies in body frames are the least of all
    best = counts["composite bodies"]["chosen"].total
    assert all(count.total >= best for row in counts.values() for count in row.values())


# method of ours to the row of Table 3.1 that counts it
SAME_METHOD = {
    ("inertia matrix", "orthogonal complement"): (CountedPart.INERTIA, "Proposed"),
    ("inertia matrix", "spatial composites"): (CountedPart.INERTIA, "Fijany"),
    ("inertia matrix", "composite bodies"): (CountedPart.INERTIA, "Walker"),
    ("inverse dynamics", "natural complement"): (CountedPart.FORCE, "Angeles"),
    ("forward dynamics", "orthogonal complement"): (CountedPart.TOTAL, "Proposed"),
    ("forward dynamics", "articulated bodies"): (CountedPart.TOTAL, "Brandl"),
    ("forward dynamics", "factorized"): (CountedPart.TOTAL, "Walker"),
}


@pytest.mark.parametrize("n", [4, 6])
def test_traced_methods_need_no_more_than_was_published_for_a_general_chain(n):
    # divisions among multiplications, as the source counts; sines and cosines nowhere
    counts = counts_today(general_chain(n))
    for (part, method), (row, name) in SAME_METHOD.items():
        for place, count in counts[part][method].items():
            found = count.multiply + count.divide + count.add
            assert found < sum(TABLE_3_1[row][name](n)), (method, place)


def test_a_general_chain_has_nothing_to_fold():
    # in one frame every angle counts
    count = counts_today(general_chain(5))["inertia matrix"]["composite bodies in the root's frame"]
    assert count["given"].sincos == 5
    mechanism = general_chain(5)
    assert all((np.abs(body.inertia) > 0.01).all() for body in mechanism.bodies[1:])
    q = mechanism.random_positions(seed=2)
    M = Numbers(mechanism).mass_matrix(q)
    np.testing.assert_allclose(
        Numbers(mechanism)(px.mass_matrix.orthogonal_complement, q), M, atol=1e-12
    )


def as_total(phases) -> int:
    return sum(count.total for count in phases.values())


@pytest.mark.parametrize("machine", [px.library.puma600, px.library.torso, px.library.cat215b])
def test_a_regrouped_complement_has_the_same_inertia(machine):
    mechanism = machine()
    n = Numbers(mechanism)
    for q in mechanism.random_positions(5, seed=3):
        M = n.mass_matrix(q)
        np.testing.assert_allclose(n(regrouped_complement, q), M, atol=1e-11 * np.abs(M).max())
