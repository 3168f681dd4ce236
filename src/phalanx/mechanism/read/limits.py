"""Size limits of models that are read from files."""

from __future__ import annotations

from phalanx.base.errors import ReadError

MOST_BODIES = 20_000


def check_bodies(count: int) -> None:
    """Refuse a model with more bodies than the limit.

    Raises:
        ReadError: When there are more than ``MOST_BODIES``.
    """
    if count > MOST_BODIES:
        raise ReadError(f"{count:,} bodies, more than the {MOST_BODIES:,} read.")
