"""The two passes over a tree."""

from phalanx.equations.tree.passes import inward, outward

# 0 - 1 - 2
#  \ 3 - 4
PARENTS = (-1, 0, 1, 0, 3)


def test_outward_reaches_every_node_from_its_parent():
    paths = outward(PARENTS, (), lambda i, parent: (*parent, i))
    assert paths == [(0,), (0, 1), (0, 1, 2), (0, 3), (0, 3, 4)]


def test_inward_hands_each_node_on_once_and_whole():
    totals = inward(PARENTS, [1, 10, 100, 1000, 10000], lambda i, parent, child: parent + child)
    assert totals == [11111, 110, 100, 11000, 10000]


def test_inward_names_the_child_that_hands_on():
    order = []
    inward(PARENTS, [0] * 5, lambda i, parent, child: order.append(i) or parent)
    assert order == [4, 3, 2, 1]


def test_inward_leaves_its_input_alone():
    own = [1, 2]
    inward((-1, 0), own, lambda i, parent, child: parent + child)
    assert own == [1, 2]
