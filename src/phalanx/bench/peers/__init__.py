"""Other libraries, given the same machine as data, so that numbers can be compared one by one."""

from phalanx.bench.peers.peer import Incomparable, Peer, find_peers

__all__ = ["Incomparable", "Peer", "find_peers"]
__dir__ = __all__.copy
