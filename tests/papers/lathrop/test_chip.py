"""Acceptance checks 18 to 21: the chip of chapter VII, emulated."""

from __future__ import annotations

import numpy as np
import pytest

import phalanx as px
from papers.lathrop.golden import (
    GOLDEN_STATE,
    GOLDEN_TAU,
    GOLDEN_TAU_FREE,
    GOLDEN_WRENCH,
    PLANAR_STATE,
    PLANAR_TAU,
    TIP,
    golden_chain,
    planar_2r,
)
from phalanx import multiprocessor as mp
from phalanx.base.scans import sklansky
from phalanx.hardware.chip import (
    TABLE_VII_1,
    ChipProgram,
    Double,
    Fault,
    Host,
    Network,
    SerialPorts,
    Vamp,
    VectorWriter,
    chip_array,
    compile_program,
    read_tasks,
    route,
    run_on_chips,
    survive,
)
from phalanx.hardware.chip.rolling_check import first_states, next_states

FORMS = {"linear": None, "logarithmic": sklansky}


def test_18_microcode_gives_every_component_in_1_1_2_3_3_flops():
    """Table VII.1: two multipliers and an adder suffice; a product of matrices is three of MV."""
    rng = np.random.default_rng(18)
    flops = {"VA": 1, "SV": 1, "VC": 2, "VD": 3, "MV": 3}
    work = {"VA": (0, 1), "SV": (1, 0), "VC": (2, 1), "VD": (3, 2), "MV": (3, 2)}
    for kind, code in TABLE_VII_1.items():
        steps = code.instructions
        assert len(steps) == flops[kind]
        assert all(step.multiplications <= 2 and step.additions <= 1 for step in steps)
        # as much in all as a component of the operation needs, so no unit works for nothing
        assert sum(s.multiplications for s in steps) == work[kind][0]
        assert sum(s.additions for s in steps) == work[kind][1]

    def run(kind: str, lines: np.ndarray, b: np.ndarray, shape: str = "vector") -> np.ndarray:
        chip = Vamp(1, Double())
        program = ChipProgram.of(kind, shape, 0, flops[kind])
        chip.load_a([tuple(line) for line in lines], program.shape)
        chip.load_b(tuple(b), program)
        for _ in range(flops[kind]):
            assert chip.step is not None
            chip.compute()
        assert chip.step is None
        return np.array(chip.result())

    for _ in range(20):
        # whole numbers, so that the order of additions does not show
        a, b = rng.integers(-99, 99, (2, 3)).astype(float)
        A, B = rng.integers(-99, 99, (2, 3, 3)).astype(float)
        np.testing.assert_array_equal(run("VA", [a], b), a + b)
        np.testing.assert_array_equal(run("SV", [a], b), a[0] * b)
        np.testing.assert_array_equal(run("VC", [a], b), np.cross(a, b))
        np.testing.assert_array_equal(run("VD", [a], b), np.full(3, a @ b))
        np.testing.assert_array_equal(run("MV", A, b, "rows"), A @ b)
        columns = [run("MV", A, B[:, k], "rows") for k in range(3)]
        np.testing.assert_array_equal(np.stack(columns, axis=1), A @ B)


