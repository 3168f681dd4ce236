"""Straight-line programs of vector operations, for chips.

An operation takes two operands and gives a vector. An operand is a vector, or the rows or columns
of a matrix, each of which is a result or a vector that the host writes. Nothing here knows of
robots: inverse dynamics is one such program, and any other runs on the same chips.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from phalanx.base.arguments import checked
from phalanx.base.cached import cached_property
from phalanx.base.errors import InvalidInput
from phalanx.hardware.chip.by_numpy import Array, computed, partial_sums

KINDS = {
    "VA": "sum of two vectors",
    "SV": "vector times the first component of another",
    "VC": "cross product",
    "VD": "dot product, in every component",
    "MV": "matrix times vector",
}
BEYOND = (
    "a chip adds and multiplies; it cannot divide, take roots or angles, or choose by a number: "
    "inverses, elimination, sines and square roots stay with the host"
)
SHAPES = ("vector", "rows", "columns")


class NotOnChip(InvalidInput):
    """An operation that the chips do not have."""


@dataclass(frozen=True)
class Source:
    """Source of a vector: an operation's result or a port of the host.

    Attributes:
        place: Which operation, or which port of the host, from 0.
        from_host: Whether it is a port of the host.
    """

    place: int
    from_host: bool = False


@dataclass(frozen=True)
class Operand:
    """A vector, or a matrix as three vectors.

    Attributes:
        sources: One for a vector, three for a matrix.
        shape: ``vector``, or whether the three are ``rows`` or ``columns``.
    """

    sources: tuple[Source, ...]
    shape: str = "vector"


@dataclass(frozen=True)
class Operation:
    """One operator at work.

    Attributes:
        name: Its own name in the program.
        kind: One of ``KINDS``.
        a: First operand: the matrix of MV, the scalar (in component 1) of SV.
        b: Second operand.
    """

    name: str
    kind: str
    a: Operand
    b: Operand

    @property
    def sources(self) -> tuple[Source, ...]:
        """Of both operands."""
        return self.a.sources + self.b.sources


@dataclass(frozen=True)
class Output:
    """A number that goes to the host.

    Attributes:
        name: Display name.
        operation: Whose result, from 0.
        component: Which component of it, 1 to 3.
    """

    name: str
    operation: int
    component: int


@dataclass(frozen=True)
class VectorProgram:
    """Operations in order, what the host writes, and what it gets.

    Attributes:
        name: Display name.
        ports: Names of the vectors that the host writes.
        operations: Each after those whose results it reads.
        outputs: What goes to the host.
    """

    name: str
    ports: tuple[str, ...]
    operations: tuple[Operation, ...]
    outputs: tuple[Output, ...]

    def __post_init__(self) -> None:
        """Check kinds, shapes, and that operands are there."""
        names = Counter(operation.name for operation in self.operations)
        for name, count in names.items():
            if count > 1:
                raise InvalidInput(f"'{self.name}' has two operations called '{name}'.")
        for number, operation in enumerate(self.operations):
            self._check(number, operation)
        for output in self.outputs:
            if not 0 <= output.operation < len(self.operations) or output.component not in (
                1,
                2,
                3,
            ):
                raise InvalidInput(
                    f"output '{output.name}' is component {output.component} of operation number "
                    f"{output.operation}; there are {len(self.operations)}, with components 1 to 3."
                )

    def _check(self, number: int, operation: Operation) -> None:
        if operation.kind not in KINDS:
            raise NotOnChip(
                f"operation '{operation.name}' is of kind '{operation.kind}', which no chip has. "
                f"Chips have {', '.join(KINDS)}; {BEYOND}."
            )
        for port, operand in (("A", operation.a), ("B", operation.b)):
            matrix = operation.kind == "MV" and port == "A"
            shapes = SHAPES[1:] if matrix else SHAPES[:1]
            if operand.shape not in shapes or len(operand.sources) != (3 if matrix else 1):
                raise InvalidInput(
                    f"operand {port} of '{operation.name}' is {len(operand.sources)} vectors as "
                    f"{operand.shape}; {operation.kind} takes "
                    f"{'three, as rows or columns' if matrix else 'one vector'} there."
                )
            for source in operand.sources:
                known = len(self.ports) if source.from_host else number
                if not 0 <= source.place < known:
                    what = "port" if source.from_host else "operation"
                    raise InvalidInput(
                        f"operand {port} of '{operation.name}' is {what} number {source.place}; "
                        f"there are {known} {what}s before it."
                    )

    def __len__(self) -> int:
        return len(self.operations)

    @cached_property
    def readers(self) -> tuple[tuple[tuple[int, str], ...], ...]:
        """For each operation who reads its result: operation and port, ``A`` or ``B``."""
        found: list[dict[tuple[int, str], None]] = [{} for _ in self.operations]
        for number, operation in enumerate(self.operations):
            for port, operand in (("A", operation.a), ("B", operation.b)):
                for source in operand.sources:
                    if not source.from_host:
                        found[source.place][number, port] = None
        return tuple(tuple(readers) for readers in found)

    def needed(self) -> VectorProgram:
        """The same without operations and ports that no output depends on."""
        wanted = {output.operation for output in self.outputs}
        for number in reversed(range(len(self.operations))):
            if number in wanted:
                sources = self.operations[number].sources
                wanted |= {source.place for source in sources if not source.from_host}
        kept = sorted(wanted)
        read = {s.place for k in kept for s in self.operations[k].sources if s.from_host}
        ports = sorted(read)
        place = {(False, k): new for new, k in enumerate(kept)}
        place |= {(True, k): new for new, k in enumerate(ports)}

        def moved(operand: Operand) -> Operand:
            sources = (Source(place[s.from_host, s.place], s.from_host) for s in operand.sources)
            return replace(operand, sources=tuple(sources))

        operations = (self.operations[k] for k in kept)
        return VectorProgram(
            self.name,
            tuple(self.ports[k] for k in ports),
            tuple(replace(o, a=moved(o.a), b=moved(o.b)) for o in operations),
            tuple(replace(o, operation=place[False, o.operation]) for o in self.outputs),
        )

    @checked
    def evaluate(self, values: ArrayLike) -> Array:
        """The outputs by NumPy, in double: what chips have to give.

        Args:
            values: What the host writes, shape (samples, ports, 3).

        Returns:
            Outputs, shape (samples, outputs).
        """
        given = self.sets(values)
        results = self.results(given)
        columns = [results[o.operation][:, o.component - 1] for o in self.outputs]
        return np.stack(columns, axis=1) if columns else np.zeros((len(given), 0))

    def results(self, given: Array) -> list[Array]:
        """The result of every operation, shape (samples, 3) each."""
        done: list[Array] = []

        def operand(read: Operand) -> Array:
            vectors = [given[:, s.place] if s.from_host else done[s.place] for s in read.sources]
            if read.shape == "vector":
                return vectors[0]
            return np.stack(vectors, axis=1 if read.shape == "rows" else 2)

        for operation in self.operations:
            done.append(computed(operation.kind, operand(operation.a), operand(operation.b)))
        return done

    @checked
    def largest(self, values: ArrayLike) -> float:
        """The largest magnitude in any word: operands, products, sums on their way, results."""
        given = self.sets(values)
        done = self.results(given)
        most = max((float(np.abs(x).max(initial=0.0)) for x in (given, *done)), default=0.0)
        for operation in self.operations:
            pairs = [
                (given[:, s.place] if s.from_host else done[s.place]) for s in operation.sources
            ]
            bound = partial_sums(operation.kind, operation.a.shape, pairs)
            most = max(most, bound)
        return most

    def sets(self, values: ArrayLike) -> Array:
        """Sets of what the host writes, as an array."""
        array = np.asarray(values, dtype=np.float64)
        expected = (len(self.ports), 3)
        if array.ndim != 3 or array.shape[1:] != expected:
            raise InvalidInput(
                f"'{self.name}' reads {len(self.ports)} vectors a set, so an array of shape "
                f"(sets, {expected[0]}, 3); got {array.shape}."
            )
        return array
