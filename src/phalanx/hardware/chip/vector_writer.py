"""Builder of straight-line vector programs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from phalanx.base.errors import InvalidInput
from phalanx.hardware.chip.vector_program import (
    Operand,
    Operation,
    Output,
    Source,
    VectorProgram,
)


@dataclass
class VectorWriter:
    """A program written operation by operation.

    Attributes:
        name: Of the program.
    """

    name: str
    ports: list[str] = field(default_factory=list)
    operations: list[Operation] = field(default_factory=list)
    outputs: list[Output] = field(default_factory=list)

    def given(self, name: str) -> Source:
        """A vector that the host writes."""
        self.ports.append(name)
        return Source(len(self.ports) - 1, from_host=True)

    def apply(
        self, kind: str, a: Source | Iterable[Source], b: Source, name: str, shape: str = "rows"
    ) -> Source:
        """The result of an operation; ``a`` is three vectors for a matrix.

        Args:
            kind: One of ``KINDS``.
            a: First operand.
            b: Second operand.
            name: Of the operation.
            shape: Whether the vectors of a matrix are ``rows`` or ``columns``.
        """
        first = Operand((a,)) if isinstance(a, Source) else Operand(tuple(a), shape)
        self.operations.append(Operation(name, kind, first, Operand((b,))))
        return Source(len(self.operations) - 1)

    def result(self, name: str, source: Source, component: int = 1) -> None:
        """Send a component of a result to the host."""
        if source.from_host:
            raise InvalidInput(f"output '{name}' is what the host writes itself.")
        self.outputs.append(Output(name, source.place, component))

    def program(self) -> VectorProgram:
        """What was written."""
        return VectorProgram(
            self.name, tuple(self.ports), tuple(self.operations), tuple(self.outputs)
        )
