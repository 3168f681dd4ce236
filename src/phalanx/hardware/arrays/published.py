"""Published counts of the source: operators, vector processors, steps, inputs.

The source prints most of it for six joints; here they are functions of the number of joints.

Reference:
    Lathrop (1983), table O.1 and sec. VI.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from phalanx.base.arguments import checked
from phalanx.base.errors import InvalidInput
from phalanx.base.scans import sklansky
from phalanx.hardware.arrays.array import (
    FORMS,
    LINEAR,
    LOGARITHMIC,
    OperatorArray,
    processors_of,
)

# unnumbered table of sec. VI: operators of a node
PUBLISHED_NODES: Mapping[tuple[str, str], Mapping[str, int]] = MappingProxyType(
    {
        (LINEAR, "outward"): {"MV": 3, "VA": 5, "VC": 4},
        (LINEAR, "own"): {"MV": 2, "VA": 3, "VC": 4, "SV": 1},
        (LINEAR, "inward"): {"MV": 2, "VA": 4, "VC": 2},
        (LOGARITHMIC, "outward"): {"MV": 6, "VA": 12, "VC": 4, "SV": 1, "MM": 1},
        (LOGARITHMIC, "own"): {"MV": 2, "VA": 3, "VC": 4, "SV": 1},
        (LOGARITHMIC, "inward"): {"MV": 5, "VA": 4, "VC": 1, "MM": 1},
    }
)


@dataclass(frozen=True)
class Processors:
    """Vector processors of a device, by what they work for.

    Attributes:
        outward: Motion from the base to the tip.
        own: What each link needs by itself.
        inward: Forces from the tip to the base.
    """

    outward: int
    own: int
    inward: int

    @property
    def total(self) -> int:
        """All of them."""
        return self.outward + self.own + self.inward


@checked
def published_node(form: str) -> Processors:
    """Vector processors of a node, by the source's table of operators.

    Args:
        form: ``linear`` or ``logarithmic``.
    """
    _check_form(form)
    return Processors(
        *(processors_of(PUBLISHED_NODES[form, of]) for of in ("outward", "own", "inward"))
    )


@checked
def published_device(form: str, joints: int) -> Processors:
    """Vector processors of the device that works on one sample at a time.

    One node for each direction, or one tier of nodes; of those that work for a link by itself, as
    many as links end their outward recursion in one tier.
    """
    _check_joints(joints)
    node = published_node(form)
    if form == LINEAR:
        return node
    width = (joints + 1) // 2
    return Processors(node.outward * width, node.own * _most_at_a_time(joints), node.inward * width)


@checked
def published_array(form: str, joints: int) -> Processors:
    """Vector processors of the systolic array."""
    _check_joints(joints)
    node = published_node(form)
    nodes = joints if form == LINEAR else sklansky.nodes(joints) + joints
    return Processors(node.outward * nodes, node.own * joints, node.inward * nodes)


@checked
def published_for(array: OperatorArray) -> Processors:
    """Vector processors that the source counts for an array like this one."""
    count = published_array if array.systolic else published_device
    published = count(array.form, array.joints)
    return replace(published, inward=0) if array.shared else published


@checked
def published_latency(form: str, joints: int) -> tuple[int, int]:
    """Multiplications and additions, one after the other, from inputs to forces in joints.

    Linear 2 n + 3 and 6 n + 7; logarithmic 2 L + 5 and 6 L + 10 with L = ceil(log2(n + 1)).
    """
    _check_joints(joints)
    _check_form(form)
    if form == LINEAR:
        return 2 * joints + 3, 6 * joints + 7
    tiers = joints.bit_length()
    return 2 * tiers + 5, 6 * tiers + 10


@checked
def input_words(joints: int) -> int:
    """Numbers that the source stores as inputs of an array: about 37 n + 15.

    What it lists is 36 n + 15; one more for each joint says whether it turns or slides.
    """
    return 37 * joints + 15


def _most_at_a_time(joints: int) -> int:
    """How many joints end their outward recursion in one tier, at most; the first needs none."""
    last: dict[int, int] = {}
    for tier, level in enumerate(sklansky.levels(joints)):
        last |= {right: tier for _, right in level}
    return max(Counter(last.values()).values(), default=1)


def _check_joints(joints: int) -> None:
    if joints < 1:
        raise InvalidInput(f"an array for {joints} joints; there must be at least one.")


def _check_form(form: str) -> None:
    if form not in FORMS:
        raise InvalidInput(f"no recursion is called '{form}'; take '{LINEAR}' or '{LOGARITHMIC}'.")
