"""Multi-start search for postures, as one step of a compiled loop.

A lane steps from a posture towards its target. It is done when everything is within tolerance, or
when its last start has had its steps; then it has kept the posture of the least error it came by.
Where nothing was reached after so many steps it goes on from its next start.
"""

from __future__ import annotations

import casadi as ca
from casadi import SX

from phalanx.base.casadi_operators import quick_operators
from phalanx.equations.expression import identifier
from phalanx.equations.spatial import constant
from phalanx.equations.tree.positions import positions_after, positions_between
from phalanx.kernel import Kernel
from phalanx.kernel import compile as compile_kernel
from phalanx.kernel.loops.until import UntilKernel, compile_until
from phalanx.planning.inverse_kinematics.damped_step import damped_step, damping_of, free_velocities
from phalanx.planning.inverse_kinematics.problem import Problem
from phalanx.planning.inverse_kinematics.starts import spread, start, within

# what a lane remembers: number of its start, steps since then, steps in all, the least error so
# far, the start that had it
MEMORY = ("start", "since", "steps", "least", "best_start")
NOTHING_YET = 1e300
# inputs of all lanes: the start before which they end, steps a start has, weight of the loops,
# damping in proportion to the error
SETTINGS = ("last", "patience", "closing", "caution")

# of the way to the preferred posture, a step
_EAGERNESS = 0.5
# [rad, or of the reach]: a null space that is left as it is
_SETTLED = 1e-7
# last steps of a start, in which only the tasks count
_LAST_STEPS = 6


@quick_operators()
def compile_search(
    problem: Problem, preferred: bool, threads: int | None, cache: bool
) -> UntilKernel:
    """The loop that brings lanes to their targets.

    Its inputs are the positions, the best so far, the memory; then the target, the given posture
    and the numbers of a seed for starts, weights and tolerances of the parts, settings, and the
    posture that is ``preferred``, if any.
    """
    m, parts = problem.mechanism, len(problem.parts)
    q, best = SX.sym("q", m.nq), SX.sym("best", m.nq)
    memory, settings = SX.sym("memory", len(MEMORY)), SX.sym("settings", len(SETTINGS))
    target, given = SX.sym("target", problem.target_size), SX.sym("given", m.nq)
    shift, posture = SX.sym("shift", m.nv), SX.sym("posture", m.nq)
    weights, tolerances = SX.sym("weights", parts), SX.sym("tolerances", parts)
    number, since, steps, least, best_start = ca.vertsplit(memory)
    last, patience, closing, caution = ca.vertsplit(settings)

    rows = problem.rows(q, target, weights, tolerances, closing)
    free = free_velocities(problem.model, problem.limits, q, rows.J.T @ rows.e)
    damping = damping_of(rows, caution)
    scales = constant(problem.scales)
    reached = rows.met
    if preferred:
        null_space_step = _EAGERNESS * positions_between(problem.model, q, posture) / scales
        late = since + _LAST_STEPS >= patience
        null_space_step = ca.if_else(late, 0, null_space_step)
        # once more without joints that this step would bring beyond their limits
        x = damped_step(rows, damping, free, null_space_step)
        free = free * free_velocities(problem.model, problem.limits, q, x)
        x = damped_step(rows, damping, free, null_space_step)
        reached = ca.logic_and(reached, ca.logic_or(late, ca.norm_inf(x) <= _SETTLED))
    else:
        x = damped_step(rows, damping, free)
    ahead = within(problem.limits, positions_after(problem.model, q, scales * x))

    gives_up = ca.logic_and(ca.logic_not(reached), since + 1 >= patience)
    following = number + gives_up
    anew = spread(problem.model, problem.limits, following, given, shift)
    is_better = ca.logic_or(reached, rows.cost < least)
    kept = ca.if_else(is_better, q, best)
    remembered = ca.vertcat(
        following,
        ca.if_else(gives_up, 0, since + 1),
        steps + 1,
        ca.if_else(is_better, rows.cost, least),
        ca.if_else(is_better, number, best_start),
    )
    done = ca.logic_or(reached, following >= last)
    inputs = {
        "q": q, "best": best, "memory": memory, "target": target, "given": given, "shift": shift,
        "weights": weights, "tolerances": tolerances, "settings": settings,
    }  # fmt: skip
    if preferred:
        inputs["posture"] = posture
    outputs = {
        "q_next": ca.if_else(gives_up, anew, ahead),
        "found": kept,
        "memory_next": remembered,
        "reached": reached,
        "done": done,
    }
    step = _function(problem, "search", inputs, outputs)
    return compile_until(step, 3, shapes={"reached": (), "done": ()}, threads=threads, cache=cache)


@quick_operators()
def compile_starts(problem: Problem, threads: int | None, cache: bool) -> Kernel:
    """``(number, given, shift) -> q``: the positions of a start."""
    m = problem.mechanism
    number, given = SX.sym("number"), SX.sym("given", m.nq)
    shift = SX.sym("shift", m.nv)
    q = start(problem.model, problem.limits, number, given, shift)
    inputs = {"number": number, "given": given, "shift": shift}
    function = _function(problem, "starts", inputs, {"q": q})
    return compile_kernel(function, shapes={"number": ()}, threads=threads, cache=cache)


@quick_operators()
def compile_report(problem: Problem, threads: int | None, cache: bool) -> Kernel:
    """``(q, target, given) -> (misses, opening, distance)``: what a posture comes to.

    How far each part misses [m or rad], how far loops are open at most, and how far away the given
    posture is [rad and m].
    """
    m = problem.mechanism
    q, given = SX.sym("q", m.nq), SX.sym("given", m.nq)
    target = SX.sym("target", problem.target_size)
    openings = problem.openings(q)
    outputs = {
        "misses": ca.vertcat(*(part.miss for part in problem.errors(q, target))),
        "opening": ca.norm_inf(openings) if openings.numel() else SX(0),
        "distance": ca.norm_2(positions_between(problem.model, q, given)),
    }
    inputs = {"q": q, "target": target, "given": given}
    function = _function(problem, "report", inputs, outputs)
    shapes: dict[str, tuple[int, ...]] = {"opening": (), "distance": ()}
    return compile_kernel(function, shapes=shapes, threads=threads, cache=cache)


def _function(
    problem: Problem, name: str, inputs: dict[str, SX], outputs: dict[str, SX]
) -> ca.Function:
    dense = [ca.densify(output) for output in ca.cse(list(outputs.values()))]
    return ca.Function(
        identifier(f"{problem.mechanism.name}_{name}"),
        list(inputs.values()),
        dense,
        list(inputs),
        list(outputs),
    )
