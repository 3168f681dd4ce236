"""Parser of --processors: ``4``, ``1-13``, ``1,2,4``, ``1-8,16``."""

from __future__ import annotations

from phalanx.base.errors import InvalidInput

MOST = 65_536
MOST_NUMBERS = 1000


def processor_counts(text: str) -> list[int]:
    """Return the numbers of processors, each once, in their order.

    Raises:
        InvalidInput: When a part is no number or range, or a number is not from 1 to 65536.
    """
    counts: dict[int, None] = {}
    for part in text.split(","):
        low, dash, high = part.strip().partition("-")
        try:
            first = int(low)
            last = int(high) if dash else first
        except ValueError:
            raise InvalidInput(
                f"--processors {text}: '{part.strip()}' is no number; expected numbers and ranges, "
                "such as 4, 1-13 or 1,2,4."
            ) from None
        for end in (first, last):
            if not 1 <= end <= MOST:
                raise InvalidInput(
                    f"--processors {text}: {end} processors; there must be at least one, and at "
                    f"most {MOST:,}."
                )
        if last < first:
            raise InvalidInput(f"--processors {text}: '{part.strip()}' runs backwards.")
        counts |= dict.fromkeys(range(first, last + 1))
    if len(counts) > MOST_NUMBERS:
        raise InvalidInput(
            f"--processors {text}: {len(counts):,} plans; ask for at most {MOST_NUMBERS:,}."
        )
    return list(counts)
