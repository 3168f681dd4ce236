"""Values as a program of their own: what they cost, what they read, and their signs."""

from __future__ import annotations

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.multiprocessor.plans.evaluate import evaluate_nodes
from phalanx.multiprocessor.tasks.piece import Piece, operations_of


def test_values_cost_what_is_left_of_them():
    x = SX.sym("x", 3)
    assert operations_of(x[0]) == 0
    assert operations_of(-x[0]) == 0
    assert operations_of(SX(3.0)) == 0
    assert operations_of(0 * x[0] + x[1]) == 0
    assert operations_of(x[0] * x[1] + x[2]) == 2
    assert operations_of(ca.vertcat(x[0] * x[1], 1 - x[0] * x[1])) == 2  # shared operations once


def test_a_piece_gives_values_without_their_signs():
    x = SX.sym("x", 2)
    values = ca.vertcat(-(x[0] * x[1]), x[0] - x[1], -x[1])
    piece = Piece.of(values)
    assert piece.negative == [True, False, True]
    point = {x[0].element_hash(): 2.0, x[1].element_hash(): 5.0}
    known = {}
    for n, node in enumerate(piece.program.nodes):
        if node.element is not None:
            known[n] = point[piece.symbol(node).element_hash()]
        elif node.op == "const":
            known[n] = node.value
        else:
            evaluate_nodes(piece.program, [n], known)
    plain = np.array([known[n] for n in piece.program.results[0]])
    np.testing.assert_array_equal(np.where(piece.negative, -plain, plain), [-10.0, -3.0, -5.0])


def test_a_piece_of_numbers_reads_nothing():
    piece = Piece.of(SX([2.0, -3.0]))
    assert piece.symbols == []
    assert [piece.program.nodes[n].value for n in piece.program.results[0]] == [2.0, -3.0]
