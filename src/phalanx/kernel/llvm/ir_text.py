"""Writer of LLVM assembly as text, a line at a time.

Text is what LLVM reads fastest from Python: a kernel of 100 000 operations is written in about a
second.
"""

from __future__ import annotations

import functools
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from phalanx.base.cached import cached_property


@dataclass(frozen=True)
class Vector:
    """A type of LLVM: so many lanes of ``double`` or ``float``."""

    scalar: str
    lanes: int

    @cached_property
    def text(self) -> str:
        """The type as LLVM writes it."""
        return f"<{self.lanes} x {self.scalar}>"

    def __str__(self) -> str:
        """The type as LLVM writes it."""
        return self.text

    @property
    def item_bytes(self) -> int:
        """Size of one lane [byte]."""
        return 8 if self.scalar == "double" else 4

    @property
    def bytes(self) -> int:
        """Size of the whole vector [byte]."""
        return self.lanes * self.item_bytes

    @property
    def integer(self) -> str:
        """The scalar integer type of the same size as a lane."""
        return f"i{8 * self.item_bytes}"

    @property
    def integers(self) -> str:
        """The vector of integers of the same size."""
        return f"<{self.lanes} x {self.integer}>"

    @property
    def mask(self) -> str:
        """The vector of truth values."""
        return f"<{self.lanes} x i1>"

    @property
    def suffix(self) -> str:
        """How intrinsics name this type."""
        return f"v{self.lanes}f{8 * self.item_bytes}"

    def splat(self, value: float) -> str:
        """A constant with ``value`` in every lane."""
        return _repeated(f"{self.scalar} {number_text(self.scalar, value)}", self.lanes)

    def splat_integer(self, value: int) -> str:
        """An integer constant with ``value`` in every lane."""
        return _repeated(f"{self.integer} {value}", self.lanes)


@functools.lru_cache(maxsize=1 << 12)
def _repeated(lane: str, lanes: int) -> str:
    return f"<{', '.join([lane] * lanes)}>"


def number_text(scalar: str, value: float) -> str:
    """A floating-point constant, exact to the bit."""
    if scalar == "float":
        # LLVM writes a float as the double of the same value
        try:
            (value,) = struct.unpack("<f", struct.pack("<f", value))
        except OverflowError:
            value = float("inf") if value > 0 else float("-inf")
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


@dataclass
class Code:
    """Lines of a function body, and what they need declared."""

    lines: list[str] = field(default_factory=list)
    declarations: dict[str, None] = field(default_factory=dict)
    _names: int = 0

    def value(self, instruction: str) -> str:
        """Append an instruction; returns the name of its result."""
        self._names += 1
        name = f"%x{self._names}"
        self.lines.append(f"  {name} = {instruction}")
        return name

    def do(self, instruction: str) -> None:
        """Append an instruction without result."""
        self.lines.append("  " + instruction)

    def label(self, name: str) -> str:
        """A new label; place it with `place`."""
        self._names += 1
        return f"{name}{self._names}"

    def place(self, label: str) -> None:
        """Start the block of ``label``."""
        self.lines.append(f"{label}:")

    def call(self, returns: str, function: str, *arguments: tuple[str, str]) -> str:
        """Call ``function`` with (type, value) pairs, declaring it."""
        types = ", ".join(kind for kind, _ in arguments)
        self.declarations[f"declare {returns} @{function}({types})"] = None
        passed = ", ".join(f"{kind} {value}" for kind, value in arguments)
        return self.value(f"call {returns} @{function}({passed})")

    @contextmanager
    def loop(
        self, start: str, end: str, step: str | int, also: Callable[[], str] | None = None
    ) -> Iterator[str]:
        """``for (i = start; i < end; i += step)`` over 64-bit integers; gives the name of i.

        ``also`` writes a further condition for going on, and gives its name.
        """
        before, head, body, latch, after = (
            self.label(name) for name in ("before", "head", "body", "latch", "after")
        )
        self.do(f"br label %{before}")
        self.place(before)
        self.do(f"br label %{head}")
        self.place(head)
        index, following = f"%i.{head}", f"%n.{head}"
        self.do(f"{index} = phi i64 [ {start}, %{before} ], [ {following}, %{latch} ]")
        more = self.value(f"icmp slt i64 {index}, {end}")
        if also is not None:
            more = self.value(f"and i1 {more}, {also()}")
        self.do(f"br i1 {more}, label %{body}, label %{after}")
        self.place(body)
        yield index
        self.do(f"br label %{latch}")
        self.place(latch)
        self.do(f"{following} = add i64 {index}, {step}")
        self.do(f"br label %{head}")
        self.place(after)

    def offset(self, pointer: str, byte_offset: str | int) -> str:
        """``pointer`` moved by so many bytes."""
        return self.value(f"getelementptr i8, ptr {pointer}, i64 {byte_offset}")
