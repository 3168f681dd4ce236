"""Spanning tree of a graph of joints: breadth first, with joints that may not be cut."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from phalanx.base.cached import cached_property
from phalanx.base.errors import InvalidModel
from phalanx.mechanism.body import Frame
from phalanx.mechanism.joint import (
    Continuous,
    Cylindrical,
    Fixed,
    Joint,
    Prismatic,
    Revolute,
    Screw,
)

# their inverse is the same motion about the opposite axis, with the same coordinate
REVERSIBLE = (Revolute, Continuous, Prismatic, Cylindrical, Screw)


@dataclass(frozen=True)
class Edge:
    """A joint of a graph, and where its frames stand on the two bodies it joins."""

    joint: Joint
    parent: Frame
    child: Frame


@dataclass(frozen=True)
class TreeEdge:
    """An edge of the tree, and whether it leads from the joint's child to its parent."""

    edge: Edge
    backwards: bool

    @property
    def to(self) -> str:
        """The body it leads to."""
        return self.edge.parent.body if self.backwards else self.edge.child.body


@dataclass(frozen=True)
class JointGraph:
    """Bodies and the joints between them; ``owner`` is for messages."""

    owner: str
    bodies: Sequence[str]
    edges: Sequence[Edge]

    def tree(self, root: str, kept: frozenset[str]) -> list[TreeEdge]:
        """The steps of a spanning tree, in the order in which they reach bodies.

        A body that is reached brings along at once what hangs on it by joints that are kept.

        Raises:
            InvalidModel: Joints that are kept form a cycle, a body cannot be reached, or only
                through a joint that cannot be walked backwards.
        """
        self._check_no_cycle([e.joint for e in self.edges if e.joint.name in kept])
        depth: dict[str, int] = {}
        steps: list[TreeEdge] = []
        ahead: list[tuple[int, bool, int, TreeEdge]] = []

        def reach(first: str, at: int) -> None:
            depth[first] = at
            queue = deque([first])
            while queue:
                body = queue.popleft()
                for order, step in self._steps_from[body]:
                    if step.edge.joint.name not in kept:
                        near = (depth[body] + 1, step.backwards, order, step)
                        heapq.heappush(ahead, near)
                    elif step.to not in depth:
                        depth[step.to] = depth[body] + 1
                        steps.append(step)
                        queue.append(step.to)

        reach(root, 0)
        while ahead:
            at, _, _, step = heapq.heappop(ahead)
            if step.to not in depth:
                steps.append(step)
                reach(step.to, at)
        self._check_reached(root, depth, kept - {s.edge.joint.name for s in steps})
        return steps

    @cached_property
    def _steps_from(self) -> dict[str, list[tuple[int, TreeEdge]]]:
        """Steps that lead away from each body, where joints allow, with their place in the list."""
        steps: dict[str, list[tuple[int, TreeEdge]]] = {body: [] for body in self.bodies}
        for order, edge in enumerate(self.edges):
            steps[edge.parent.body].append((order, TreeEdge(edge, backwards=False)))
            if isinstance(edge.joint.motion, (*REVERSIBLE, Fixed)):
                steps[edge.child.body].append((order, TreeEdge(edge, backwards=True)))
        return steps

    def _check_no_cycle(self, joints: Sequence[Joint]) -> None:
        names = {joint.name for joint in joints}
        group = {body: body for body in self.bodies}

        def leader(body: str) -> str:
            while group[body] != body:
                body = group[body]
            return body

        for edge in self.edges:
            if edge.joint.name not in names:
                continue
            a, b = leader(edge.parent.body), leader(edge.child.body)
            if a == b:
                raise InvalidModel(
                    f"joint '{edge.joint.name}' of {self.owner} closes a cycle of joints that may "
                    f"not be cut ({_some(names)}). One of them must be passive (effort_limit=0), "
                    "without damping, friction, spring, rotor or mimic, no screw, and not in keep."
                )
            group[a] = b

    def _check_reached(self, root: str, depth: dict[str, int], missed: Iterable[str]) -> None:
        lost = [body for body in self.bodies if body not in depth]
        one_way = [
            edge.joint.name
            for edge in self.edges
            if edge.joint.name in missed
            or (edge.child.body in depth and edge.parent.body not in depth)
        ]
        if one_way:
            raise InvalidModel(
                f"joint '{one_way[0]}' of {self.owner} leads towards the root '{root}', and only a "
                "joint about or along one axis can be walked backwards. Swap its parent and child."
            )
        if lost:
            raise InvalidModel(
                f"no joint of {self.owner} connects {_some(lost)} to the root '{root}'. "
                "Connect them, by a floating joint if they move freely."
            )


def _some(names: Iterable[str]) -> str:
    first = sorted(names)
    return ", ".join(first[:6]) + (", …" if len(first) > 6 else "")
