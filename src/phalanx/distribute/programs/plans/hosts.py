"""Which rank is which processor of a plan: each is some consecutive ones."""

from __future__ import annotations

from phalanx.base.errors import InvalidInput


def hosts_of(processors: int, ranks: int) -> tuple[int, ...]:
    """The rank of each processor, as evenly as possible.

    Raises:
        InvalidInput: There are more ranks than processors, or none.
    """
    if not 1 <= ranks <= processors:
        raise InvalidInput(
            f"ranks={ranks} for a plan of {processors} processors; expected 1 to {processors}: a "
            "rank is one processor or several."
        )
    return tuple(processor * ranks // processors for processor in range(processors))
