"""Kernels of the scan: steps over segments, batched over nodes or pairs, compiled on first use."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, final

import casadi as ca
from casadi import SX

from phalanx.base.cached import cached_property
from phalanx.base.casadi_operators import quick_operators
from phalanx.dynamics.evaluators.node_types import NodeType
from phalanx.dynamics.evaluators.scan import segments
from phalanx.dynamics.evaluators.scan.segments import BIAS, ENDS, FULL, SYMMETRIC, TURNED
from phalanx.equations.forward_dynamics.segment import Segment, Turning
from phalanx.equations.tree.node import Freedom
from phalanx.kernel import Kernel, compile

# numbers of a segment, part by part
PARTS = {"inertia": SYMMETRIC, "reach": FULL, "give": SYMMETRIC, "turned": TURNED}
# of what passes between two segments
BETWEEN = FULL


@final
class NodeKernels:
    """Steps of the nodes of one kind.

    Those of a node with a segment beyond it take parts of that first; at the tip of a block there
    is none. All take the numbers of the kind last.
    """

    def __init__(self, kind: NodeType, threads: int) -> None:
        """Compiled for so many threads."""
        self.kind, self._threads = kind, threads

    @cached_property
    def extended(self) -> Kernel:
        """(parts, q, v) -> parts of the segment with this node."""
        return self._kernel(segments.extended, list(PARTS), list(PARTS))

    @cached_property
    def extended_tip(self) -> Kernel:
        """(q, v) -> parts."""
        return self._kernel(segments.extended, list(PARTS))

    @cached_property
    def moving(self) -> Kernel:
        """(w, q, v, external) -> w, swing, held."""
        return self._kernel(segments.moving, ["w_here", "swing", "held"])

    @cached_property
    def bias(self) -> Kernel:
        """(inertia, reach, q, tau, swing, held, bias beyond) -> bias."""
        return self._kernel(segments.bias, ["bias"], ["inertia", "reach"])

    @cached_property
    def bias_tip(self) -> Kernel:
        """(q, tau, swing, held, bias beyond) -> bias."""
        return self._kernel(segments.bias, ["bias"])

    @cached_property
    def passed_on(self) -> Kernel:
        """(inertia, q, tau, swing, held, carried) -> carried by the node before."""
        return self._kernel(segments.passed_on, ["passed"], ["inertia"])

    @cached_property
    def passed_on_tip(self) -> Kernel:
        """(q, tau, swing, held, carried) -> carried by the node before."""
        return self._kernel(segments.passed_on, ["passed"])

    @cached_property
    def settled(self) -> Kernel:
        """(inertia, q, tau, swing, held, carried, above) -> a, here, passed, outer."""
        return self._kernel(segments.settled, _SETTLED, ["inertia"])

    @cached_property
    def settled_tip(self) -> Kernel:
        """(q, tau, swing, held, carried, above) -> a, here, passed, outer."""
        return self._kernel(segments.settled, _SETTLED)

    @cached_property
    def mismatch(self) -> Kernel:
        """(q, tau, swing, held, a, above, here, passed, outer) -> tau, swing, held."""
        return self._kernel(segments.mismatch, ["tau_left", "swing_left", "held_left"])

    def _kernel(
        self, step: Callable[..., Any], outputs: Sequence[str], parts: Sequence[str] = ()
    ) -> Kernel:
        """Machine code of a step that reads these parts of what is beyond, if there is any."""
        names = list(inspect.signature(step).parameters)[1:]
        known = {part: SX.sym(part, PARTS[part]) for part in parts}
        symbols = {f"{part}_beyond": x for part, x in known.items()}
        arguments: dict[str, Any] = {}
        for name in names:
            if name == "beyond":
                nothing = zip(PARTS, Segment.none().columns, strict=False)
                arguments[name] = Segment.from_columns(
                    *(known.get(part, none) for part, none in nothing)
                )
            elif name == "turned":
                arguments[name] = known.get(name, Turning.none().numbers)
            else:
                arguments[name] = symbols[name] = SX.sym(name, _size(name, self.kind.freedom))
        with quick_operators():
            results = step(self.kind.node, **arguments)
        symbols["numbers"] = self.kind.arguments
        return _compiled(step.__name__, symbols, results, outputs, self._threads)


_SETTLED = ["acceleration", "here", "passed", "outer"]


def _size(name: str, freedom: Freedom) -> int:
    """Numbers of a node by the name of a step's parameter; most are wrenches and the like."""
    match name:
        case "q":
            return freedom.nq
        case "v" | "tau" | "a":
            return freedom.nv
        case "w":
            return 3
        case "bias_beyond":
            return BIAS
        case _:
            return 6


@lru_cache(maxsize=8)
def pair_kernels(threads: int) -> PairKernels:
    """Steps of pairs, the same for all machines."""
    return PairKernels(threads)


@final
class PairKernels:
    """Steps of two segments in a row, whatever they are made of."""

    def __init__(self, threads: int) -> None:
        """Compiled for so many threads."""
        self._threads = threads

    @cached_property
    def joined(self) -> Kernel:
        """(parts of the first, parts of the second) -> parts, between."""
        sizes = {f"{part}_{k}": PARTS[part] for k in (1, 2) for part in PARTS}
        return self._kernel(segments.joined, sizes, [*PARTS, "between"])

    @cached_property
    def joined_bias(self) -> Kernel:
        """(reach 1, give 1, inertia 2, reach 2, between, bias 1, bias 2) -> bias."""
        return self._kernel(segments.joined_bias, _JOINED, ["bias"])

    @cached_property
    def parted(self) -> Kernel:
        """(as joined_bias, ends) -> ends of the first, ends of the second."""
        return self._kernel(segments.parted, {**_JOINED, "ends": ENDS}, ["ends_1", "ends_2"])

    @cached_property
    def turned_on(self) -> Kernel:
        """(turned 1, w) -> angular velocity of what the first hangs on, and the second."""
        return self._kernel(segments.turned_on, {"turned_1": TURNED, "w": 3}, ["w_1", "w_2"])

    def _kernel(
        self, step: Callable[..., Any], sizes: Mapping[str, int], outputs: Sequence[str]
    ) -> Kernel:
        symbols = {name: SX.sym(name, size) for name, size in sizes.items()}
        with quick_operators():
            results = step(**symbols)
        return _compiled(step.__name__, symbols, results, outputs, self._threads)


_JOINED = {
    "reach_1": FULL,
    "give_1": SYMMETRIC,
    "inertia_2": SYMMETRIC,
    "reach_2": FULL,
    "between": BETWEEN,
    "bias_1": BIAS,
    "bias_2": BIAS,
}


def _compiled(
    name: str, symbols: Mapping[str, SX], results: Any, outputs: Sequence[str], threads: int
) -> Kernel:
    function = ca.Function(
        name,
        list(symbols.values()),
        ca.cse([ca.densify(x) for x in (results if isinstance(results, tuple) else (results,))]),
        list(symbols),
        list(outputs),
    )
    return compile(function, threads=threads)
