"""Sub-expressions as scalar programs of their own."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import casadi as ca
from casadi import SX

from phalanx.kernel.graph.graph import Graph, Node
from phalanx.kernel.graph.operations import operations
from phalanx.kernel.graph.passes.simplify import drop_unused, simplify
from phalanx.kernel.graph.read_casadi import read_casadi


@dataclass(frozen=True)
class Piece:
    """Values over symbols, without what simplification takes away.

    Attributes:
        program: Reads the symbols as one input, gives the values without their signs.
        symbols: What it reads.
        negative: Which values have a minus sign before them.
    """

    program: Graph
    symbols: list[SX]
    negative: list[bool]

    @staticmethod
    def of(values: SX) -> Piece:
        """The program of some values."""
        symbols = ca.symvar(values)
        read = [ca.vertcat(*symbols)] if symbols else [SX(0, 1)]
        function = ca.Function("piece", read, [ca.densify(ca.vec(values))])
        program = simplify(read_casadi(function))
        plain, negative = [], []
        for n in program.results[0]:
            node = program.nodes[n]
            negative.append(node.op == "neg")
            plain.append(node.args[0] if node.op == "neg" else n)
        if any(negative):
            program = drop_unused(replace(program, results=(tuple(plain),)))
        return Piece(program, symbols, negative)

    def symbol(self, node: Node) -> SX:
        """What an input of the program stands for."""
        assert node.element is not None, "only inputs stand for symbols"
        return self.symbols[node.element.place]


class Pattern(NamedTuple):
    """A piece that is used with other symbols again and again.

    Attributes:
        piece: What is computed.
        places: For each symbol of the piece which argument it is.
    """

    piece: Piece
    places: list[int]

    @staticmethod
    def of(function: ca.Function) -> Pattern:
        """The pattern of a function of one vector."""
        arguments = [SX.sym(f"a{k}") for k in range(function.numel_in(0))]
        piece = Piece.of(function(ca.vertcat(*arguments)))
        place = {argument.element_hash(): k for k, argument in enumerate(arguments)}
        return Pattern(piece, [place[symbol.element_hash()] for symbol in piece.symbols])


def operations_of(values: SX) -> int:
    """How many operations values cost, given the symbols in them."""
    return operations(Piece.of(values).program.nodes).total