@pytest.mark.parametrize("network", FORMS.values(), ids=FORMS)
def test_19_chips_programmed_over_their_wires_give_the_golden_torques(network):
    """From any state, and with chips in any order once they are addressed as they stand."""
    graph = mp.vector_tasks(
        golden_chain(), network, tip=TIP, tip_wrench=True, matrix_products=False
    ).graph
    tasks = read_tasks(graph)
    board = compile_program(tasks.program)
    values = tasks.host_values(*(np.stack([x, 0.5 * x]) for x in (*GOLDEN_STATE, GOLDEN_WRENCH)))
    joints = [k for k, o in enumerate(tasks.program.outputs) if o.name.startswith("tau")]
    rng = np.random.default_rng(19)

    numbers = [int(n) for n in rng.permutation(board.chips) + 1]
    network_of_chips = Network(board, Double(), numbers)
    network_of_chips.scramble(rng)
    host = Host(network_of_chips)
    assert len(host.packets()) == board.chips
    host.program()
    first = host.run(values)
    np.testing.assert_allclose(first[0, joints], GOLDEN_TAU, rtol=1e-9)

    # two chips change places, one that reads out a torque: wrong until they are addressed anew
    kinds = [operation.kind for operation in tasks.program.operations]
    one, other = tasks.program.outputs[joints[0]].operation, kinds.index("VA")
    swapped = numbers.copy()
    swapped[one], swapped[other] = swapped[other], swapped[one]
    moved = Network(board, Double(), swapped)
    stale = Host(moved, numbers)
    stale.program()
    assert not np.allclose(stale.run(values), first)
    host = Host(moved, swapped)
    host.program()
    np.testing.assert_array_equal(host.run(values), first)


