"""A cell of clocked hardware: what it computes in one tick, and its registers.

In a tick in which it acts, a cell reads its ports, computes, and writes its registers at the end of
the tick. What it has written can be read from the next tick on.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from phalanx.base.cached import cached_property
from phalanx.base.errors import InvalidInput, UnknownName
from phalanx.base.short_repr import short_repr
from phalanx.kernel.graph.graph import Graph, Port
from phalanx.kernel.graph.passes.simplify import simplify
from phalanx.kernel.graph.read_casadi import read_casadi, scalar_function

Array = NDArray[np.float64]


@short_repr
@dataclass(frozen=True)
class Cell:
    """A small program that runs once a tick.

    Attributes:
        name: Its own name in the array.
        program: What it computes: inputs are its ports, outputs its registers.
        first: The first tick in which it acts.
        every: Ticks from one in which it acts to the next.
        initial: What is in registers before the cell has first acted, by their names; those that
            are not in it are empty.
        times: How often it acts; without end when not given.
    """

    name: str
    program: Graph
    first: int = 0
    every: int = 1
    initial: Mapping[str, float] = field(default_factory=dict, hash=False)
    times: int | None = None

    def __post_init__(self) -> None:
        if "." in self.name:
            raise InvalidInput(f"cell '{self.name}': a dot parts a cell's name from its ports'.")
        if self.first < 0 or self.every < 1:
            raise InvalidInput(
                f"cell '{self.name}' acts first in tick {self.first} and every {self.every} ticks; "
                "expected a tick from 0, and at least 1."
            )
        if self.times is not None and self.times < 1:
            raise InvalidInput(f"cell '{self.name}' acts {self.times} times; expected at least 1.")
        for register in self.initial:
            if register not in self.registers:
                raise UnknownName(f"cell '{self.name}'", "register", register, self.registers)

    @staticmethod
    def of(
        name: str,
        function: ca.Function,
        *,
        first: int = 0,
        every: int = 1,
        initial: Mapping[str, float] | None = None,
        times: int | None = None,
    ) -> Cell:
        """A cell that computes a ``casadi.Function``: inputs are ports, outputs registers."""
        program = simplify(read_casadi(scalar_function(function)))
        return Cell(name, program, first, every, dict(initial or {}), times)

    @cached_property
    def ports(self) -> dict[str, Port]:
        """What it reads, by name."""
        return {port.name: port for port in self.program.inputs}

    @cached_property
    def registers(self) -> dict[str, Port]:
        """What it writes, by name."""
        return {port.name: port for port in self.program.outputs}

    @cached_property
    def port_names(self) -> tuple[str, ...]:
        """Its ports as wires name them, ``cell.port``."""
        return tuple(f"{self.name}.{port}" for port in self.ports)

    def acts(self, tick: int) -> bool:
        """Whether it acts in a tick."""
        return self.first <= tick <= self.last and (tick - self.first) % self.every == 0

    @property
    def last(self) -> float:
        """The last tick in which it acts; infinite when it does so without end."""
        return math.inf if self.times is None else self.first + (self.times - 1) * self.every


class Act(NamedTuple):
    """Action of a cell in a tick.

    Attributes:
        read: The numbers at its ports, by name.
        written: What it writes to its registers, by name.
    """

    read: dict[str, Array]
    written: dict[str, Array]


class Wire(NamedTuple):
    """From a register of a cell to a port of a cell, ``Wire("left.x", "right.x_in")``.

    Attributes:
        register: Who writes, ``cell.register``.
        port: Who reads, ``cell.port``.
        ticks: How long values take: 1 from the register itself; with more, they shift through so
            many less one further registers on the way, one a tick.
    """

    register: str
    port: str
    ticks: int = 1
