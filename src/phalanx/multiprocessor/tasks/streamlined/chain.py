"""Serial chain of revolute and prismatic joints, as the subtasks read it."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
from casadi import SX

from phalanx.base.errors import InvalidModel
from phalanx.equations.model_of import model_in_given_frames
from phalanx.equations.spatial.link import Link
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.node import Freedom, Node
from phalanx.mechanism import Mechanism
from phalanx.multiprocessor.tasks.streamlined.customization import Customization
from phalanx.multiprocessor.tasks.streamlined.subtasks import LinkSubtasks
from phalanx.multiprocessor.tasks.writer import TaskWriter


@dataclass(frozen=True)
class ChainLink:
    """A link, the joint that carries it, and its subtasks.

    Attributes:
        subtasks: Their descriptions.
        node: The joint.
        twist: Axes of the joint in those of the link before, shape (3, 3), constant.
        turn: Cosine and sine of a turning joint; None for a sliding one.
        p: Origin in the link before [m].
        m, s, I, D: Mass [kg], centre [m], central moments of inertia and their differences [kg·m²].
        products: Central inertia tensor without its diagonal [kg·m²], shape (3, 3).
        rate, acceleration: Of the joint.
        rotor: Reflected inertia of its motor [kg·m² or kg].
    """

    subtasks: LinkSubtasks
    node: Node
    twist: SX
    turn: tuple[SX, SX] | None
    p: SX
    m: SX
    s: SX
    I: SX
    D: SX
    products: SX
    rate: SX
    acceleration: SX
    rotor: SX

    @property
    def axis(self) -> SX:
        """Direction of a slide, in link axes."""
        return self.node.axes.linear


def serial_model(mechanism: Mechanism) -> Model:
    """The links of a mechanism one after another.

    Raises:
        InvalidModel: It branches, or has joints that neither turn nor slide.
    """
    model = model_in_given_frames(mechanism)
    owner = f"streamlined tasks of '{mechanism.name}'"
    if not model.nodes:
        raise InvalidModel(f"{owner}: it has no joint that moves.")
    for i, node in enumerate(model.nodes):
        if node.parent != i - 1:
            raise InvalidModel(f"{owner}: it branches at joint '{node.joint}'; expected a chain.")
        if node.freedom not in (Freedom.TURN, Freedom.SLIDE) or node.is_scaled:
            how = "mimics another" if node.is_scaled else f"moves {node.freedom.value[2]}"
            raise InvalidModel(
                f"{owner}: joint '{node.joint}' {how}; expected joints that turn or slide. "
                "task_graph(inverse_dynamics.modified, …) takes every mechanism."
            )
    return model


def chain_links(
    model: Model, writer: TaskWriter, q: SX, v: SX, a: SX, customization: Customization | str
) -> list[ChainLink]:
    """The links, with sines, cosines and offsets as given symbols.

    Numbers become symbols as well unless all customization is wanted, so that no 0 or 1 among them
    changes a task; but zeros of offsets stay when these are customised.
    """
    full = customization == Customization.FULL
    general = customization == Customization.GENERAL

    def number(values: SX) -> SX:
        return values if full else writer.general(values)

    def offset(values: SX) -> SX:
        values = writer.given(values)
        return writer.general(values) if general else values

    bodies = {joint.name: joint.child for joint in model.mechanism.joints}
    links = []
    for i, node in enumerate(model.nodes, start=1):
        X = node.transform(q)
        link = Link.of(node.mass)
        turn = X.rotation.turn
        links.append(
            ChainLink(
                LinkSubtasks(i, len(model.nodes), bodies[node.joint]),
                node,
                X.rotation.matrix,
                turn and (writer.given(turn[0]), writer.given(turn[1])),
                offset(X.translation),
                number(link.m),
                offset(link.s),
                number(ca.diag(link.I)),
                number(link.differences),
                link.I - ca.diag(ca.diag(link.I)),
                node.rate(v),
                node.rate(a),
                node.armature,
            )
        )
    return links
