"""Shared-memory computers: results are visible to others after a fixed delay."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self, final

from phalanx.base.json_fields import Fields
from phalanx.base.short_repr import short_repr
from phalanx.multiprocessor.computers.computer import Computer
from phalanx.multiprocessor.computers.speed import check_time


@short_repr
@final
@dataclass(frozen=True)
class SharedMemory(Computer):
    """Processors with one memory.

    Attributes:
        synchronization: From the end of a task until others may read its results.
    """

    kind: ClassVar[str] = "shared-memory"

    synchronization: float = 0.0
    name: str = "shared memory"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_time("synchronization", self.synchronization)

    def delay(self, words: int, source: int, destination: int) -> float:
        return 0.0 if source == destination else self.synchronization

    @property
    def agreement(self) -> float:
        return self.synchronization

    def with_agreement(self, time: float) -> Self:
        return replace(self, synchronization=time)

    @property
    def shares_memory(self) -> bool:
        return True

    def own_data(self) -> dict[str, Any]:
        return {"synchronization": self.synchronization}

    @classmethod
    def from_data(cls, common: Mapping[str, Any], data: Fields) -> Self:
        return cls(**common, synchronization=data.number("synchronization"))
