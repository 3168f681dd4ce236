"""Lanes of a vector unit (SIMD): the same operation at the same time."""

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
class Lanes(Computer):
    """Lanes of one vector unit: all that work at a time do the same kind of task.

    Attributes:
        shuffle: From the end of a task until another lane may read its results.
    """

    kind: ClassVar[str] = "lanes"
    row_kind: ClassVar[str] = "lane"

    shuffle: float = 0.0
    name: str = "vector lanes"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_time("shuffle", self.shuffle)

    def delay(self, words: int, source: int, destination: int) -> float:
        return 0.0 if source == destination else self.shuffle

    @property
    def agreement(self) -> float:
        return self.shuffle

    def with_agreement(self, time: float) -> Self:
        return replace(self, shuffle=time)

    @property
    def in_lock_step(self) -> bool:
        return True

    def own_data(self) -> dict[str, Any]:
        return {"shuffle": self.shuffle}

    @classmethod
    def from_data(cls, common: Mapping[str, Any], data: Fields) -> Self:
        return cls(**common, shuffle=data.number("shuffle"))
