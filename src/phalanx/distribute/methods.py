"""Names of all ways to share out a machine."""

from __future__ import annotations

from phalanx.distribute.programs.chains.job import CHAIN_METHODS
from phalanx.distribute.programs.platforms.job import METHODS as PLATFORM_METHODS

METHODS = (*PLATFORM_METHODS, *CHAIN_METHODS)
