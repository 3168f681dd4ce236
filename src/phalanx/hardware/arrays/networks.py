"""Prefix networks by name."""

from __future__ import annotations

from phalanx.base.scans import PrefixNetwork, brent_kung, kogge_stone, serial, sklansky

NETWORKS: dict[str, PrefixNetwork] = {
    "sklansky": sklansky,
    "kogge-stone": kogge_stone,
    "brent-kung": brent_kung,
    "serial": serial,
}
