"""Serialization of a graph of scalar operations as plain data, for ranks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from phalanx.kernel.graph.graph import Element, Graph, Node, Port, verify


def graph_to_data(graph: Graph) -> dict[str, Any]:
    """Return a graph as numbers, texts and lists."""
    return {
        "name": graph.name,
        "inputs": [asdict(port) for port in graph.inputs],
        "outputs": [asdict(port) for port in graph.outputs],
        "nodes": [_node_to_data(node) for node in graph.nodes],
        "results": [list(nodes) for nodes in graph.results],
    }


def graph_from_data(data: Mapping[str, Any]) -> Graph:
    """Return the graph that `graph_to_data` was given."""
    inputs, outputs = (
        tuple(Port(**port | {"shape": tuple(port["shape"])}) for port in data[side])
        for side in ("inputs", "outputs")
    )
    return verify(
        Graph(
            data["name"],
            inputs,
            outputs,
            tuple(_node(*node) for node in data["nodes"]),
            tuple(tuple(nodes) for nodes in data["results"]),
        )
    )


def _node_to_data(node: Node) -> list[Any]:
    if node.element is not None:
        return [node.op, list(node.element)]
    return [node.op, node.value] if node.op == "const" else [node.op, list(node.args)]


def _node(op: str, what: Any) -> Node:
    if op == "input":
        return Node(op, element=Element(*what))
    return Node(op, value=float(what)) if op == "const" else Node(op, tuple(what))
