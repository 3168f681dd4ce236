"""Which machines are long: walked over instead of unrolled.

Unrolled code has an instruction for every operation of every body. It runs fastest while it fits
the caches, and takes longer and longer to compile. Walks are compiled for kinds of bodies, however
many there are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from phalanx.base.errors import InvalidInput
from phalanx.dynamics.evaluators.method import Method
from phalanx.equations import inverse_dynamics, mass_matrix
from phalanx.mechanism import Cylindrical, Fixed, Mechanism, Universal

# Elementary joints beyond which walks are taken (`benchmarks/long_machines.py`): unrolled code then
# compiles for 5 to 11 s; in batches it would still be 1.2 (inverse) to 1.4 times (forward) as fast.
LONG = 500
# Elementary joints up to which code is unrolled where only that will do: minutes of compiling.
UNROLLED_AT_MOST = 3000


def node_count(mechanism: Mechanism) -> int:
    """Elementary joints of a machine: none where bodies are fixed, two in a universal joint."""
    kinds = Counter(type(joint.motion) for joint in mechanism.joints)
    return kinds.total() - kinds[Fixed] + kinds[Universal] + kinds[Cylindrical]


def why_unrolled(
    mechanism: Mechanism,
    parameters: Sequence[str],
    dtype: str,
    inverse: Any,
    forward: Any,
    inertia: Any,
) -> str | None:
    """What of a machine or of what is asked of it needs unrolled code; None where nothing does."""
    if mechanism.loops:
        return f"its loop '{mechanism.loops[0].name}' ties branches together"
    follower = next((joint.name for joint in mechanism.joints if joint.mimic), None)
    if follower is not None:
        return f"its joint '{follower}' follows another one"
    others = [name for name in parameters if name != "gravity"]
    if others:
        return f"'{others[0]}' is a parameter"
    if dtype != "float64":
        return f"numbers are {dtype}"
    chosen = (
        (inverse, inverse_dynamics.recursive),
        (forward, None),
        (inertia, mass_matrix.composite_body),
    )
    for method, default in chosen:
        if method is not default and not isinstance(method, Method):
            return f"{getattr(method, '__name__', method)} is asked for"
    return None


def check_unrolled_size(mechanism: Mechanism, nodes: int, why: str) -> None:
    """Raise InvalidInput where unrolled code would take an hour to compile."""
    if nodes > UNROLLED_AT_MOST:
        raise InvalidInput(
            f"'{mechanism.name}' has {nodes} elementary joints, and {why}: that needs unrolled "
            f"code, which is compiled for up to {UNROLLED_AT_MOST}. Trees of any length are for "
            "float64, joints that move freely, the methods that Dynamics chooses itself or those "
            "of phalanx.dynamics.evaluators, and no parameters but gravity."
        )
