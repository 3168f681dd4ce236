"""What we compute for the tables of Lathrop (1983): a value for each row of printed.toml."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

import phalanx as px
from papers.lathrop import golden
from papers.lathrop.numbers import Arrays, number_chain, wide
from phalanx import hardware
from phalanx import multiprocessor as mp
from phalanx.base.scans import sklansky
from phalanx.equations.inverse_dynamics.vector_forms.linear import linear_form, linear_motions
from phalanx.hardware import budgets
from phalanx.hardware.chip import TABLE_VII_1
from phalanx.hardware.chip.rolling_check import first_states, next_states
from phalanx.studies import lathrop

NETWORKS = (None, sklansky)
MANY = 1000.0  # a multiplication takes so many additions: both counts can be read off a time


@cache
def arm(joints: int = 6) -> px.Mechanism:
    return golden.random_chain(joints, np.random.default_rng(joints), turning=1.1)


@cache
def array(joints: int, network, multiply: float = 1.0, **options) -> hardware.OperatorArray:
    return hardware.operator_array(arm(joints), network, multiply=multiply, **options)


def table_o1() -> list[tuple[float, float]]:
    """Formulas as they are printed; the last three rows by the plans of arrays."""
    cells = {(c.method, c.operation): c.count for c in lathrop.table_o1(6)}
    rows = dict.fromkeys(method for method, _ in cells)
    counts = [(cells[row, "multiply"], cells[row, "add"]) for row in rows][:-3]
    for network in NETWORKS:
        counts.append(divmod(array(6, network, MANY).latency_to_wrenches, MANY))
    return [*counts, divmod(array(6, None, MANY).interval, MANY)]


def constants() -> list:
    """Latency at six joints in multiplications and additions: text of III, appendix A."""
    latency = divmod(array(6, None, MANY).latency_to_wrenches, MANY)
    return [latency, latency, divmod(array(6, sklansky, MANY).latency_to_wrenches, MANY)]


def latencies() -> list:
    """One to eight joints, and batches of sets."""
    times = [[array(n, network).latency_to_wrenches for n in range(1, 9)] for network in NETWORKS]
    sets = [array(6, network) for network in NETWORKS]
    readout = [a.latency - a.latency_to_wrenches for a in sets]
    batches = [a.time(20) - r for a, r in zip(sets, readout, strict=True)]
    grounded = [array(n, sklansky, grounded=True).latency_to_wrenches for n in (4, 8, 16)]
    serial = sum(
        mp.Kind(kind).work.times(count).total for kind, count in _serial_operators().items()
    )
    return [*times, array(6, None).interval, *batches, grounded, serial]


def _serial_operators() -> dict[str, int]:
    """Vector operators of one arm of six joints, one after the other."""
    tasks = mp.vector_tasks(arm(6), readout=False)
    kinds = [task.kind for task in tasks.graph.tasks]
    return {kind: kinds.count(kind) for kind in set(kinds)}


@cache
def _ends(joints: int) -> dict[str, float]:
    plan = array(joints, None).plan
    return {plan.graph.tasks[p.task].name: p.end for p in plan.placements}


def availability() -> Iterator[list[float]]:
    """When each variable of joints 1 to 6 is there; joint after joint."""
    end = _ends(6)
    for name in ("w", "dw", "a", "rdd", "F", "N", "f", "n"):
        yield [end[f"{i}.{name}"] for i in range(1, 7)]


def offsets() -> list[float]:
    """Smallest offsets of the linear recursion in Flops, and the buffers that follow from it."""
    padded = array(6, None, padded=True)
    end = {padded.plan.graph.tasks[p.task].name: p.end for p in padded.plan.placements}
    names = [padded.plan.computer.processor_name(p) for p in range(padded.plan.computer.processors)]
    depths = {
        (b.task, names[b.destination]): b.depth for b in array(6, None).periodic.buffers_needed
    }
    slots = sum(depths[f"{i}.F", f"inward {i} · f"] for i in range(1, 7))
    return [
        end["3.dw"] - end["3.w"],
        end["3.a"] - end["3.w"],
        end["3.a"] - end["3.dw"],
        _load_offset(),
        slots,
    ]


def _load_offset() -> float:
    """n after f at the least, when both pass one joint in a product and a sum."""
    tasks = mp.vector_tasks(arm(6), readout=False)
    number, machine = tasks.graph.number, mp.SharedMemory(1, (mp.vector_operator("any"),))
    ways = mp.recurrence_ways(
        tasks.graph,
        machine,
        {x: [number(f"3.{x}")] for x in ("f", "n")},
        {x: number(f"2.{x}") for x in ("f", "n", "F", "N")},
    )
    between = [way for way in ways if {way.to, way.source} <= {"f", "n"}]
    period = mp.shortest_period(between)
    late = mp.smallest_offsets(mp.offset_inequalities(between, period))
    return late["n"] - late["f"]


def operators_of_nodes() -> Iterator[list[float]]:
    """MV, VA, VC, SV, MM, all of them; scalar multiplications and additions."""
    for form, direction in (
        *((None, "outward"), (None, "inward"), (sklansky, "outward"), (sklansky, "inward")),
        (None, "own"),
    ):
        counts = budgets.node_operators(mp.vector_tasks(arm(7), form))[direction]
        work = [mp.Kind(kind).work.times(count) for kind, count in counts.items()]
        yield [
            *(counts[kind] for kind in ("MV", "VA", "VC", "SV", "MM")),
            counts.total(),
            sum(w.multiply for w in work),
            sum(w.add for w in work),
        ]


def vector_processors() -> Iterator[list[int]]:
    """Outward, own, inward: a device for one set at a time, and the systolic array."""
    for network, options in ((None, {}), (sklansky, {"grounded": True, "unified": True})):
        for systolic in (False, True):
            found = array(6, network, systolic=systolic, **options).vector_processors
            yield [found["outward"], found["own"], found["inward"]]


def packages() -> list:
    """Packages of forty pins, and how many processors fit into one."""
    linear = array(6, None).vector_processors
    all_three = sum(linear[way] for way in ("outward", "own", "inward"))
    fitting = [
        max(n for n in range(1, 20) if budgets.packages(n, shared=shared) == 1)
        for shared in (False, True)
    ]
    return [budgets.packages(all_three), fitting]


def communication() -> list:
    """Words from node to node, buses, results that wait."""
    tree, line = mp.vector_tasks(arm(7), sklansky), mp.vector_tasks(arm(7))
    nodes = budgets.node_operators(tree)
    outward, inward, own = (nodes[way].total() for way in ("outward", "inward", "own"))
    waiting = {
        network: max(
            len(roles)
            for (tier, _), roles in budgets.temporaries(
                hardware.operator_array(arm(), network, padded=True)
            ).items()
            if tier or network is None
        )
        for network in NETWORKS
    }
    return [
        [budgets.operand_words(line) / 3, budgets.operand_words(line, "inward") / 3],
        budgets.operand_words(tree),
        [3 * waiting[None], 3 * waiting[sklansky]],
        [outward, budgets.buses(outward)],
        [outward + inward, budgets.buses(outward + inward)],
        [own, budgets.buses(own)],
        max(budgets.side_by_side(sklansky, n) for n in range(2, 66)),
    ]


def prefix_networks() -> list:
    """Levels at seven joints and the base, nodes of 6, 7 and 8 inputs."""
    return [len(sklansky.levels(8)), [sklansky.nodes(n) for n in (6, 7, 8)]]


def chip() -> list:
    """Flops of Table VII.1, what one primitive module does in a Flop, cycles of a sweep."""
    flops = [len(TABLE_VII_1[kind].instructions) for kind in ("VA", "SV", "VC", "VD", "MV")]
    steps = [step for code in TABLE_VII_1.values() for step in code.instructions]
    at_once = [
        max(step.multiplications for step in steps),
        max(step.additions for step in steps),
    ]
    return [flops, at_once, [_sweep(chips) for chips in (4, 10)]]


def _sweep(chips: int) -> int:
    states, cycles = first_states(chips), 0
    while cycles == 0 or states != first_states(chips):
        states, cycles = next_states(states, [True] * (chips + 1)), cycles + 1
    return cycles


def rates() -> list[float]:
    """Time of an operation at 60 Hz [µs]: linear, logarithmic, systolic [ms]."""
    linear, tree = (array(6, network) for network in NETWORKS)
    return [
        1e6 * budgets.allowed_flop_time(linear.latency_to_wrenches),
        1e6 * budgets.allowed_flop_time(tree.latency_to_wrenches),
        1e3 * budgets.allowed_flop_time(linear.interval),
    ]


def concurrency() -> list[float]:
    """A processor for each joint of the Stanford arm: subtasks as variables, as operations."""
    tasks = mp.vector_tasks(px.library.stanford())
    plans = [lathrop.processor_per_joint(tasks, mp.exact, fine=fine) for fine in (False, True)]
    assert all(plan.is_proven_shortest for plan in plans)
    return [plan.speedup for plan in plans]


def stanford_arm() -> list[tuple[int, int]]:
    """Newton-Euler of the Stanford arm, traced: multiplications and additions."""
    counts = px.count_operations(
        px.expression(px.inverse_dynamics.recursive, px.library.stanford())
    )
    return [(counts.multiply, counts.add)]


def golden_chain() -> list[np.ndarray]:
    """Torques with a wrench at the tip, without, at rest; ends of the chain; two joints."""
    chain = golden.golden_chain()
    q, v, a = golden.GOLDEN_STATE
    d, loaded = px.Dynamics(chain), px.Dynamics(chain, wrenches=[golden.TIP])
    numbers = number_chain(chain, (q, v, a), tip=golden.TIP, wrench=wide(golden.GOLDEN_WRENCH))
    last = linear_motions(Arrays(), numbers)[-1]
    first = linear_form(Arrays(), numbers)[0]
    planar = px.Dynamics(golden.planar_2r())
    return [
        loaded.inverse_dynamics(q, v, a, golden.GOLDEN_WRENCH),
        d.inverse_dynamics(q, v, a),
        d.gravity(q),
        *(last.w, last.dw, last.a, first.f, first.n),
        planar.inverse_dynamics(*golden.PLANAR_STATE),
    ]
