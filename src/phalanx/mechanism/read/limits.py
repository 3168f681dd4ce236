"""How large a model may be that is read from a file."""

from __future__ import annotations

from phalanx.base.errors import ReadError

MOST_BODIES = 20_000


def check_bodies(count: int) -> None:
    """Refuse a model of more bodies than anybody means.

    Raises:
        ReadError: When there are more than ``MOST_BODIES``.
    """
    if count > MOST_BODIES:
        raise ReadError(f"{count:,} bodies, more than the {MOST_BODIES:,} read.")
