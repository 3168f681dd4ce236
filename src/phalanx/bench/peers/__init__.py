"""Adapters to other libraries (Pinocchio, MuJoCo, Exudyn), given the same machine as data."""

from phalanx.bench.peers.peer import Incomparable, Peer, find_peers

__all__ = ["Incomparable", "Peer", "find_peers"]
__dir__ = __all__.copy
