"""Interface of an adapter to another library."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from phalanx.mechanism import Mechanism
from phalanx.mechanism.pose import Array

One = Callable[..., Any]  # one sample: arrays (n,) to the quantity's array or arrays
Many = Callable[[], Any]  # a whole batch, bound to its arrays; returns (samples, n)


class Incomparable(Exception):
    """A machine that the other library cannot represent, or not with the same coordinates."""


class Peer(Protocol):
    """A machine in another library."""

    name: str
    version: str

    def one(self, quantity: str, frame: str | None) -> One | None:
        """A call for one sample from Python, or None when the library has no such quantity."""

    def many(self, quantity: str, inputs: Sequence[Array]) -> tuple[str, Many] | None:
        """The library's own batched call on one thread and its name, or None."""


_PEERS = (
    ("pinocchio", "phalanx.bench.peers.pinocchio"),
    ("mujoco", "phalanx.bench.peers.mujoco"),
)


def find_peers(mechanism: Mechanism, frame: str) -> tuple[list[Peer], list[str]]:
    """The installed libraries that can represent ``mechanism``, and remarks on the others."""
    peers: list[Peer] = []
    remarks = []
    if mechanism.loops:
        # one library has none, in another they are springs: see benchmarks/loops.py
        return peers, ["no comparison with others: they do not close loops exactly."]
    for package, module in _PEERS:
        if importlib.util.find_spec(package) is None:
            remarks.append(f"{package} is not installed (pip install 'phalanx[bench]').")
            continue
        try:
            peers.append(importlib.import_module(module).peer(mechanism, frame))
        except Incomparable as reason:
            remarks.append(f"no comparison with {package}: {reason}")
    return peers, remarks
