"""A scene that remembers what was added and moved, instead of showing it."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx.mechanism import Pose


class Node:
    def __init__(self, log: SceneLog, kind: str, path: str, options: dict[str, Any]) -> None:
        self.__dict__.update(options)
        self.__dict__.update(log=log, kind=kind, path=path, visible=True)

    def __setattr__(self, name: str, value: Any) -> None:
        self.log.changes.append((self.path, name))
        self.__dict__[name] = value

    @property
    def pose(self) -> Pose:
        w, x, y, z = self.__dict__.get("wxyz", (1.0, 0.0, 0.0, 0.0))
        return Pose.from_quaternion(self.__dict__.get("position", np.zeros(3)), (x, y, z, w))


class SceneLog:
    """Stands in for ``viser.SceneApi``."""

    def __init__(self) -> None:
        self.nodes: dict[str, Node] = {}
        self.changes: list[tuple[str, str]] = []

    def __getattr__(self, method: str) -> Any:
        if not method.startswith("add_"):
            raise AttributeError(method)

        def add(path: str, *_: Any, **options: Any) -> Node:
            assert path not in self.nodes, path
            self.nodes[path] = Node(self, method.removeprefix("add_"), path, options)
            return self.nodes[path]

        return add

    def world_pose(self, path: str) -> Pose:
        parts = path.split("/")
        pose = Pose()
        for k in range(2, len(parts) + 1):
            node = self.nodes.get("/".join(parts[:k]))
            pose = pose @ node.pose if node else pose
        return pose

    def paths(self, ending: str) -> list[str]:
        return [path for path in self.nodes if path.rpartition("_")[0].endswith(ending)]
