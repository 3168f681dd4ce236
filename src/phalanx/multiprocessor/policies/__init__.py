"""Scheduling policies; each states itself in its module's docstring."""

from phalanx.multiprocessor.policies.by_name import POLICIES, policy_by_name
from phalanx.multiprocessor.policies.earliest_finish import earliest_finish
from phalanx.multiprocessor.policies.exact import exact
from phalanx.multiprocessor.policies.highest_level_first import highest_level_first
from phalanx.multiprocessor.policies.layered import layered

__all__ = [
    "POLICIES",
    "earliest_finish",
    "exact",
    "highest_level_first",
    "layered",
    "policy_by_name",
]
__dir__ = __all__.copy
