"""Scheduling policies by name."""

from __future__ import annotations

from collections.abc import Callable

from phalanx.base.errors import UnknownName
from phalanx.multiprocessor.computers.computer import Computer
from phalanx.multiprocessor.plans.schedule import Schedule
from phalanx.multiprocessor.policies.earliest_finish import earliest_finish
from phalanx.multiprocessor.policies.exact import exact
from phalanx.multiprocessor.policies.highest_level_first import highest_level_first
from phalanx.multiprocessor.policies.layered import layered
from phalanx.multiprocessor.tasks.task_graph import TaskGraph

Policy = Callable[[TaskGraph, Computer], Schedule]

POLICIES: dict[str, Policy] = {
    "layered": layered,
    "highest-level-first": highest_level_first,
    "earliest-finish": earliest_finish,
    "exact": exact,
}
"""Policies by the names that the command line uses."""


def policy_by_name(name: str) -> Policy:
    """The policy of this name, or UnknownName."""
    if name not in POLICIES:
        raise UnknownName("the multiprocessor", "policy", name, POLICIES)
    return POLICIES[name]
