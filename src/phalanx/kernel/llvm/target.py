"""Target processors as data: vector width, fma, features."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace

import llvmlite.binding as llvm

from phalanx.base.errors import InvalidInput

# widest first: (feature of the processor, name, bytes of a vector, feature that gives fused
# multiply-add)
_FAMILIES = (
    ("avx512f", "avx512", 64, "avx512f"),
    ("avx2", "avx2", 32, "fma"),
    ("sse2", "sse2", 16, "fma"),
    ("neon", "neon", 16, "neon"),
)


@dataclass(frozen=True)
class Target:
    """A processor to emit code for.

    Attributes:
        name: The family of its vector instructions.
        cpu: LLVM's name of the processor.
        features: LLVM's feature string.
        vector_bytes: Width of a vector register [byte].
        has_fma: Whether it multiplies and adds with one rounding.
        triple: LLVM's name of processor family, vendor and system; this process's when empty.
    """

    name: str
    cpu: str
    features: str
    vector_bytes: int
    has_fma: bool
    triple: str = ""

    def lanes(self, item_bytes: int) -> int:
        """How many numbers of this size one vector holds."""
        return max(1, self.vector_bytes // item_bytes)

    def narrowed(self, vector_bytes: int) -> Target:
        """The same processor, using only part of its vectors.

        Raises:
            InvalidInput: The width is not a power of two from 8 up to this target's.
        """
        if vector_bytes not in (8, 16, 32, 64) or vector_bytes > self.vector_bytes:
            raise InvalidInput(
                f"vector width {vector_bytes} B; expected 8, 16, 32 or 64, "
                f"and at most the {self.vector_bytes} B of '{self.name}'."
            )
        return replace(self, name=f"{self.name}-{vector_bytes}B", vector_bytes=vector_bytes)

    def without_fma(self) -> Target:
        """The same processor, as if it could not fuse a multiplication and an addition."""
        return replace(self, name=f"{self.name}-nofma", has_fma=False)


@functools.cache
def host_target() -> Target:
    """The processor this process runs on, at its full width."""
    present = {name for name, there in llvm.get_host_cpu_features().items() if there}
    if llvm.get_process_triple().startswith(("aarch64", "arm64")):
        present.add("neon")  # every 64-bit ARM has it, and fused multiply-add with it
    cpu = llvm.get_host_cpu_name()
    features = llvm.get_host_cpu_features().flatten()
    for feature, name, vector_bytes, fma in _FAMILIES:
        if feature in present:
            return Target(name, cpu, features, vector_bytes, fma in present)
    return Target("scalar", cpu, features, 8, False)


_LINUX = "unknown-linux-gnu"

PROCESSORS = {
    "aarch64": Target("neon", "generic", "+neon", 16, True, f"aarch64-{_LINUX}"),
    "x86-64": Target("sse2", "x86-64", "", 16, False, f"x86_64-{_LINUX}"),
    "x86-64-v3": Target("avx2", "x86-64-v3", "", 32, True, f"x86_64-{_LINUX}"),
    "x86-64-v4": Target("avx512", "x86-64-v4", "", 64, True, f"x86_64-{_LINUX}"),
}
"""Kinds of processors that code can be written for, wherever it is written."""
