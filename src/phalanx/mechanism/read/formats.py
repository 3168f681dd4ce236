"""Formats of model files: root elements, and limits on their size."""

from __future__ import annotations

from phalanx.base.errors import ReadError, shown

MOST_BODIES = 20_000


def check_bodies(count: int) -> None:
    """Refuse a model with more bodies than the limit.

    Raises:
        ReadError: When there are more than ``MOST_BODIES``.
    """
    if count > MOST_BODIES:
        raise ReadError(f"{count:,} bodies, more than the {MOST_BODIES:,} read.")


# of each root element: the format and the suffix that its files should have
ROOTS = {
    "robot": ("URDF", ".urdf"),
    "mujoco": ("MJCF", ".xml"),
    "sdf": ("SDF", ".sdf"),
}
SUPPORTED = "URDF (.urdf), MJCF (.xml, .mjcf) and SDF (.sdf)"


def check_root(tag: str, wanted: str) -> None:
    """Refuse a file whose root element is not that of the format it is read as.

    Raises:
        ReadError: With the format that the file seems to have, and what to do.
    """
    if tag == wanted:
        return
    name, _ = ROOTS[wanted]
    expected = f"{'an' if name[0] in 'MS' else 'a'} {name} file has <{wanted}>"
    if tag in ROOTS:
        found, suffix = ROOTS[tag]
        raise ReadError(
            f"the root element is <{tag}>, that of {found}; {expected}. Call the file *{suffix}."
        )
    raise ReadError(f"the root element is <{shown(tag)[1:-1]}>; {expected}.")
