"""Names of all ways to share out a machine."""

from __future__ import annotations

from phalanx.distribute.chains.job import CHAIN_METHODS
from phalanx.distribute.platforms.job import METHODS as PLATFORM_METHODS

METHODS = (*PLATFORM_METHODS, *CHAIN_METHODS)