@pytest.mark.parametrize(("network", "flops"), [(None, 3), (sklansky, 3), (None, 1)])
def test_chips_of_eight_pins_shift_vectors_in_and_out(network, flops):
    """F29: over one wire a port, 64 or 192 bits a Flop; more delays, and the golden torques."""
    ports = SerialPorts(64, 192 // flops)
    assert (ports.pins, ports.ticks(), ports.flops()) == (8, 192, flops)
    array, at_once = (chip_array(golden_chain(), network, ports=p) for p in (ports, None))
    motion = [row[None] for row in GOLDEN_STATE]
    tau = array.inverse_dynamics(*motion)
    np.testing.assert_allclose(tau[0], GOLDEN_TAU_FREE, rtol=1e-9)
    np.testing.assert_array_equal(tau, at_once.inverse_dynamics(*motion))
    # a matrix comes in three times as long as a vector, before its product of three Flops
    assert array.board.interval == 3 * flops + 3
    assert at_once.board.interval == 4
    assert array.board.chips == at_once.board.chips
    operations = array.tasks.program.operations
    ends: list[int] = []
    for operation in operations:
        begins = max(
            (0 if source.from_host else ends[source.place]) + flops * len(operand.sources)
            for operand in (operation.a, operation.b)
            for source in operand.sources
        )
        ends.append(begins + TABLE_VII_1[operation.kind].flops)
    last = max(ends[output.operation] for output in array.tasks.program.outputs)
    assert array.board.latency == last + flops


@pytest.mark.parametrize("network", FORMS.values(), ids=FORMS)
def test_20_faults_are_found_within_a_sweep_excised_and_reported(network):
    """A sweep of P chips takes 2 (P + 1) cycles; every role has one driver in each."""
    for chips in (1, 4, 10, 61):
        states, returns = first_states(chips), []
        for cycle in range(4 * (chips + 1) + 1):
            driven = [s.drives_own for s in states[1:]]
            driven = [
                own + before.drives_successor for own, before in zip(driven, states, strict=False)
            ]
            assert driven == [1] * chips
            returns += [cycle] if states == first_states(chips) else []
            states = next_states(states, [True] * (chips + 1))
        assert returns == [0, 2 * (chips + 1), 4 * (chips + 1)]

    array = chip_array(planar_2r(), network, spares=2)
    board = array.board
    values = array.host_values(*(row[None] for row in PLANAR_STATE))
    clean = array.joint_forces(run_on_chips(board, Double(), values))
    np.testing.assert_allclose(clean[0], PLANAR_TAU, rtol=1e-9)
    # a force that never changes, in one chain; a chip that dies at work, in the other
    role = {duty.role: k for k, duty in enumerate(board.duties)}
    stuck = Fault(1 + role["1.N"], "stuck", 3, 3, 1e3)
    other = next(c for c in board.chains if role["1.N"] not in c)
    results = board.program.results(values)
    dead = Fault(1 + next(k for k in reversed(other) if results[k].any()), "dead", 2)
    found = survive(board, Double(), values, [stuck, dead])
    assert {e.number for e in found.excisions} == {stuck.number, dead.number}
    assert all(0 <= found.delay(fault) < found.sweep for fault in (stuck, dead))
    assert found.sweep == 2 * (max(map(len, board.chains)) + 1)
    assert found.survived and found.reported == tuple(sorted((stuck.number, dead.number)))
    # until then results were wrong: no set that entered later is
    assert found.wrong and max(found.wrong) <= max(e.cycle for e in found.excisions)


@pytest.mark.parametrize("network", FORMS.values(), ids=FORMS)
def test_21_the_bus_takes_both_graphs_and_load_lengthens_the_cycle(network):
    array = chip_array(golden_chain(), network, bus=True)
    routing = array.routing
    assert routing.least <= routing.cycle <= 8
    assert len(routing.usage) == len(routing.bus.spans)
    assert all(0 <= share <= 1 for share in routing.usage)
    # the emulator refuses two drivers on a segment, and the numbers come through
    motion = [row[None] for row in GOLDEN_STATE]
    expected = px.Dynamics(array.mechanism).inverse_dynamics(*motion)
    np.testing.assert_allclose(array.inverse_dynamics(*motion), expected, atol=1e-12)

    # chips that stand anywhere load the long segments: more Flops, the same torques
    program = array.tasks.program
    anywhere = np.random.default_rng(21).permutation(len(program)).tolist()
    loaded = route(program, positions=anywhere)
    assert loaded.cycle > routing.cycle and loaded.cycle >= loaded.least > routing.least
    board = compile_program(program, routing=loaded)
    found = run_on_chips(board, Double(), array.host_values(*motion))
    np.testing.assert_allclose(array.joint_forces(found), expected, atol=1e-12)


def test_other_straight_line_programs_run_on_the_same_chips():
    """F36: rotation by Rodrigues' formula and the energy of a turning body, no arm in sight."""
    writer = VectorWriter("a turning body")
    axis, x, w = writer.given("axis"), writer.given("x"), writer.given("w")
    sine, versine, half = writer.given("sin"), writer.given("1 - cos"), writer.given("half")
    inertia = [writer.given(f"J{k}") for k in range(3)]
    once = writer.apply("VC", axis, x, "k × x")
    twice = writer.apply("VC", axis, once, "k × (k × x)")
    part = writer.apply("VA", x, writer.apply("SV", sine, once, "sin"), "x + sin")
    turned = writer.apply("VA", part, writer.apply("SV", versine, twice, "cos"), "turned")
    momentum = writer.apply("MV", inertia, w, "J w")
    energy = writer.apply("SV", half, writer.apply("VD", momentum, w, "w J w"), "energy")
    for component in (1, 2, 3):
        writer.result(f"turned {component}", turned, component)
    writer.result("energy", energy)

    rng = np.random.default_rng(36)
    k = rng.normal(size=3)
    k /= np.linalg.norm(k)
    angle, point, rate = 0.7, rng.normal(size=3), rng.normal(size=3)
    J = rng.normal(size=(3, 3))
    scalars = [[np.sin(angle), 0, 0], [1 - np.cos(angle), 0, 0], [0.5, 0, 0]]
    values = np.array([[k, point, rate, *scalars, *J]])
    found = run_on_chips(compile_program(writer.program()), Double(), values)[0]
    # by quaternions, which have no formula in common with it
    real, imaginary = np.cos(angle / 2), np.sin(angle / 2) * k
    t = 2 * np.cross(imaginary, point)
    np.testing.assert_allclose(found[:3], point + real * t + np.cross(imaginary, t), atol=1e-14)
    assert found[3] == pytest.approx(0.5 * rate @ J @ rate, rel=1e-14)
