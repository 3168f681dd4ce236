"""Format detection of model files: by root element and by name."""

from __future__ import annotations

from phalanx.base.errors import ReadError, shown

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
